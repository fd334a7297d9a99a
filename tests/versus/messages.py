"""Messages at an even rate, perhaps with a cut of a path: how late they are delivered.

A message counts from when it was due to be sent, whether or not the transport took it then; both ends read
the same clock.
"""

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

SETTLED = 2.0
"""Seconds after the first message that are left out: all paths are open then, and the start is over."""


@dataclass(frozen=True)
class Messages:
    """Messages of a length in bytes at a rate in bit/s; at some second a path is cut, or never (0)."""

    rate: int
    message: int
    cut: int = 0
    cut_at: float = 0.0

    @property
    def name(self):
        """The event, in words."""
        return f"path {self.cut} is cut" if self.cut else "nothing happens"

    @contextmanager
    def happens(self, hosts):
        """Cuts the path when it is time, unless the run is over before."""
        timer = threading.Timer(self.cut_at, hosts.cut, [self.cut])
        if self.cut:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()


@dataclass(frozen=True)
class Delays:
    """The delays of the messages of one run."""

    sorted: tuple[int, ...]
    """From due to delivered, µs."""
    stall: int
    """The longest time between two deliveries, µs."""
    missing: int
    """The number of messages that never arrived."""

    def percentile(self, percent):
        """In ms."""
        index = min(len(self.sorted) - 1, int(len(self.sorted) * percent / 100))
        return self.sorted[index] / 1000


def delays(document, seconds, messages):
    """The delays of a receiver's document, once all is settled."""
    pairs = zip(document["due"], document["arrived"], strict=True)
    pairs = [(due, arrived) for due, arrived in pairs if due >= 1e6 * SETTLED]
    missing = int(messages.rate * seconds / 8 / messages.message) - len(document["due"])
    times = sorted(arrived for _, arrived in pairs)
    gaps = (later - earlier for earlier, later in pairwise(times))
    late = tuple(sorted(arrived - due for due, arrived in pairs))
    if not late:
        raise ValueError("no message arrived once all was settled")
    return Delays(late, max(gaps, default=0), missing)
