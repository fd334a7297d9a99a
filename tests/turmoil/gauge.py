"""The resources of processes while they live, sampled and judged: they must not grow."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median

WARM = 1 / 6
"""The part of the time in which buffers, caches and pools may still grow."""


@dataclass(frozen=True)
class Quantity:
    """Something that is held, and by how much more its median may be in the last third than in the first."""

    name: str
    unit: str
    more: float


QUANTITIES = [
    # A socket and a pipe that happen to be open.
    Quantity("descriptors", "", 2),
    # tokio's pool for blocking work keeps threads for ten seconds.
    Quantity("threads", "", 2),
    # An association's buffer holds a megabyte or more where a link is away.
    Quantity("memory", "MB", 4),
    Quantity("tasks", "", 2),
    Quantity("associations", "", 1),
]


class Gauge:
    """The samples of one process."""

    def __init__(self, name, process, says=None):
        self.name, self.process, self.says = name, process, says
        self.samples = {quantity.name: [] for quantity in QUANTITIES}

    def sample(self):
        """Looks at it once."""
        folder = Path(f"/proc/{self.process.pid}")
        status = dict(
            line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line
        )
        self.samples["descriptors"].append(len(os.listdir(folder / "fd")))
        self.samples["threads"].append(int(status["Threads"]))
        self.samples["memory"].append(int(status["VmRSS"].split()[0]) * 1024 / 1e6)
        for name in ("tasks", "associations"):
            if self.says is not None and (last := self.last()) is not None:
                self.samples[name].append(last[name])

    def last(self):
        """The last report of the process."""
        lines = [line for line in self.says.read_text().splitlines()[-2:] if line.endswith("}")]
        return json.loads(lines[-1]) if lines else None

    def rows(self):
        """For each quantity the medians of the first and the last third, the largest, and whether it grew."""
        for quantity in QUANTITIES:
            samples = self.samples[quantity.name]
            samples = samples[int(len(samples) * WARM) :]
            third = len(samples) // 3
            if third == 0:
                continue
            first, last = median(samples[:third]), median(samples[-third:])
            yield quantity, first, last, max(samples), last > first + quantity.more
