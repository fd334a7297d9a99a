"""A bond by ``--transparent``, and F1 over it: programs without proxy settings, and names."""

import contextlib
import json
import sys
import time
from pathlib import Path
from subprocess import PIPE, run

import networks
import real
from bond import FAR, HERE, NEAR, PARTIES, PORT, bench, bond, finished
from bulk import MOST
from configuration import configuration
from failed import Failed
from interop.packages import unpack_program
from networks import MODEMS
from outcome import Outcome
from real import PROGRAMS, Shell
from ways import By

AWAY = "198.51.100.7"
"""An address of the server's end that no link has, as one of the internet."""

TO = f"{AWAY}:{PORT}"

NAME, ADDRESS = "www.example.org", "198.51.100.7"
"""What the server's name server knows."""

ROUTER = "192.168.1.1"
"""The name server that the laptop's programs ask: of a network that is not there."""


def lead(made):
    """Gives the server's end its address, and notes what the laptop's network is like without our program."""
    run(made.far.command("ip", "address", "add", f"{AWAY}/32", "dev", "lo"), check=True)
    made.untouched = configuration(made.near)


@contextlib.contextmanager
def captured(network, words=(), **options):
    """A bond whose laptop carries what its programs send to distant addresses."""
    words = ["--transparent", *words]
    resolver = f"nameserver {HERE}\n"
    options |= {"prepare": lead, "resolver": resolver, "is_bare": True, "has_default": True}
    with bond(network, words=words, **options) as made:
        made.run(FAR, [sys.executable, str(PARTIES / "names.py"), HERE, NAME, ADDRESS])
        made.wait(FAR, "udp", 53)
        wait_until_open(made)
        yield made


def wait_until_open(made):
    """Waits for a first flow."""
    until = time.monotonic() + 20
    while True:
        try:
            made.measured("fetch", BY.way, TO, 1, 1000, bound=10)
            return
        except Failed:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


BY = By(captured, f"port:{TO}", TO, TO, lambda made: Shell(made, AWAY).direct())


def downloads(network, count, loss=None):
    """Measures flows beside ``bench``."""

    def measure(conditions):
        rate, _ = bench(network, conditions.seconds)
        size = int(min(MOST, rate * 1e6 / 8 * conditions.seconds)) // count
        with captured(network) as made:
            ends = json.loads(made.measured("fetch", BY.way, TO, count, size, 0))
        mine = size * count * 8 / max(ends) / 1e6
        measured, is_met = f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench", mine >= 0.97 * rate
        if loss is not None:
            share = mine / networks.ceiling(network, loss)
            measured, is_met = f"{measured}, {share:.0%} of the ceiling", share >= 0.9
        return Outcome(measured, is_met, rate)

    return measure


def curl(network):
    """Measures curl, without any setting, and by a name."""

    def measure(conditions):
        rate, _ = bench(network, conditions.seconds)
        size = int(min(MOST, rate * 1e6 / 8 * conditions.seconds))
        with captured(network) as made:
            to = Path(made.folder.name) / "download"
            words = ["curl", "-sS", "-o", str(to), "-w", "%{speed_download}", f"http://{TO}/{size}"]
            speed = finished(made.run(NEAR, words, stdout=PIPE, stderr=PIPE, text=True), "curl")
            if not real.is_whole(to, size):
                raise Failed("curl: the download differs")
        mine = float(speed) * 8 / 1e6
        return Outcome(f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench", mine >= 0.97 * rate, rate)

    return measure


def names(_conditions):
    """Asks a private name server by dig, over UDP and TCP; the server's own one answers."""
    with captured(MODEMS) as made:
        times = []
        for options in ([], ["+tcp"]):
            start = time.monotonic()
            for _ in range(10):
                answer = dig(made, *options)
                if answer != ADDRESS:
                    raise Failed(f"dig {' '.join(options)}: {answer!r}")
            times.append((time.monotonic() - start) * 100)
    return Outcome(f"20 answers; {times[0]:.0f} ms each by UDP, {times[1]:.0f} by TCP", True)


def dig(made, *options):
    """What dig prints of a name."""
    root, libraries = unpack_program(PROGRAMS, "bind9-dnsutils")
    command = ["env", *real.assigned(libraries), str(root / "usr/bin/dig"), "+short", "+time=2", "+tries=2"]
    words = made.near.command(*command, *options, f"@{ROUTER}", NAME)
    return run(words, capture_output=True, text=True, check=False).stdout.strip()
