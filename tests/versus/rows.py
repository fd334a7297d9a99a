"""Which runs the comparison has: the networks, the systems and the buffers of each part.

It knows what is compared, and neither how it is measured nor how it is printed.
"""

from dataclasses import dataclass

from links import Shaped
from measure import Job
from systems import kernel, ours

KIB, MIB = 1 << 10, 1 << 20

SHAPED = [Shaped((50, 50)), Shaped((50, 10)), Shaped((50, 10, 10)), Shaped((50, 50, 10, 10))]
BUFFERS = {
    "Buffers of 1 MiB": MIB,
    "Buffers of 128 KiB": 128 * KIB,
    "Buffers as each system chooses them": 0,
}


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


def shaped(target, seconds):
    """Paths of unlike rates whose queues are all their delay: each table's title and rows, by buffers."""
    compared = [kernel("cubic"), kernel("bbr"), ours(target)]
    return {
        title: [row(network, system, buffer, seconds or 5.0) for network in SHAPED for system in compared]
        for title, buffer in BUFFERS.items()
    }


def distinct(tables):
    """The jobs of some tables, each once, in their order."""
    return list(dict.fromkeys(job for rows in tables.values() for row in rows for job in row.jobs()))


PARTS = {"shaped": shaped}
"""What can be measured by itself, each a part of the page."""
