"""Two hosts with the simulator's links between them, made by ``anabranch emulate SCENARIO -- COMMAND``."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen

import mobile
from failed import Failed
from interop.network import Namespace

PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", "target")).resolve() / "debug/anabranch"

QUEUE = '"100 packets"'
"""Of every link: 60 ms at 20 Mbit/s."""


SEED = 7
"""Of the trace and of what is lost."""


@dataclass(frozen=True)
class Link:
    """A path: its name, its mean rate in Mbit/s, and its table in the scenario, with {name} for its own."""

    name: str
    megabits: float
    table: str


def link(name, rate, **keys):
    """A link of a fixed rate in Mbit/s; keys and their values are as a scenario has them."""
    return Link(name, rate, table(rate=f'"{rate} Mbit/s"', **keys))


def traced(name, **keys):
    """A link whose rate is that of the mobile trace."""
    return Link(name, mobile.mean(SEED), table(rate='{{ trace = "mobile" }}', **keys))


def table(**keys):
    """A link's table."""
    lines = [f"{key} = {value}" for key, value in {"queue": QUEUE, **keys}.items()]
    return "\n".join(["[[link]]", 'name = "{name}"', *lines, ""])


def down(link, seconds):
    """The same link, which carries nothing in the middle fifth of that many seconds."""
    events = [(0.4 * seconds, "down"), (0.6 * seconds, "up")]
    tables = [f'[[event]]\nat = "{at:g} s"\nlink = "{{name}}"\nstate = "{state}"\n' for at, state in events]
    table = "\n".join([link.table, *tables])
    return Link(f"{link.name}, down for a fifth of the time", 0.8 * link.megabits, table)


@dataclass(frozen=True)
class Emulated:
    """Links with delay, losses and whatever else a scenario may say."""

    name: str
    links: tuple[Link, ...]
    header = 0
    """Bytes that such a link counts beside an IP packet: none."""

    @property
    def megabits(self):
        """The rate of all links together."""
        return sum(link.megabits for link in self.links)

    def each(self):
        """Every path alone, as a network of its own."""
        return [Emulated(link.name, (link,)) for link in self.links]

    def built(self):
        """The two hosts, for one run."""
        named = enumerate(self.links, start=1)
        return EmulatedHosts(
            [link.table.format(name=f"p{number}") for number, link in named], len(self.links)
        )


@dataclass(frozen=True)
class OneBottleneck:
    """One link that several paths cross, each behind an access link of its own that limits nothing."""

    name: str
    bottleneck: Link
    paths: int
    header = 0

    @property
    def megabits(self):
        """The rate of the link."""
        return self.bottleneck.megabits

    def built(self):
        """The two hosts, for one run."""
        access = link("access", 200, delay='"1 ms"', queue='"1000 packets"')
        numbers = range(1, self.paths + 1)
        tables = [access.table.format(name=f"access-{number}") for number in numbers]
        tables.append(self.bottleneck.table.format(name="bottleneck"))
        for number in numbers:
            tables.append(f'[[path]]\nname = "p{number}"\nlinks = ["access-{number}", "bottleneck"]\n')
        return EmulatedHosts(tables, self.paths)


class EmulatedHosts:
    """The two networks between which the links are, and the program that makes them."""

    def __init__(self, tables, paths):
        self.paths = paths
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        (folder / "mobile").write_text("\n".join(map(str, mobile.opportunities(SEED))) + "\n")
        (folder / "links.toml").write_text("\n".join([f'[run]\ntime = "1000 s"\nseed = {SEED}\n', *tables]))
        hold = ["sh", "-c", 'echo "$ANABRANCH_NEAR_NET $ANABRANCH_FAR_NET"; exec cat']
        command = [str(PROGRAM), "emulate", str(folder / "links.toml"), "--quiet", "--", *hold]
        self.program = Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
        networks = self.program.stdout.readline().split()
        if len(networks) != 2:
            raise Failed(f"emulate says {self.program.communicate()[1].strip()}")
        self.sides = self.sender, self.receiver = [Entered(network) for network in networks]

    def addresses(self, host):
        """The addresses of the sender (1) or of the receiver (2), path by path."""
        return [f"10.77.{path}.{host}" for path in range(1, self.paths + 1)]

    def close(self):
        """Ends the program, and with it the links."""
        self.program.communicate()
        self.folder.cleanup()


class SomePaths:
    """Hosts of which a transfer uses some paths alone, by their numbers."""

    def __init__(self, hosts, numbers):
        self.sides = self.sender, self.receiver = hosts.sides
        self.paths, self.numbers = len(numbers), numbers

    def addresses(self, host):
        """The addresses of the sender (1) or of the receiver (2), path by path."""
        return [f"10.77.{path}.{host}" for path in self.numbers]


class Entered(Namespace):
    """A network that another program has made."""

    def __init__(self, network):
        self.network = network

    def command(self, *words):
        """A command as it runs there."""
        return ["nsenter", f"--net={self.network}", "--", *words]

    def close(self):
        """It is not ours to end."""
