"""Which runs the comparison has: the networks, the systems and the buffers of each part.

It knows what is compared, and neither how it is measured nor how it is printed.
"""

from dataclasses import dataclass

from links import Shaped
from measure import Job
from messages import Messages
from systems import kernel

KIB, MIB = 1 << 10, 1 << 20

UNEVEN = Shaped((50, 10))
SHAPED = [Shaped((50, 50)), UNEVEN, Shaped((50, 10, 10)), Shaped((50, 50, 10, 10))]
BUFFERS = {
    "Buffers of 1 MiB": MIB,
    "Buffers of 128 KiB": 128 * KIB,
    "Buffers as each system chooses them": 0,
}

RATE, MESSAGE = 42_000_000, 1316
CUT_AT = 0.625
"""After this part of the messages, so that what follows is over in time on the slower path, too."""


@dataclass(frozen=True)
class Row:
    """A system over all paths of a network, and beside it itself on each of them alone."""

    together: Job
    alone: tuple[Job, ...]

    def jobs(self):
        """All that has to be measured for it."""
        return [self.together, *self.alone]


def row(network, system, buffer, seconds):
    """One row."""
    alone = tuple(Job(path, system, buffer, seconds) for path in network.each())
    return Row(Job(network, system, buffer, seconds), alone)


def shaped(programs, seconds):
    """Paths of unlike rates whose queues are all their delay: each table's title and rows, by buffers."""
    tables = {}
    for title, buffer in BUFFERS.items():
        compared = [kernel("cubic"), kernel("bbr"), *([] if buffer == 0 else programs.usrsctp), programs.ours]
        tables[title] = [
            row(network, system, buffer, seconds or 5.0) for network in SHAPED for system in compared
        ]
    return tables


def latency(programs, seconds):
    """Messages at 70 % of what two unlike links carry together, and one of the links cut."""
    seconds = seconds or 8.0
    return {
        f"{RATE / 1e6:g} Mbit/s in messages of {MESSAGE:,} B over {UNEVEN.name} Mbit/s": [
            Row(Job(UNEVEN, system, MIB, seconds, Messages(RATE, MESSAGE, cut, CUT_AT * seconds)), ())
            for cut in (0, 1, 2)
            for system in (kernel("cubic"), programs.ours)
        ]
    }


def distinct(tables):
    """The jobs of some tables, each once, in their order."""
    return list(dict.fromkeys(job for rows in tables.values() for row in rows for job in row.jobs()))


PARTS = {"shaped": shaped, "latency": latency}
"""What can be measured by itself, each a part of the page."""
