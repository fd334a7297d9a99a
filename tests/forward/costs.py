"""F6 and F7: what a backup and a link with a limit carry, and what the bond costs."""

import time

import networks
from bond import FAR, NEAR, TO, WAYS, bench, bond
from networks import EQUAL, MODEMS, PLAIN
from outcome import Outcome
from real import Session, Shell
from ways import PORTS, PROXY

CAP = 50
"""MB of the link with a limit."""


def backup(_conditions, by=PORTS):
    """Measures the traffic of a backup at rest."""
    with by.bond(MODEMS, via=("10.77.1.1", "10.77.2.1=backup")) as made:
        time.sleep(3)
        before = networks.carried(made.near, "p2")
        time.sleep(60)
        minute = networks.carried(made.near, "p2") - before
    return Outcome(f"{minute / 1000:.1f} kB in a minute", minute <= 1000)


def limited(_conditions, by=PROXY, allowed=(CAP - 0.5, CAP + 0.5)):
    """Measures where a link with a limit stops, which may be between two MB; an older session outlives it."""
    with by.bond(EQUAL, via=("10.77.1.1", f"10.77.2.1=max:{CAP}MB")) as made:
        session = by.session(made)
        session.exchange()
        carried = [0]
        while len(carried) < 9 and (len(carried) < 2 or carried[-1] - carried[-2] > 0.1):
            made.measured("fetch", by.way, by.to, 2, CAP * 500_000, 0)
            carried.append(networks.carried(made.near, "p2") / 1e6)
        session.exchange()
        session.leave()
    measured = f"max:{CAP}MB stops at {carried[-1]:.2f} MB; an older ssh and downloads go on"
    least, most = allowed
    return Outcome(measured, least <= carried[-1] <= most)


def bulk(conditions):
    """Compares the processor time of a download with that of ``bench``."""
    rate, theirs = bench(PLAIN, conditions.seconds)
    size = int(rate * 1e6 / 8 * conditions.seconds)
    with bond(PLAIN) as made:
        before = used(made)
        made.measured("fetch", WAYS["port"], TO, 1, size, 0)
        mine = sum(used(made)) - sum(before)
    times = mine / (size / 1e9) / theirs
    measured = f"{times:.2f} times bench a GB ({theirs:.1f} s)"
    return Outcome(measured, times <= 1.3)


def paced(conditions):
    """Measures the processor's share of a flow of 20 Mbit/s, and of a session at rest, and the memory."""
    seconds = max(10, conditions.seconds)
    with bond(PLAIN) as made:
        session = Session(made, Shell(made).through_port())
        session.exchange()
        time.sleep(2)
        before = used(made)
        time.sleep(10)
        idle = most(before, used(made)) / 10
        resident = max(made.resident(index) for index in (NEAR, FAR))
        before = used(made)
        made.measured("paced", WAYS["SOCKS5"], TO, 20, seconds)
        share = most(before, used(made)) / seconds
        session.leave()
    measured = f"20 Mbit/s {share:.1%} of a core; idle {idle:.1%}, {resident:.1f} MB resident"
    return Outcome(measured, share <= 0.03 and idle <= 0.003 and resident <= 10)


def used(made):
    """The processor seconds of both ends."""
    return [made.processor_seconds(index) for index in (NEAR, FAR)]


def most(before, after):
    """The larger difference."""
    return max(later - earlier for earlier, later in zip(before, after, strict=True))
