"""The plan of one transfer: its content, its links, and its events, drawn from a seed and a number.

The same seed and number give the same plan on every machine, so that a transfer that failed can be looked at
again.
"""

import random
from dataclasses import dataclass

from turmoil.meddling import PART_KINDS
from turmoil.streams import Streams, draw_streams

RATES = [5, 8, 10, 20, 30, 50]
"""Mbit/s of a link, both ways."""

QUEUES = [64, 128, 256]
"""KiB that wait before a link."""

SECONDS = (1.0, 2.5)
"""A transfer takes about so long where nothing happens."""

PATH_KINDS = [
    "interface down",
    "no carrier",
    "silent there",
    "silent back",
    "silent both ways",
    "slow",
    "address away",
    "renumbered",
    "interface replaced",
    "server's address away",
]
"""The events of one path."""

PROCESS_KINDS = [
    "sender killed",
    "receiver killed",
    "both killed",
    "sender stopped",
    "receiver stopped",
    "both stopped",
    "sender interrupted",
    "receiver interrupted",
]
"""The events of the programs."""

ALL_KINDS = "all paths silent"

OUTAGES = (0.5, 10.0)
"""Seconds for which all paths are silent."""

KINDS = [*PATH_KINDS, *PROCESS_KINDS, ALL_KINDS, *PART_KINDS]


@dataclass(frozen=True)
class Event:
    """Something that begins and ends, in seconds since the first sender was started."""

    what: str
    path: int | None
    begins: float
    ends: float

    def __str__(self):
        where = "" if self.path is None else f" on path {self.path + 1}"
        return f"{self.what}{where} {self.begins:.2f}-{self.ends:.2f} s"


@dataclass(frozen=True)
class Entry:
    """A file, or a directory where there is no size."""

    path: str
    size: int | None
    mode: int
    modified: int


@dataclass(frozen=True)
class Plan:
    """One transfer."""

    seed: int
    number: int
    version: int
    is_sealed: bool
    has_one_address: bool
    rates: tuple
    queue: int
    roots: tuple
    entries: tuple
    events: tuple
    sender: Streams
    receiver: Streams

    @property
    def files(self):
        """The entries that have content."""
        return [entry for entry in self.entries if entry.size is not None]

    @property
    def size(self):
        """Bytes of all files."""
        return sum(entry.size for entry in self.files)

    @property
    def least_seconds(self):
        """The time that the links alone take for it."""
        return self.size * 8 / (1e6 * sum(self.rates))

    def is_alone(self, event, seconds):
        """True if nothing else happens from so many seconds before this event until so many after it."""
        others = (other for other in self.events if other is not event)
        return all(
            other.ends + seconds < event.begins or event.ends + seconds < other.begins for other in others
        )

    @property
    def ends(self):
        """When the last event is over."""
        return max(event.ends for event in self.events)

    def __str__(self):
        links = "+".join(str(rate) for rate in self.rates)
        manner = ", ".join(
            [
                f"{links} Mbit/s",
                f"{self.queue} KiB of queue",
                f"IPv{self.version}",
                "sealed" if self.is_sealed else "plain",
                "one address at the server" if self.has_one_address else "an address a link",
                f"{len(self.files)} file{'s' * (len(self.files) != 1)} of {self.size / 1e6:.1f} MB",
            ]
        )
        events = [str(event) for event in self.events]
        for name, streams in (("sender", self.sender), ("receiver", self.receiver)):
            events += [f"{name}'s {streams}"] * (streams != Streams())
        return f"{manner}; " + ", ".join(events)


def draw(seed, number):
    """The plan of this number."""
    chance = random.Random(f"{seed}/{number}")
    rates = tuple(chance.choice(RATES) for _ in range(chance.choice([2, 2, 3])))
    has_one_address = chance.random() < 0.5
    seconds = chance.uniform(*SECONDS)
    sender, receiver = draw_streams(seed, number)
    roots, entries = draw_entries(chance, int(seconds * sum(rates) * 1e6 / 8))
    return Plan(
        seed=seed,
        number=number,
        version=chance.choice([4, 4, 4, 6]),
        is_sealed=chance.random() < 0.8,
        has_one_address=has_one_address,
        rates=rates,
        queue=chance.choice(QUEUES),
        roots=roots,
        entries=entries,
        events=draw_events(chance, number, len(rates), has_one_address, seconds),
        sender=sender,
        receiver=receiver,
    )


def draw_events(chance, number, paths, has_one_address, seconds):
    """One to four events; each kind comes first in one of as many plans as there are kinds.

    Events of one path, or of the programs, do not overlap in time: the end of one is the end of that.
    """
    kinds = [KINDS[number % len(KINDS)], *chance.choices(KINDS, k=chance.randint(0, 3))]
    free, events = {}, []
    for kind in kinds:
        if kind == "server's address away" and has_one_address:
            kind = "address away"
        path = chance.randrange(paths) if kind in PATH_KINDS else None
        subjects = range(paths) if kind == ALL_KINDS else [path]
        earliest = max(free.get(subject, 0.0) for subject in subjects)
        begins = earliest + chance.uniform(0.1, 0.8 * seconds)
        ends = begins + (draw_outage(chance) if kind == ALL_KINDS else chance.uniform(0.1, 2.0))
        free.update((subject, ends + 0.1) for subject in subjects)
        events.append(Event(kind, path, begins, ends))
    return tuple(sorted(events, key=lambda event: event.begins))


def draw_outage(chance):
    """The seconds of an outage of all paths: as many of half a second to two as of two to ten."""
    shortest, longest = OUTAGES
    return shortest * (longest / shortest) ** chance.random()


def draw_entries(chance, size):
    """A file, several, or a tree of them, and the names to give to the sender."""
    match chance.choice(["file", "files", "tree"]):
        case "file":
            names, directories, roots = ["a file"], [], ("a file",)
        case "files":
            names = [f"file {index}" for index in range(chance.randint(2, 5))]
            directories, roots = [], tuple(names)
        case _:
            directories = ["tree", "tree/empty", "tree/inner", "tree/inner/deep"]
            folders = chance.choices(["tree", "tree/inner", "tree/inner/deep"], k=chance.randint(5, 40))
            names = [f"{folder}/{index}" for index, folder in enumerate(folders)]
            roots = ("tree",)
    # Most of the bytes are in a few files, as with people's.
    shares = [chance.random() ** 3 for _ in names]
    sizes = [int(size * share / sum(shares)) for share in shares]
    if len(names) > 2:
        sizes[chance.randrange(len(names))] = 0
    entries = [Entry(path, None, 0o755, draw_time(chance)) for path in directories]
    entries += [
        Entry(path, size, chance.choice([0o644, 0o600, 0o755, 0o444]), draw_time(chance))
        for path, size in zip(names, sizes, strict=True)
    ]
    return roots, tuple(entries)


def draw_time(chance):
    """A moment of the past in nanoseconds."""
    return chance.randrange(1_000_000_000, 1_700_000_000) * 1_000_000_000 + chance.randrange(1_000_000_000)
