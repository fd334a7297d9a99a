"""Two hosts with two or three links between them, and every change that may happen to the links."""

from subprocess import DEVNULL, run

from interop.network import Namespace

SERVER = {4: "203.0.113.1", 6: "fd80:113::1"}
LENGTH = {4: 24, 6: 64}

NOBODY = "02:00:00:00:00:99"
"""The hardware address of no host: what is sent there arrives, and is thrown away without a word."""

SLOW = "1mbit"
"""The rate of a link that is slow for a while."""


class Crossing:
    """The near host sends, the far one receives. Links are counted from 0; each is a subnet of its own."""

    def __init__(self, version, rates, queue, has_one_address):
        self.version, self.rates, self.queue = version, rates, queue
        self.has_one_address = has_one_address
        self.numbers = [2] * len(rates)
        self.near, self.far = Namespace(), Namespace()
        self.near.ip("link set lo up")
        whole = 32 if version == 4 else 128
        self.far.ip("link set lo up", f"addr add {SERVER[version]}/{whole} dev lo")
        for link in range(len(rates)):
            self.connect(link)

    @property
    def to(self):
        """The receiver's addresses, as the sender is told."""
        if self.has_one_address:
            return SERVER[self.version]
        return ",".join(self.address(link, 1) for link in range(len(self.rates)))

    def connect(self, link):
        """A cable, with an address at each end."""
        self.near.ip(f"link add u{link} type veth peer name l{link} netns /proc/{self.far.holder.pid}/ns/net")
        self.switch_on(link)
        self.hurry(link)

    def disconnect(self, link):
        """Removes the interfaces, like a modem that is unplugged."""
        self.near.ip(f"link del u{link}")

    def switch_off(self, link):
        """The sender's interface goes down."""
        self.near.ip(f"link set u{link} down")

    def pull(self, link):
        """The other end of the cable is pulled out: the sender's interface has no carrier."""
        self.far.ip(f"link set l{link} down")

    def switch_on(self, link):
        """Both ends are up, with their addresses and the way to the server."""
        self.far.ip(f"link set l{link} addrgenmode none up")
        self.near.ip(f"link set u{link} addrgenmode none up")
        if self.version == 6:
            # Who asks for a neighbour from the address of another interface asks from this one.
            self.far.ip(f"addr replace fe80::1/64 dev l{link} nodad")
            self.near.ip(f"addr replace fe80::2/64 dev u{link} nodad")
        self.gain_far(link)
        self.gain(link)

    def gain(self, link):
        """The sender's interface gets its address, and the way to the server, as from DHCP or a router."""
        self.near.ip(
            f"addr replace {self.address(link, self.numbers[link])}/{self.suffix()} dev u{link}",
            f"route replace default via {self.address(link, 1)} dev u{link} metric {link + 1}",
        )

    def lose(self, link):
        """The sender's interface loses its address, as at the end of a lease."""
        self.near.ip(f"addr del {self.address(link, self.numbers[link])}/{LENGTH[self.version]} dev u{link}")

    def renumber(self, link):
        """The next address of the sender's interface is another."""
        self.numbers[link] += 1

    def gain_far(self, link):
        """The receiver's interface has its address."""
        self.far.ip(f"addr replace {self.address(link, 1)}/{self.suffix()} dev l{link}")

    def lose_far(self, link):
        """The receiver's interface loses its address."""
        self.far.ip(f"addr del {self.address(link, 1)}/{LENGTH[self.version]} dev l{link}")

    def silence(self, link, way):
        """Drops packets on the link in one direction ("there", "back") silently."""
        side, device, neighbour = self.seen(link, way)
        side.ip(f"neigh replace {neighbour} lladdr {NOBODY} nud permanent dev {device}")

    def hear(self, link, way):
        """Lets packets on the link in one direction arrive again."""
        side, device, neighbour = self.seen(link, way)
        # Where the interface was away meanwhile, so is what was said of its neighbours.
        command = side.command("ip", "neigh", "del", neighbour, "dev", device)
        run(command, check=False, stderr=DEVNULL)

    def slow(self, link):
        """The link becomes slow, so that what waits before it waits long."""
        self.shape(link, SLOW)

    def hurry(self, link):
        """The link is as fast as ever."""
        self.shape(link, f"{self.rates[link]}mbit")

    def address(self, link, number):
        """The receiver's address on a link is number 1, the sender's number 2 or more."""
        return f"192.168.{link + 1}.{number}" if self.version == 4 else f"fd80:{link + 1}::{number}"

    def close(self):
        """Takes all of it away."""
        self.near.close()
        self.far.close()

    def seen(self, link, way):
        """The sender on a link in one direction: the side, its device, and its destination."""
        if way == "there":
            return self.near, f"u{link}", self.address(link, 1)
        return self.far, f"l{link}", self.address(link, self.numbers[link])

    def shape(self, link, rate):
        for side, device in ((self.near, f"u{link}"), (self.far, f"l{link}")):
            shape = f"tc qdisc replace dev {device} root tbf rate {rate} burst 16k limit {self.queue}k"
            run(side.command(*shape.split()), check=True)

    def suffix(self):
        return f"{LENGTH[self.version]}" + " nodad" * (self.version == 6)
