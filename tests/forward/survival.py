"""F5: sessions of ssh while all links are away, the server's addresses change, and the laptop sleeps."""

import time

import networks
from bond import NEAR
from networks import MODEMS
from outcome import Outcome
from ways import PORTS, PROXY

AWAY = 60


def away(_conditions, by=PORTS):
    """Keeps a session while every link is away for a minute."""
    with by.bond(MODEMS) as made:
        session = by.session(made)
        session.exchange()
        networks.cut(made.near, "p1", "p2")
        time.sleep(AWAY / 2)
        session.say()
        time.sleep(AWAY / 2)
        made.restore("p1", "p2")
        after = session.hear(60)
        session.exchange()
        session.leave()
    return Outcome(f"ssh lives, and goes on {after:.1f} s after the links are back", True)


def renumbered(_conditions, by=PROXY):
    """Keeps a session while each address of the server is replaced by another."""
    times = []
    with by.bond(MODEMS, has_bind=False) as made:
        session = by.session(made)
        session.exchange()
        for name in ("p1", "p2"):
            networks.give(made.far, name, 3)
            time.sleep(3)
            networks.take(made.far, name, 2)
            times.append(session.exchange(30))
            time.sleep(3)
        session.exchange(30)
        session.leave()
    return Outcome(f"ssh lives, and waits {max(times):.1f} s at most", True)


def asleep(conditions, by=PORTS):
    """Keeps a session while the laptop's program is stopped."""
    with by.bond(MODEMS) as made:
        session = by.session(made)
        session.exchange()
        made.stop(NEAR)
        session.say()
        time.sleep(conditions.stopped)
        made.go_on(NEAR)
        after = session.hear(60)
        session.exchange()
        session.leave()
    return Outcome(f"ssh lives after {conditions.stopped:.0f} s, and goes on after {after:.1f} s", True)
