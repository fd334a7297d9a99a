"""Counts of what was right, and the lines of the table."""

import sys
from dataclasses import dataclass, field

MOST = 240
"""Characters of a cell."""


@dataclass
class Tally:
    """How many of how many were right; each miss is printed as it comes."""

    right: int = 0
    all: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, is_right, where, words):
        """Counts one."""
        self.right += bool(is_right)
        self.all += 1
        if not is_right:
            self.misses.append(f"{where}: {words}")
            print(f"miss {where}: {words}", file=sys.stderr, flush=True)

    @property
    def share(self):
        """The part that was right."""
        return self.right / self.all if self.all else 0.0

    def row(self, name, goal, least, more=""):
        """A line of the table."""
        missed = "" if self.share >= least else ": missed"
        counts = f"{self.right} of {self.all} ({self.share:.0%}){more}"
        return row(name, counts, goal + missed) if self.all else row(name, "not measured", goal)


def row(*cells):
    """A line of the table; what a program said may have lines and columns of its own."""
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split())[:MOST] for cell in cells)} |"


HEADING = [row("test", "measured", "goal"), "|---|---|---|"]
