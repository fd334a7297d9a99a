"""Where the standard streams of a program lead: to files, to nowhere, or to a reader that is slow."""

import fcntl
import os
import random
import threading
from dataclasses import dataclass

KEPT = "kept"

GONE_KINDS = ["closed", "full", "reader gone"]
"""The kinds whose output is lost."""

READ_KINDS = ["reader slow", "reader stopped"]
"""It is read late."""

STREAM_KINDS = [*GONE_KINDS, *READ_KINDS]

CAPACITY = 4096
"""Bytes that a pipe holds while it is not read: less than most results have."""

PIECE, PAUSE = 1000, 0.05
"""The piece of a slow reader, and the seconds between two pieces."""

STOPS = 2.0
"""Seconds for which the reader of a sender reads nothing; that of a receiver does so until it ends."""


@dataclass(frozen=True)
class Streams:
    """The streams of one program, by their readers."""

    out: str = KEPT
    err: str = KEPT

    @property
    def says_results(self):
        """True if standard output is read to its end, if late."""
        return self.out not in GONE_KINDS

    @property
    def says_messages(self):
        """True if every message is read. One that a reader does not take within a second is dropped."""
        return self.err in (KEPT, "reader slow")

    def __str__(self):
        kinds = (("standard output", self.out), ("standard error", self.err))
        return ", ".join(f"{name} {kind}" for name, kind in kinds if kind != KEPT)


def draw_streams(seed, number):
    """The streams of the sender and of the receiver: in half of the plans nothing is wrong with any."""
    chance = random.Random(f"{seed}/{number}/streams")
    is_wrong = chance.random() < 0.5

    def draw():
        return chance.choice(STREAM_KINDS) if is_wrong and chance.random() < 0.4 else KEPT

    return Streams(draw(), draw()), Streams(draw(), draw())


def without_closed(streams, command):
    """The command as it is started with those of its streams closed that are to be."""
    closed = [">&-"] * (streams.out == "closed") + ["2>&-"] * (streams.err == "closed")
    return ["sh", "-c", f'exec "$0" "$@" {" ".join(closed)}', *command] if closed else command


class Ends:
    """The ends of a program's streams at this side. Read data is appended to files."""

    def __init__(self, streams, out, err, stops):
        self.readers, self.given = [], []
        self.out, self.err = self.begin(streams.out, out, stops), self.begin(streams.err, err, stops)

    def begin(self, kind, path, stops):
        """The descriptor that the program gets."""
        match kind:
            case "full":
                given = os.open("/dev/full", os.O_WRONLY)
            case "reader gone" | "reader slow" | "reader stopped":
                reading, given = os.pipe()
                fcntl.fcntl(given, fcntl.F_SETPIPE_SZ, CAPACITY)
                if kind == "reader gone":
                    os.close(reading)
                else:
                    self.readers.append(Reader(reading, path, stops if kind == "reader stopped" else 0.0))
            case _:
                given = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.given.append(given)
        return given

    def are_given(self):
        """The program has its own copies now, and this side needs none."""
        for given in self.given:
            os.close(given)

    def finish(self):
        """The program has ended, so that what is left in its pipes is all."""
        for reader in self.readers:
            reader.finish()


class Reader:
    """Reads a pipe slowly, or not at all for some seconds (None: while its writer lives), and then fast."""

    def __init__(self, pipe, path, stops):
        self.pipe, self.path, self.stops = pipe, path, stops
        self.hurries = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        self.hurries.wait(self.stops)
        with self.path.open("ab", buffering=0) as file:
            while piece := os.read(self.pipe, PIECE):
                file.write(piece)
                # One that has stopped goes on as fast as it can.
                self.hurries.wait(PAUSE if self.stops == 0.0 else 0.0)
        os.close(self.pipe)

    def finish(self):
        """Reads the rest."""
        self.hurries.set()
        self.thread.join()


def is_listening(process, port):
    """True if the network of a process has a UDP socket at this port."""
    for name in ("udp", "udp6"):
        try:
            with open(f"/proc/{process.pid}/net/{name}", encoding="ascii") as file:
                lines = file.readlines()[1:]
        except OSError:
            continue
        if any(int(line.split()[1].rpartition(":")[2], 16) == port for line in lines):
            return True
    return False
