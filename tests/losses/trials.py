"""The measurement of one run: a transfer with its round trips, or two transfers that share a link."""

import itertools
import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from emulated import SomePaths
from failed import Failed
from measure import Lateness, Result, document_of, started
from subflows import arrived, joined, prepare

ECHO = Path(__file__).with_name("echo.py")
BASE = 20.0
"""The round trip without queues, ms."""


@dataclass(frozen=True)
class Measured(Result):
    """A transfer, and what its queues cost."""

    waits: tuple[float, ...] = ()
    """The excess of round trips over those without queues, ms."""

    def waited(self, percent):
        """So many percent of the round trips took no longer."""
        return quantiles(self.waits, n=100)[percent - 1] if len(self.waits) > 1 else 0.0


@dataclass(frozen=True)
class Shared:
    """Two transfers over the same link."""

    megabits: tuple[float, float]
    lateness: float
    latest: float

    @property
    def share(self):
        """The share of the first, in percent."""
        return 100 * self.megabits[0] / sum(self.megabits)

    is_void = Result.is_void

    def __str__(self):
        return f"{self.share:.0f} %, {self.megabits[0]:.1f} and {self.megabits[1]:.1f} Mbit/s"


@dataclass(frozen=True)
class Trial:
    """A way to run something between two hosts, again where the machine was too busy."""

    network: object
    system: object
    seconds: float

    @property
    def name(self):
        """In words, for those who wait."""
        return f"{self.network.name}, {self.system.name}"

    def measured(self, tries):
        """The result, or None; and what went wrong."""
        complaints = []
        for number in itertools.count(1):
            hosts = self.network.built()
            try:
                result = self.run(hosts)
            except Failed as failed:
                complaints.append(str(failed))
                if number == tries:
                    return None, complaints
                continue
            finally:
                hosts.close()
            if not result.is_void or number == tries:
                return result, complaints
            complaints.append(f"{self.name}: void, {result.lateness:.1%} of wake-ups were late")

    def words(self, **more):
        """The words for both programs of a transfer."""
        return {"buffer": 0, "seconds": self.seconds, **more}


@dataclass(frozen=True)
class Alone(Trial):
    """One transfer, with the round trips beside it."""

    def run(self, hosts):
        """Runs it."""
        allow_marks(hosts)
        if hosts.paths > 1 and self.system.is_kernel:
            prepare(hosts)
        local, remote = hosts.addresses(1), hosts.addresses(2)
        ask = [sys.executable, str(ECHO), "ask", local[0], remote[0], str(self.seconds)]
        with ExitStack() as ends:
            begin(ends, hosts.receiver, [sys.executable, str(ECHO), "answer", remote[0]])
            receiver, sender = transfer(ends, hosts, self.system, self.words())
            before = arrived(hosts)
            asking = ends.enter_context(started(hosts.sender, ask))
            lateness = ends.enter_context(Lateness())
            document = document_of(self, receiver, sender)
            times, complaint = asking.communicate(timeout=30)
            if asking.returncode != 0:
                raise Failed(f"echo.py: {complaint.strip()}")
            carried = tuple(after - first for after, first in zip(arrived(hosts), before, strict=True))
            if self.system.is_kernel and joined(hosts) != hosts.paths - 1:
                raise Failed(f"{self.name}: Multipath TCP uses {joined(hosts) + 1} of {hosts.paths} paths")
        waits = tuple(time / 1000 - BASE for time in json.loads(times))
        return Measured(document, carried, lateness.share, lateness.latest, waits)


@dataclass(frozen=True)
class Beside(Trial):
    """A transfer beside another over the same link, both from the beginning."""

    other: object

    @property
    def name(self):
        """In words, for those who wait."""
        return f"{self.network.name}, {self.system.name} beside {self.other.name}"

    def run(self, hosts):
        """Runs both."""
        allow_marks(hosts)
        return self.contest(hosts, hosts)

    def contest(self, hosts, others):
        """The goodput of both, each over its paths."""
        with ExitStack() as ends:
            first = transfer(ends, hosts, self.system, self.words(), waits=True)
            second = transfer(ends, others, self.other, self.words(port=9900), waits=True)
            pairs = [
                (receiver, ends.enter_context(started(*sending))) for receiver, sending in (first, second)
            ]
            lateness = ends.enter_context(Lateness())
            documents = [document_of(self, *pair) for pair in pairs]
        rates = tuple(settled(document) for document in documents)
        return Shared(rates, lateness.share, lateness.latest)


@dataclass(frozen=True)
class TwoBeside(Beside):
    """A transfer over two paths beside another over a third, all through one link."""

    def run(self, hosts):
        """Runs both."""
        both, third = SomePaths(hosts, [1, 2]), SomePaths(hosts, [3])
        if self.system.is_kernel:
            prepare(both)
        return self.contest(both, third)


@dataclass(frozen=True)
class OneBeside(Beside):
    """A transfer over one path beside another over a third, all through one link."""

    def run(self, hosts):
        """Runs both."""
        return self.contest(SomePaths(hosts, [1]), SomePaths(hosts, [3]))


def settled(document):
    """Mbit/s in the second half: how the transfers began does not count."""
    half = document["tenths"][len(document["tenths"]) // 2 :]
    return sum(half) * 8e-5 / len(half)


def transfer(ends, hosts, system, words, waits=False):
    """The receiver, which is ready, and the sender: at work, or how to start it."""
    local, remote = (",".join(hosts.addresses(host)) for host in (1, 2))
    receiving = system.command("receive", hosts.paths, local=remote, **words)
    receiver = begin(ends, hosts.receiver, receiving)
    sending = system.command("send", hosts.paths, local=local, remote=remote, **words)
    sender = (hosts.sender, sending)
    return receiver, sender if waits else ends.enter_context(started(*sender))


def begin(ends, side, command):
    """A program that says when it is ready."""
    process = ends.enter_context(started(side, command))
    if process.stdout.readline().strip() != "ready":
        raise Failed(f"{command[1]}: {process.stderr.read().strip()}")
    return process


def allow_marks(hosts):
    """The kernel's TCP offers and accepts ECN."""
    for side in hosts.sides:
        switch = ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn"]
        with ExitStack() as ends:
            process = ends.enter_context(started(side, switch))
            if process.wait(timeout=10) != 0:
                raise Failed(f"tcp_ecn: {process.stderr.read().strip()}")
