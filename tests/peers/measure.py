"""One transfer between two processes on this machine: how long it took, and what each of them used."""

import dataclasses
import itertools
import os
import subprocess
import threading

PATIENCE = 120
ports = itertools.count(21_000, 2)


@dataclasses.dataclass(frozen=True)
class Result:
    """What one transfer took."""

    megabits: float
    """Goodput from the first message to the last, Mbit/s."""
    seconds: float
    """Processor seconds of both ends for 10⁹ bytes of user data."""
    sender: int
    """Peak resident memory of the sender, kB."""
    receiver: int
    """The same of the receiver."""
    share: float
    """Processor time of both ends, in percent of one core."""

    def __str__(self):
        memory = f"{self.sender / 1000:.1f} + {self.receiver / 1000:.1f} MB"
        return f"{self.megabits:.0f} Mbit/s, {self.seconds:.2f} s/GB, {memory}"


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


def transfer(stack, count, message, rate=None):
    """Moves `count` bytes in messages of `message` bytes, at `rate` bit/s or as fast as it goes."""
    words = [str(next(ports)), str(count), str(message)]
    receiver = End([*stack.command, "receive", *words])
    if receiver.line() != "ready":
        receiver.process.kill()
        receiver.end(f"receiver of {stack.name}")
    sender = End([*stack.command, "send", *words, *([] if rate is None else [str(rate)])])
    timer = threading.Timer(PATIENCE, receiver.process.kill)
    timer.start()
    line = receiver.line()
    timer.cancel()
    used = sender.end(f"sender of {stack.name}") + receiver.end(f"receiver of {stack.name}")
    took = float(line)
    return Result(count * 8e-6 / took, used / count * 1e9, sender.memory, receiver.memory, 100 * used / took)
