"""The truth of a network: what an examination of it should find."""

from dataclasses import dataclass

PACKET = 1500
"""Bytes of a full IP packet."""

SMALL = 112
"""Bytes of the IP packets that measure round trips: IPv4, UDP, sealing, SCTP, and a body of 32 bytes."""


@dataclass(frozen=True)
class Way:
    """One direction of a link, in bits a second of full IP packets, and in seconds."""

    rate: float
    delay: float
    queue: float
    """The time that a full queue takes to drain."""
    loss: float = 0.0
    """The share of packets lost by chance."""
    run: float = 0.0
    """The mean time of a run of losses in seconds; 0 for single ones."""

    @property
    def packets(self):
        """The queue in full packets."""
        return max(1, round(self.queue * self.rate / 8 / PACKET))

    @property
    def losses(self):
        """The loss rule as a scenario has it."""
        if not self.run:
            return f"{self.loss:.6f}"
        good = self.run * (1 - self.loss) / self.loss
        times = f'good = "{1e3 * good:.3f} ms", bad = "{1e3 * self.run:.3f} ms"'
        return f'{{ kind = "gilbert-elliott", {times}, loss_good = 0.0, loss_bad = 1.0 }}'

    def __str__(self):
        runs = f" in runs of {1e3 * self.run:.0f} ms" if self.run else ""
        return (
            f"{self.rate / 1e6:.2f} Mbit/s, {1e3 * self.delay:.1f} ms, "
            f"queue {1e3 * self.queue:.0f} ms, loss {self.loss:.2%}{runs}"
        )


@dataclass(frozen=True)
class Link:
    """Both directions; ``forward`` is from the end that examines."""

    forward: Way
    reverse: Way

    @property
    def ways(self):
        """Each direction with its name in the document."""
        return [("forward", self.forward), ("reverse", self.reverse)]

    @property
    def delay(self):
        """The round trip of propagation alone."""
        return self.forward.delay + self.reverse.delay

    @property
    def sending(self):
        """The time for which a small packet and its answer are sent over a link that sends bit by bit."""
        return sum(8 * SMALL / way.rate for _, way in self.ways)
