"""One run: a transfer between two hosts, timed at the receiving application.

The machine's lateness is measured with it.
"""

import itertools
import json
import os
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from subprocess import PIPE, Popen, TimeoutExpired

from failed import Failed
from subflows import arrived, joined, prepare

PATIENCE = 90
"""Seconds after which a run has failed."""

LATE, MOST_LATE = 0.010, 0.01
"""Seconds, and the share of a thread's wake-ups that may be so late: with more, a run is void."""

TOO_LATE = 0.1
"""The largest allowed lateness, in seconds."""


@dataclass(frozen=True)
class Job:
    """A measurement: a system on a network, with buffers of that many bytes (0: its own choice)."""

    network: object
    system: object
    buffer: int
    seconds: float
    traffic: object = None
    """Without it, as much as goes."""

    @property
    def name(self):
        """In words, for those who wait."""
        buffer = f"{self.buffer // 1024} KiB" if self.buffer else "own buffers"
        traffic = [self.traffic.name] if self.traffic else []
        return ", ".join([self.network.name, buffer, self.system.name, *traffic])


@dataclass(frozen=True)
class Result:
    """The result of a run."""

    document: dict
    """The document of the receiving program."""
    carried: tuple[int, ...]
    """Bytes that arrived by each path, headers included."""
    lateness: float
    """The share of wake-ups that came late."""
    latest: float
    """The latest of them, seconds."""

    @property
    def megabits(self):
        """User data at the receiving application, Mbit/s."""
        return self.document["bytes"] * 8e-6 / self.document["seconds"]

    @property
    def is_void(self):
        """True if the machine was too busy for this to say anything."""
        return self.lateness > MOST_LATE or self.latest > TOO_LATE

    def __str__(self):
        return (
            f"{self.megabits:.1f} Mbit/s"
            if "bytes" in self.document
            else f"{len(self.document['due'])} messages"
        )

    def shares(self):
        """The share of each path in the bytes, in percent."""
        return [100 * path / sum(self.carried) for path in self.carried]


class Lateness:
    """A thread that sleeps 5 ms again and again, and notes how often it wakes late."""

    def __init__(self):
        self.is_over, self.late, self.count, self.latest = threading.Event(), 0, 0, 0.0
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        """Until it is over."""
        while not self.is_over.is_set():
            before = time.monotonic()
            time.sleep(0.005)
            late = time.monotonic() - before - 0.005
            self.late += late > LATE
            self.count += 1
            self.latest = max(self.latest, late)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    @property
    def share(self):
        """The share of the wake-ups that were late."""
        return self.late / max(1, self.count)


def run(job):
    """Runs a job in a network of its own."""
    hosts = job.network.built()
    try:
        if hosts.paths > 1 and job.system.is_kernel:
            prepare(hosts)
        return transfer(job, hosts)
    finally:
        hosts.close()


def transfer(job, hosts):
    """Starts both ends and waits for what the receiver prints."""
    words = {"buffer": job.buffer, "seconds": job.seconds}
    if job.traffic is not None:
        words |= {"rate": job.traffic.rate, "message": job.traffic.message}
    local, remote = (",".join(hosts.addresses(host)) for host in (1, 2))
    with ExitStack() as ends:
        receiving = job.system.command("receive", hosts.paths, local=remote, **words)
        receiver = ends.enter_context(started(hosts.receiver, receiving))
        if receiver.stdout.readline().strip() != "ready":
            raise Failed(f"{job.system.name}: the receiver says {receiver.stderr.read().strip()}")
        before = arrived(hosts)
        sending = job.system.command("send", hosts.paths, local=local, remote=remote, **words)
        sender = ends.enter_context(started(hosts.sender, sending))
        lateness = ends.enter_context(Lateness())
        if job.traffic is not None:
            ends.enter_context(job.traffic.happens(hosts))
        document = document_of(job, receiver, sender)
        carried = tuple(after - first for after, first in zip(arrived(hosts), before, strict=True))
        if job.system.is_kernel and joined(hosts) != hosts.paths - 1:
            raise Failed(f"{job.system.name}: Multipath TCP uses {joined(hosts) + 1} of {hosts.paths} paths")
    return Result(document, carried, lateness.share, lateness.latest)


def document_of(job, receiver, sender):
    """The document that the receiver prints at its end; without one, a sender that failed is the reason."""
    with suppress(TimeoutExpired):
        said, complaint = receiver.communicate(timeout=PATIENCE)
        if receiver.returncode == 0:
            return json.loads(said)
        raise Failed(f"{job.system.name}: the receiver ended with {receiver.returncode}: {complaint.strip()}")
    if sender.poll():
        raise Failed(f"{job.system.name}: the sender ended with {sender.returncode}: {sender.stderr.read()}")
    raise Failed(f"{job.system.name}: not done after {PATIENCE} s")


@contextmanager
def started(side, command):
    """A program on one side, which is ended if it has not."""
    process = Popen(side.command(*command), stdout=PIPE, stderr=PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def urgent():
    """Gives this program and those that it starts a priority above that of others, where that is allowed."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -12)


def measured(job, tries=3):
    """The result of a job, run again where it is void or failed, or None; and what went wrong."""
    complaints = []
    for number in itertools.count(1):
        try:
            result = run(job)
        except Failed as failed:
            complaints.append(str(failed))
            if number == tries:
                return None, complaints
            continue
        if not result.is_void or number == tries:
            return result, complaints
        late = f"{result.lateness:.1%} of wake-ups were late, one by {1000 * result.latest:.0f} ms"
        complaints.append(f"{job.system.name}: void, {late}")
