"""A client with two uplinks behind routers that translate its addresses, and a server with one address."""

import os
from subprocess import run

from interop.network import Namespace

SERVER = "203.0.113.1"
RATE = "20mbit"
"""Of each uplink."""

OUTER, CHANGED = "100.64.1.1", "100.65.1.1"
"""The outer address of the first router, before and after it changes."""


class Household:
    """A client whose two uplinks lead through one or two translating routers to a server."""

    def __init__(self, routers, nft):
        self.nft, (self.program, libraries) = nft, nft
        self.environment = os.environ | {"LD_LIBRARY_PATH": str(libraries)}
        self.client, self.server = Namespace(), Namespace()
        self.routers = [Namespace() for _ in range(routers)]
        self.client.ip("link set lo up")
        self.server.ip("link set lo up", f"addr add {SERVER}/32 dev lo")
        for number in (1, 2):
            self.uplink(number, self.routers[-1 if number == 2 else 0])
        for number, router in enumerate(self.routers, 1):
            self.way_out(number, router)

    def uplink(self, number, router):
        """The link between the client and a router, which is as slow as an uplink is."""
        connect(self.client, f"u{number}", router, f"l{number}")
        self.client.ip(
            f"addr add 192.168.{number}.2/24 dev u{number}",
            f"route add default via 192.168.{number}.1 dev u{number} metric {number}",
        )
        router.ip("link set lo up", f"addr add 192.168.{number}.1/24 dev l{number}")
        for side, device in ((self.client, f"u{number}"), (router, f"l{number}")):
            shape = f"tc qdisc add dev {device} root tbf rate {RATE} burst 16k limit 100k"
            run(side.command(*shape.split()), check=True)

    def way_out(self, number, router):
        """The link between a router and the server, and the translation of what takes it."""
        connect(router, "w", self.server, f"w{number}")
        for block in (64, 65):
            self.server.ip(f"addr add 100.{block}.{number}.2/24 dev w{number}")
        run(router.command("sysctl", "-qw", "net.ipv4.ip_forward=1"), check=True)
        router.ip(
            f"addr add 100.64.{number}.1/24 dev w",
            f"route add {SERVER}/32 via 100.64.{number}.2 metric 2",
        )
        self.translate(
            router,
            "add table ip nat",
            "add chain ip nat post { type nat hook postrouting priority 100 ; }",
            "add rule ip nat post oifname w masquerade",
        )

    def translate(self, router, *rules):
        """Lets ``nft`` carry out these lines."""
        command = router.command(str(self.program), "-f", "-")
        run(command, input="\n".join(rules), text=True, check=True, env=self.environment)

    def change_outer_address(self):
        """The first router has another outer address from now on, and forgets what came by the old one."""
        self.routers[0].ip(
            f"addr add {CHANGED}/24 dev w",
            f"route add {SERVER}/32 via 100.65.1.2 metric 1",
            f"addr del {OUTER}/24 dev w",
        )

    def ways_in(self):
        """The devices of the server, one for each router."""
        return [f"w{number}" for number, _ in enumerate(self.routers, 1)]

    def close(self):
        """Takes all of it away."""
        for namespace in (self.client, *self.routers, self.server):
            namespace.close()


def connect(left, near, right, far):
    """A cable between two namespaces."""
    left.ip(f"link add {near} type veth peer name {far} netns /proc/{right.holder.pid}/ns/net")
    left.ip(f"link set {near} up")
    right.ip(f"link set {far} up")
