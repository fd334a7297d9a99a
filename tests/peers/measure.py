"""One transfer between two processes on this machine: how long it took, and what each of them used."""

import dataclasses
import itertools
import os
import subprocess
import threading
import time
from pathlib import Path

PATIENCE = 120
STARTING = 1
"""Seconds after which a slow sender has opened its association and sent its first message."""
ports = itertools.count(21_000, 2)


@dataclasses.dataclass(frozen=True)
class Result:
    """The measurements of one transfer."""

    megabits: float
    """Goodput from the first message to the last, Mbit/s."""
    seconds: float
    """Processor seconds of both ends for 10⁹ bytes of user data that arrived."""
    sender: int
    """Peak resident memory of the sender, kB."""
    receiver: int
    """The same of the receiver."""
    lost: float
    """Of the user data, in percent: of a program that sends nothing again."""

    def __str__(self):
        lost = f", {self.lost:.2f} % lost" if self.lost else ""
        memory = f"{self.sender / 1000:.1f} + {self.receiver / 1000:.1f} MB"
        return f"{self.megabits:.0f} Mbit/s, {self.seconds:.2f} s/GB, {memory}{lost}"


@dataclasses.dataclass(frozen=True)
class Shares:
    """The shares of a core that the two ends of a slow transfer use, in percent, once it has begun."""

    sender: float
    receiver: float

    def __str__(self):
        return f"sender {self.sender:.3f} %, receiver {self.receiver:.3f} % of a core"


class End:
    """A process, and the most memory it was seen to have."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.memory = 0
        self.is_over = threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def watch(self):
        """Notes the peak until the process ends: afterwards it cannot be told from that of its parent."""
        while not self.is_over.wait(0.02):
            try:
                with open(f"/proc/{self.process.pid}/status") as status:
                    for line in status:
                        if line.startswith("VmHWM:"):
                            self.memory = int(line.split()[1])
            except OSError:
                return

    def line(self):
        """The next line that it prints."""
        return self.process.stdout.readline().strip()

    def busy(self):
        """The processor seconds that its threads have used so far."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def end(self, name):
        """Waits for it; the processor seconds that it used."""
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        _, status, usage = os.wait4(self.process.pid, 0)
        timer.cancel()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stdout.close()
        self.is_over.set()
        self.watcher.join()
        if self.process.returncode != 0:
            raise SystemExit(f"the {name} ended with {self.process.returncode}")
        return usage.ru_utime + usage.ru_stime


def transfer(stack, count, message):
    """Moves `count` bytes in messages of `message` bytes, as fast as it goes."""
    sender, receiver = start(stack, count, message)
    took, arrived, used = finish(stack, sender, receiver)
    arrived = count if arrived is None else arrived
    lost = 100 * (1 - arrived / count)
    return Result(arrived * 8e-6 / took, used / arrived * 1e9, sender.memory, receiver.memory, lost)


def slow_transfer(stack, load):
    """Sends at a rate; looks at both ends from a second after the beginning to one before the end."""
    sender, receiver = start(stack, load.count, load.message, load.rate)
    time.sleep(STARTING)
    ends = (sender, receiver)
    before, began = [end.busy() for end in ends], time.monotonic()
    time.sleep(load.seconds - 2 * STARTING)
    after, took = [end.busy() for end in ends], time.monotonic() - began
    finish(stack, sender, receiver)
    return Shares(*(100 * (late - early) / took for late, early in zip(after, before, strict=True)))


def start(stack, count, message, rate=None):
    """The two ends of a transfer, which has begun."""
    words = [str(next(ports)), str(count), str(message)]
    receiver = End([*stack.command, "receive", *words])
    if receiver.line() != "ready":
        receiver.process.kill()
        receiver.end(f"receiver of {stack.name}")
    sender = End([*stack.command, "send", *words, *([] if rate is None else [str(rate)])])
    return sender, receiver


def finish(stack, sender, receiver):
    """The time, the bytes that arrived where the receiver says so, and the processor seconds of both."""
    timer = threading.Timer(PATIENCE, receiver.process.kill)
    timer.start()
    took, *arrived = receiver.line().split() or ["0"]
    timer.cancel()
    used = sender.end(f"sender of {stack.name}") + receiver.end(f"receiver of {stack.name}")
    return float(took), int(arrived[0]) if arrived else None, used
