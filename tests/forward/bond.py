"""Both ends of ``anabranch forward`` between two emulated hosts, and the programs beside them."""

import contextlib
import json
import os
import resource
import subprocess
import time
from pathlib import Path
from subprocess import DEVNULL

from emulated import PROGRAM
from failed import Failed

KEY = "5ec1e700000000000000000000000001"
SOCKS = 1080
PORT = 7000
"""Of the programs at the server's end."""


SETTINGS = os.environ.get("FORWARD_SETTINGS", "").split()
"""Further settings of both ends, to try them."""


class Bond:
    """A laptop (near) and a server (far) with a bond between them."""

    def __init__(self, hosts, via=(), reach="10.77.1.2"):
        self.near, self.far = hosts.sides
        self.hosts = hosts
        self.reach = reach
        addresses = ",".join(hosts.addresses(2))
        self.ends = [
            self.start(self.far, "forward", "--serve", "--bind", addresses, "--allow", "all"),
        ]
        self.wait(self.far, "udp", 9899)
        ways = [word for one in via for word in ("--via", one)]
        ports = ["--socks", str(SOCKS), "--listen", f"2222={reach}:{PORT}", "--udp", f"5000={reach}:{PORT}"]
        self.ends.append(self.start(self.near, "forward", "--to", addresses, *ports, *ways))
        self.wait(self.near, "tcp", SOCKS)
        self.programs = []

    def start(self, side, *words):
        """Starts our program on a side."""
        environment = {**os.environ, "ANABRANCH_KEY": KEY}
        words = [*words, *(word for one in SETTINGS for word in ("--set", one))]
        command = side.command(str(PROGRAM), *words)
        return subprocess.Popen(command, env=environment, stdout=DEVNULL, stderr=DEVNULL)

    def wait(self, side, kind, port):
        """Waits until a port is open."""
        for _ in range(100):
            listing = subprocess.run(side.command("ss", "-Hln", f"--{kind}"), capture_output=True, text=True)
            if f":{port} " in listing.stdout:
                return
            time.sleep(0.1)
        raise Failed(f"no {kind} port {port}")

    def python(self, side, program, *words, **options):
        """Starts a Python program on a side."""
        started = subprocess.Popen(side.command("python3", "-c", program, *words), **options)
        self.programs.append(started)
        return started

    def processor_seconds(self, index):
        """The processor time of an end."""
        fields = Path(f"/proc/{self.ends[index].pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self, index):
        """The resident memory of an end in MB."""
        status = Path(f"/proc/{self.ends[index].pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1000

    def close(self):
        """Ends everything."""
        for process in [*self.programs, *self.ends]:
            process.kill()
            process.wait()
        self.hosts.close()


@contextlib.contextmanager
def bond(network, **options):
    """A bond over ``network``."""
    made = Bond(network.built(), **options)
    try:
        yield made
    finally:
        made.close()


def bench(network, seconds, *words):
    """The goodput of ``anabranch bench`` in Mbit/s, and the processor seconds a GB of both ends."""
    hosts = network.built()
    near, far = hosts.sides
    environment = {**os.environ, "ANABRANCH_KEY": KEY}
    addresses = ",".join(hosts.addresses(2))
    serve = far.command(str(PROGRAM), "bench", "--serve", "--once", "--quiet", "--listen", addresses)
    server = subprocess.Popen(serve, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    time.sleep(0.5)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    client = near.command(
        str(PROGRAM), "bench", "--to", addresses, "-t", str(seconds), "--json", "--quiet", *words
    )
    done = subprocess.run(client, env=environment, capture_output=True, text=True)
    server.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    hosts.close()
    if done.returncode != 0:
        raise Failed(f"bench: {done.stderr.strip()}")
    document = json.loads(done.stdout)
    rate = goodput(document)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return rate, used / (rate / 8000 * seconds)


def goodput(document):
    """The goodput of a test in Mbit/s."""
    for direction in document.get("directions", []):
        if "goodput_bps" in direction:
            return direction["goodput_bps"] / 1e6
    if "goodput_bps" in document:
        return document["goodput_bps"] / 1e6
    raise Failed(f"bench says {sorted(document)}")
