"""The systems that carry the video, and the fates of its messages."""

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from subprocess import PIPE, Popen
from typing import NamedTuple

from failed import Failed
from ours import environment
from programs import built_usrsctp

MESSAGE = 1316
DEADLINE = 150
"""Milliseconds from when a message is due."""
LIFETIMES = (0, 150, 100)
"""Milliseconds after which the sender gives a message up; 0: never."""
START = 1.0
"""Seconds from the start of the links to the first message, about."""
PATIENCE = 60
"""Seconds after the video in which a run ends."""
HEADINGS = "| system | in time, % | late, % | dropped unsent, % | dropped after sending, % |"


class Fates(NamedTuple):
    """Shares of the messages that were due, in percent."""

    in_time: float
    late: float
    unsent: float
    lost: float

    def __str__(self):
        return ", ".join(f"{name} {share:.2f} %" for name, share in zip(self._fields, self, strict=True))


@dataclass(frozen=True)
class System:
    """A way to send the video: its name, and how one run is made."""

    name: str
    run: Callable


def row(name, shares):
    """A line of the table."""
    return f"| {name} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"


def ours(target):
    """Our `bench`, with and without a lifetime, in order and as messages arrive."""
    program = str(target / "debug/anabranch")
    for lifetime in LIFETIMES:
        for order in ("", "unordered"):
            words = ["--deadline", f"{DEADLINE}ms", *(f"--{word}" for word in [order] if word)]
            words += ["--lifetime", f"{lifetime}ms"] if lifetime else []
            name = f"lifetime of {lifetime} ms" if lifetime else "no lifetime"
            yield System(
                ", ".join(["anabranch", name, order or "ordered"]),
                lambda hosts, rate, seconds, words=words: of_bench(program, words, hosts, rate, seconds),
            )


def of_bench(program, words, hosts, rate, seconds):
    """A run of `bench`, sealed, with the profile of the tools."""
    near, far = hosts.addresses(1), hosts.addresses(2)
    serve = hosts.receiver.command(
        program, "bench", "--serve", "--once", "--quiet", "--listen", ",".join(far)
    )
    with Popen(serve, stdout=PIPE, stderr=PIPE, text=True, env=environment()) as server:
        try:
            time.sleep(START / 2)
            via = [word for address in near for word in ("--via", address)]
            words = ["bench", "--to", ",".join(far), *via, "-b", str(rate), "-l", str(MESSAGE), *words]
            client = hosts.sender.command(program, *words, "-t", f"{seconds:g}", "--json")
            done = subprocess.run(
                client,
                capture_output=True,
                text=True,
                env=environment(),
                timeout=seconds + PATIENCE,
                check=False,
            )
        finally:
            server.kill()
    if done.returncode != 0:
        raise Failed(f"bench ended with {done.returncode}: {done.stderr.strip()} {done.stdout[-300:]}")
    fates = json.loads(done.stdout)["deadline"]
    unsent = fates["dropped_unsent_messages"] + fates["unsent_messages"]
    counts = fates["in_time_messages"], fates["late_messages"], unsent, fates["dropped_sent_messages"]
    return Fates(*(100 * count / fates["due_messages"] for count in counts))


def usrsctp(target):
    """usrsctp with CMT, with and without the timed policy of PR-SCTP (RFC 7496), in order and unordered."""
    program = str(built_usrsctp(target))
    for lifetime in LIFETIMES:
        for order in ("", "unordered"):
            words = [f"lifetime={lifetime}", f"unordered={int(bool(order))}"]
            name = f"lifetime of {lifetime} ms" if lifetime else "no lifetime"
            yield System(
                ", ".join(["usrsctp, CMT", name, order or "ordered"]),
                lambda hosts, rate, seconds, words=words: of_usrsctp(program, words, hosts, rate, seconds),
            )


def of_usrsctp(program, words, hosts, rate, seconds):
    """A run of our C program on usrsctp."""
    near, far = (",".join(hosts.addresses(host)) for host in (1, 2))
    words = ["cmt=1", "buffer=0", f"seconds={seconds:g}", f"rate={rate}", f"message={MESSAGE}", *words]
    words.append(f"deadline={DEADLINE}")
    receive = hosts.receiver.command(program, "receive", f"local={far}", *words)
    send = hosts.sender.command(program, "send", f"local={near}", f"remote={far}", *words)
    with Popen(receive, stdout=PIPE, stderr=PIPE, text=True) as receiver:
        try:
            if receiver.stdout.readline().strip() != "ready":
                raise Failed(f"the receiver says {receiver.stderr.read().strip()}")
            done = subprocess.run(
                send, capture_output=True, text=True, timeout=seconds + PATIENCE, check=False
            )
            if done.returncode != 0:
                raise Failed(f"usrsctp's sender ended with {done.returncode}: {done.stderr.strip()}")
            sent = json.loads(done.stdout)
            heard, complaint = receiver.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired as late:
            raise Failed("usrsctp did not end") from late
        finally:
            receiver.kill()
    if receiver.returncode != 0:
        raise Failed(f"usrsctp's receiver ended with {receiver.returncode}: {complaint.strip()}")
    heard, due = json.loads(heard), sent["due"]
    unsent = due - sent["accepted"]
    lost = due - heard["in_time"] - heard["late"] - unsent
    return Fates(*(100 * count / due for count in (heard["in_time"], heard["late"], unsent, lost)))
