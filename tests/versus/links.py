"""Two hosts with one pair of interfaces a path between them, each end shaped by the kernel's token bucket.

The first host sends, the second receives; path i has the addresses 10.77.i.1 and 10.77.i.2.
"""

import subprocess
from dataclasses import dataclass

from interop.network import Namespace, unshare
from refusal import Forbidden

SHAPE = "burst 16k limit 100k"
"""Of the token buckets: 100 KiB wait at most, 16 ms at 50 Mbit/s."""

NOBODY = "02:00:00:00:00:99"
"""A hardware address that no interface has: frames to it are lost without a word to their sender."""


@dataclass(frozen=True)
class Shaped:
    """Paths of these rates in Mbit/s, without delay but what waits in their queues."""

    rates: tuple[float, ...]
    header = 14
    """Bytes that the bucket counts beside an IP packet: Ethernet's."""

    @property
    def name(self):
        """As people write it."""
        return "+".join(f"{rate:g}" for rate in self.rates)

    @property
    def megabits(self):
        """The rate of all links together."""
        return sum(self.rates)

    def each(self):
        """Every path alone, as a network of its own."""
        return [Shaped((rate,)) for rate in self.rates]

    def built(self):
        """The two hosts, for one run: nothing that the kernel remembers of one is left for the next."""
        return Hosts(self.rates)


def refusal():
    """Why such paths cannot be made here, or None."""
    cable = "ip link add p1 type veth peer name p2"
    line = f"{cable} && tc qdisc add dev p1 root tbf rate 8mbit {SHAPE} && ip mptcp limits show"
    tried = subprocess.run([*unshare(), "sh", "-c", line], capture_output=True, text=True, check=False)
    if tried.returncode == 0:
        return None
    refused = f"shaped interfaces are refused: {tried.stderr.strip()}"
    # 127 is the shell's status for a program that is not there.
    return refused if tried.returncode == 127 else Forbidden(refused)


class Hosts:
    """Two namespaces and their paths."""

    def __init__(self, rates):
        self.sender, self.receiver = Namespace(), Namespace()
        self.sides = (self.sender, self.receiver)
        self.paths = len(rates)
        for number, rate in enumerate(rates, start=1):
            self.connect(number, rate)

    def connect(self, path, rate):
        """A cable between the two."""
        far = f"/proc/{self.receiver.holder.pid}/ns/net"
        self.sender.ip(f"link add p{path} type veth peer name p{path} netns {far}")
        for number, side in enumerate(self.sides, start=1):
            address = f"addr add 10.77.{path}.{number}/24 dev p{path}"
            side.ip("link set lo up", f"link set p{path} addrgenmode none up", address)
            shape = f"tc qdisc add dev p{path} root tbf rate {rate}mbit {SHAPE}"
            subprocess.run(side.command(*shape.split()), check=True)

    def addresses(self, host):
        """The addresses of the sender (1) or of the receiver (2), path by path."""
        return [f"10.77.{path}.{host}" for path in range(1, self.paths + 1)]

    def cut(self, path):
        """From now on nothing that is sent on this path arrives, both ways; neither host is told."""
        for number, side in enumerate(self.sides, start=1):
            neighbour = f"10.77.{path}.{3 - number}"
            side.ip(f"neigh replace {neighbour} lladdr {NOBODY} dev p{path} nud permanent")

    def close(self):
        """Takes both away."""
        for side in self.sides:
            side.close()
