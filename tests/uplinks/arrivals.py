"""The arrivals over the links of a server, with their times."""

import sys
import threading
import time
from pathlib import Path
from subprocess import PIPE, Popen

from ours import Failed


class Arrivals(threading.Thread):
    """The counts of received bytes of devices of a namespace, every few milliseconds."""

    def __init__(self, namespace, devices):
        super().__init__(daemon=True)
        sampler = Path(__file__).with_name("sampler.py")
        self.sampler = Popen(
            namespace.command(sys.executable, str(sampler), *devices), stdout=PIPE, text=True
        )
        self.samples = []

    def run(self):
        """Takes samples until there are no more."""
        for line in self.sampler.stdout:
            when, *received = line.split()
            self.samples.append((float(when), [int(count) for count in received]))

    def close(self):
        """Ends it."""
        self.sampler.kill()
        self.sampler.wait()
        self.join()

    def wait_for(self, count, deadline):
        """Waits until that many bytes have arrived."""
        while not self.samples or sum(self.samples[-1][1]) < count:
            if time.monotonic() > deadline:
                raise Failed("nothing arrives")
            time.sleep(0.005)

    def back_after(self, at):
        """The time after ``at`` at which the first link had carried a tenth of a second's data."""
        before = max((arrived[0] for when, arrived in self.samples if when <= at), default=0)
        back = (when - at for when, arrived in self.samples if when > at and arrived[0] - before > ENOUGH)
        try:
            return next(back)
        except StopIteration:
            raise Failed("the uplink whose outer address changed did not come back") from None

    def longest_silence(self):
        """The longest time in the middle of the transfer in which hardly anything came by any link."""
        whole = sum(self.samples[-1][1])
        longest, (since, count) = 0.0, (self.samples[0][0], 0)
        for when, arrived in self.samples:
            now = sum(arrived)
            if now - count > LITTLE:
                longest, since, count = max(longest, when - since if count else 0.0), when, now
            if now > 0.95 * whole:
                break
        return longest


ENOUGH = 200_000
"""Bytes of a tenth of a second, nearly."""

LITTLE = 3_000
"""Bytes of acknowledgements and probes, without data."""
