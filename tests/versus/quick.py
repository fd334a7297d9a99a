"""A few rows in some seconds, for `make test`: that the measurement works, and that ours uses both paths."""

from failed import Failed
from links import Shaped
from measure import Job, measured
from rows import MIB
from systems import kernel

LINKS = Shaped((8, 4))
"""So slow that a busy machine keeps up."""

SECONDS = 2.0


def judge(ours):
    """Measures both, and prints what is wrong; how many were."""
    failures = 0
    for system in (kernel("cubic"), ours):
        try:
            print(f"ok   {system.name}: {judged(system)}", flush=True)
        except Failed as failed:
            failures += 1
            print(f"FAIL {failed}", flush=True)
    return failures


def judged(system):
    """The goodput of a system over two unlike paths, if that is possible and both are used."""
    result, complaints = measured(Job(LINKS, system, MIB, SECONDS))
    if result is None:
        raise Failed(complaints[-1])
    most = system.ceiling(LINKS)
    told = f"{result.megabits:.2f} of at most {most:.2f} Mbit/s, by path {result.carried} B"
    # What waits in the queues when the first byte arrives comes on top: 100 KiB a path at most.
    if result.megabits > most + 8e-6 * len(LINKS.rates) * 102_400 / SECONDS:
        raise Failed(f"{system.name}: more than the links carry: {told}")
    if min(result.shares()) < 10:
        raise Failed(f"{system.name}: a path is hardly used: {told}")
    better = max(system.ceiling(path) for path in LINKS.each())
    if not system.is_kernel and result.megabits < better:
        raise Failed(f"{system.name}: less than the better path carries alone, {better:.2f} Mbit/s: {told}")
    return told
