"""A few rows in some seconds, for `make test`: that the measurement works, and that ours uses both paths.

It knows what must hold on any machine, busy or not; how much it is, is for the tables.
"""

from links import ON_THE_WIRE, Shaped
from measure import Job, measured
from rows import MIB
from systems import Failed, kernel, ours

LINKS = Shaped((8, 4))
"""So slow that a busy machine keeps up."""

SECONDS = 2.0


def judge(target):
    """Measures both, and prints what is wrong; how many were."""
    failures = 0
    for system in (kernel("cubic"), ours(target)):
        try:
            print(f"ok   {system.name}: {judged(system)}", flush=True)
        except Failed as failed:
            failures += 1
            print(f"FAIL {failed}", flush=True)
    return failures


def judged(system):
    """What a system carries over two unlike paths, if that is possible and both are used."""
    result, _ = measured(Job(LINKS, system, MIB, SECONDS))
    most = LINKS.megabits * system.share(len(LINKS.rates), ON_THE_WIRE)
    told = f"{result.megabits:.2f} of at most {most:.2f} Mbit/s, by path {result.carried} B"
    # What waits in the queues when the first byte arrives comes on top: 100 KiB a path at most.
    if result.megabits > most + 8e-6 * len(LINKS.rates) * 102_400 / SECONDS:
        raise Failed(f"{system.name}: more than the links carry: {told}")
    if min(result.shares()) < 10:
        raise Failed(f"{system.name}: a path is hardly used: {told}")
    better = max(LINKS.rates) * system.share(1, ON_THE_WIRE)
    if not system.is_kernel and result.megabits < better:
        raise Failed(f"{system.name}: less than the better path carries alone, {better:.2f} Mbit/s: {told}")
    return told
