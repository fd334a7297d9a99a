"""A host whose two interfaces come and go, and a server with one address behind both."""

from pathlib import Path
from subprocess import run

from interop.network import Namespace

RATE = "20mbit"
"""Of each link, both ways."""

NARROW = 1400
"""Bytes of the largest packet of a link that is narrower than others."""

SERVER = {4: "203.0.113.1", 6: "fd80:113::1"}
LENGTH = {4: 24, 6: 64}


class Traveller:
    """The two hosts and the links between them; at first the traveller has addresses on some of them."""

    def __init__(self, version, links):
        self.version = version
        self.host, self.server = Namespace(), Namespace()
        self.host.ip("link set lo up")
        whole = 32 if version == 4 else 128
        self.server.ip("link set lo up", f"addr add {SERVER[version]}/{whole} dev lo")
        for link in (1, 2):
            self.connect(link)
        for link in links:
            self.gain(link, nodad=" nodad" * (version == 6))

    def connect(self, link):
        """A cable that is as slow as an uplink, with the server's address at its end."""
        self.host.ip(
            f"link add u{link} type veth peer name l{link} netns /proc/{self.server.holder.pid}/ns/net"
        )
        self.host.ip(f"link set u{link} addrgenmode none up")
        self.server.ip(f"link set l{link} addrgenmode none up")
        length, nodad = LENGTH[self.version], " nodad" * (self.version == 6)
        self.server.ip(f"addr add {self.address(link, 1)}/{length} dev l{link}{nodad}")
        for side, device in ((self.host, f"u{link}"), (self.server, f"l{link}")):
            shape = f"tc qdisc add dev {device} root tbf rate {RATE} burst 16k limit 100k"
            run(side.command(*shape.split()), check=True)

    def narrow(self, link):
        """The link carries smaller packets than others, as those of modems and tunnels do."""
        self.host.ip(f"link set u{link} mtu {NARROW}")
        self.server.ip(f"link set l{link} mtu {NARROW}")

    def gain(self, link, number=2, nodad=""):
        """The interface gets an address, and the way to the server, as from DHCP or a router."""
        self.host.ip(
            f"addr add {self.address(link, number)}/{LENGTH[self.version]} dev u{link}{nodad}",
            f"route replace default via {self.address(link, 1)} dev u{link} metric {link}",
        )

    def lose(self, link, number=2):
        """The interface loses its address, as at the end of a lease."""
        self.host.ip(f"addr del {self.address(link, number)}/{LENGTH[self.version]} dev u{link}")

    def lose_server(self, link):
        """The server loses its address on a link."""
        self.server.ip(f"addr del {self.address(link, 1)}/{LENGTH[self.version]} dev l{link}")

    def gain_server(self, link):
        """It has it again."""
        self.server.ip(f"addr add {self.address(link, 1)}/{LENGTH[self.version]} dev l{link}")

    def switch_off(self, link):
        """The interface goes down."""
        self.host.ip(f"link set u{link} down")

    def pull(self, link):
        """The other end of the cable is pulled out: the interface has no carrier."""
        self.server.ip(f"link set l{link} down")

    def address(self, link, number):
        """The server's address on a link is number 1, the traveller's number 2 or more."""
        return f"192.168.{link}.{number}" if self.version == 4 else f"fd80:{link}::{number}"

    def arrived(self, link):
        """The number of bytes that the server has received by a link so far."""
        for line in Path(f"/proc/{self.server.holder.pid}/net/dev").read_text().splitlines():
            name, _, counters = line.partition(":")
            if name.strip() == f"l{link}":
                return int(counters.split()[0])
        return 0

    def close(self):
        """Takes all of it away."""
        self.host.close()
        self.server.close()
