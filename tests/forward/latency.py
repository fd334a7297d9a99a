"""F2 to F4: a reader that pauses, an echo and a call beside a download, and datagrams while a link is cut."""

import json
import statistics
import time

import networks
from bond import CREDIT, PORT, Peak
from bulk import MOST
from failed import Failed
from networks import MODEMS, PLAIN, UNEVEN
from outcome import Outcome
from ways import PORTS

PAUSE = 60
FLOWS = 64

LARGE = 40_000_000
"""Bytes of the flow whose reader pauses: more than all credit of an end."""


def paused(conditions, by=PORTS):
    """Measures 63 flows while one reader pauses for a minute, beside 64 that all read."""
    size = int(min(MOST, PLAIN.megabits * 1e6 / 8 * conditions.seconds)) // FLOWS
    taken, growths = [], []
    for pause in (0, PAUSE):
        with by.bond(PLAIN) as made:
            peak = Peak(made)
            ends = json.loads(made.measured("fetch", by.way, by.to, FLOWS, size, pause, LARGE))
            growths.append(peak.growth())
            taken.append(max(ends[1:]))
    loss = taken[1] / taken[0] - 1
    laptop, server = growths[1]
    measured = (
        f"the others take {loss:+.1%} longer; the ends grow by {laptop:.0f} and {server:.0f} MB "
        f"(without a pause by {growths[0][0]:.0f} and {growths[0][1]:.0f}); every byte is right"
    )
    return Outcome(measured, loss <= 0.02 and max(laptop, server) <= CREDIT)


def echo(conditions, by=PORTS):
    """Measures the round trip of 64 bytes, alone and beside a download."""
    with by.bond(UNEVEN) as made:
        link = round_trips(made, f"port:10.77.1.2:{PORT}", by.to, 3)
        alone = round_trips(made, by.way, by.to, 3)
        bulk = made.party("rate", by.way, by.to, conditions.seconds + 5)
        time.sleep(3)
        beside = round_trips(made, by.way, by.to, conditions.seconds)
        share = shared(bulk, UNEVEN)
    idle, last = statistics.median(link), beside[int((len(beside) - 1) * 0.99)]
    measured = (
        f"fast link idle {idle:.0f} ms, bond idle {statistics.median(alone):.0f}, "
        f"beside bulk median {statistics.median(beside):.0f}, p99 {last:.0f} "
        f"(+{last - idle:.0f} ms), bulk {share:.0%} of the ceiling"
    )
    return Outcome(measured, last - idle <= 15 and share >= 0.95)


def round_trips(made, way, to, seconds):
    """The round trips of 64 bytes by a way in ms, in order."""
    return sorted(map(float, made.measured("echo", way, to, seconds).split()))


def shared(bulk, network):
    """The share of the ceiling that a download had, without its first seconds and its last."""
    said, error = bulk.communicate(timeout=60)
    counts = [int(line) for line in said.split()][3:-1]
    if not counts:
        raise Failed(f"the download: {error.strip()}")
    return statistics.mean(counts) * 8 / 1e6 / networks.ceiling(network, 0)


def call(conditions, by=PORTS):
    """Measures a call, whose two streams are of RTP, beside a download."""
    with by.bond(MODEMS) as made:
        bulk = made.party("rate", by.way, by.to, conditions.seconds + 5)
        time.sleep(3)
        lost, gaps, jitters = zip(*json.loads(made.measured("call", by.udp, conditions.seconds)), strict=True)
        share = shared(bulk, MODEMS)
    measured = (
        f"up and down {lost[0]:.1%} and {lost[1]:.1%} lost, longest gap {gaps[0]:.0f} and {gaps[1]:.0f} ms, "
        f"jitter {jitters[0]:.0f} and {jitters[1]:.0f} ms at most; bulk {share:.0%} of the ceiling"
    )
    return Outcome(measured, max(lost) <= 0.01 and max(gaps) <= 150 and max(jitters) <= 30)


def datagrams(conditions, by=PORTS):
    """Measures datagrams while a link is cut for three seconds."""
    with by.bond(MODEMS) as made:
        stream = made.party("datagrams", by.udp, conditions.seconds + 6)
        time.sleep(3)
        networks.cut(made.near, "p1")
        time.sleep(3)
        made.restore("p1")
        said, error = stream.communicate(timeout=60)
    if stream.returncode != 0:
        raise Failed(error.strip())
    sent, echoed, gap = json.loads(said)
    lost = 1 - echoed / sent
    return Outcome(f"{lost:.1%} lost both ways, longest gap {gap:.0f} ms", lost <= 0.01 and gap <= 150)
