"""The runs of the comparison: the networks, the systems and the buffers of each part."""

from dataclasses import dataclass

from emulated import Emulated, down, link, traced
from links import Shaped
from measure import Job
from messages import Messages
from systems import kernel

KIB, MIB = 1 << 10, 1 << 20

UNEVEN = Shaped((50, 10))
SHAPED = [Shaped((50, 50)), UNEVEN, Shaped((50, 10, 10)), Shaped((50, 50, 10, 10))]
OWN = "Buffers as each system chooses them"
BUFFERS = {
    "Buffers of 1 MiB": MIB,
    "Buffers of 128 KiB": 128 * KIB,
    OWN: 0,
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
        """The measurements that it needs."""
        return [self.together, *self.alone]


def row(network, system, alone, buffer, seconds):
    """One row."""
    paths = tuple(Job(path, alone, buffer, seconds) for path in network.each())
    return Row(Job(network, system, buffer, seconds), paths)


def rows_of(networks, systems, buffer, seconds):
    """A row for each of the systems on each network."""
    return [row(network, *pair, buffer, seconds) for network in networks for pair in systems]


def compared(programs):
    """The systems, each with what it is on one path: what ours does with several changes nothing there."""
    systems = [kernel("cubic"), kernel("bbr"), *programs.usrsctp, programs.ours]
    others = [programs.by_round_trip, programs.before]
    return [*((system, system) for system in systems), *((other, programs.ours) for other in others)]


def shaped(programs, seconds):
    """Paths of unlike rates whose queues are all their delay: each table's title and rows, by buffers."""
    tables = {}
    for title, buffer in BUFFERS.items():
        tables[title] = rows_of(SHAPED, compared(programs), buffer, seconds or 4.0)
    return tables


def emulated(programs, seconds):
    """Links with delays, losses, an outage and a mobile trace, where each system chooses its buffers."""
    seconds = seconds or 8.0
    near = distant(1)
    networks = [Emulated(f"20+20, round trips 1:{ratio}", (near, distant(ratio))) for ratio in (1, 2, 4, 8)]
    for percent in (0.1, 1, 3):
        lossy = link(f"20, 20 ms, {percent} % lost", 20, delay='"10 ms"', loss=percent / 100)
        networks.append(Emulated(f"20+20, {percent} % lost on both", (lossy, lossy)))
    networks.append(Emulated("20+20, the second down for a fifth of the time", (near, down(near, seconds))))
    networks.append(
        Emulated("20 beside a mobile trace", (near, traced("a mobile trace, 50 ms", delay='"25 ms"')))
    )
    return {OWN: rows_of(networks, compared(programs), 0, seconds)}


def distant(ratio):
    """A link whose round trip is a multiple of 20 ms."""
    return link(f"20, {20 * ratio} ms", 20, delay=f'"{10 * ratio} ms"')


def latency(programs, seconds):
    """Messages at 70 % of what two unlike links carry together, and one of the links cut."""
    seconds = seconds or 8.0
    return {
        f"{RATE / 1e6:g} Mbit/s in messages of {MESSAGE:,} B over {UNEVEN.name} Mbit/s": [
            Row(Job(UNEVEN, system, MIB, seconds, Messages(RATE, MESSAGE, cut, CUT_AT * seconds)), ())
            for cut in (0, 1, 2)
            for system in (kernel("cubic"), programs.ours, programs.by_round_trip)
        ]
    }


def distinct(tables):
    """The jobs of some tables, each once, in their order."""
    return list(dict.fromkeys(job for rows in tables.values() for row in rows for job in row.jobs()))


PARTS = {"shaped": shaped, "emulated": emulated, "latency": latency}
"""The parts that can be measured alone, each a part of the page."""
