"""What a row says, and the conditions under which it is measured."""

from dataclasses import dataclass

MOST = 240
"""Characters of a cell."""

COLUMNS = ["", "measured", "bench", "MPTCP", "TCP on each", "goal"]


@dataclass(frozen=True)
class Conditions:
    """The durations of the rows."""

    seconds: float
    """Of each measurement."""
    stopped: float
    """For which the laptop's program is stopped."""
    chaos: float
    at_once: int
    """Of ten thousand connections."""
    seed: int


@dataclass(frozen=True)
class Outcome:
    """The cells of a row; rates are in Mbit/s."""

    measured: str
    is_met: bool | None = None
    """Whether the goal was met, where the row can say."""
    bench: float | None = None
    mptcp: float | None = None
    tcp: tuple[float, ...] = ()
    """Of each link alone."""

    def line(self, name, goal):
        """The row of the table."""
        rates = ["" if rate is None else f"{rate:.1f}" for rate in (self.bench, self.mptcp)]
        rates.append(", ".join(f"{rate:.1f}" for rate in self.tcp))
        missed = ": missed" if self.is_met is False else ""
        # What a program said may have lines and columns of its own.
        measured = " ".join(self.measured.replace("|", "/").split())
        return f"| {' | '.join([name, measured[:MOST], *rates, goal + missed])} |"


def heading():
    """The first lines of the table."""
    return [f"| {' | '.join(COLUMNS)} |", "|---|---|--:|--:|--:|---|"]
