"""A running system with the units, and the points that are measured there."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

from machine import AWAY, Wrong

ROOT = Path(__file__).resolve().parents[2]
SYSTEMD = ROOT / "packaging/systemd"
SERVER, LAPTOP, RECV, SEND = UNITS = (
    "anabranch-forward-server",
    "anabranch-forward",
    "anabranch-recv",
    "anabranch-send@srv-public",
)
FILE = os.urandom(1 << 20)
WEB = f"http://{AWAY}:8080/file"
RECV_PORT, SEND_PORT = 7001, 7002
FORMAT = re.compile(r"Overall exposure level for \S+: ([\d.]+)")
STOP = 15
"""Seconds of TimeoutStopSec."""


class Points:
    """The points of one system, each printed as it is measured."""

    def __init__(self, machine, program):
        self.machine, self.program, self.faults = machine, program, 0
        self.issued = set()
        self.served = machine.folder / "served"
        self.served.mkdir()
        (self.served / "file").write_bytes(FILE)

    def point(self, what, measured, expected, holds=None):
        """Prints a point; it holds if the two are equal, where nothing else is said."""
        holds = measured == expected if holds is None else holds
        self.faults += not holds
        print(f"{'ok   ' if holds else 'FAULT'} {what}: {measured} (expected: {expected})", flush=True)

    def state(self, unit):
        """The state of a unit, as `systemctl status` has it."""
        names = ["ActiveState", "SubState"]
        active, sub = (self.machine.property(unit, name) for name in names)
        return f"{active} ({sub})"

    def process(self, unit):
        return self.machine.property(unit, "MainPID")

    def becomes(self, unit, state, seconds):
        """The seconds until the unit has this state."""
        what = f"{unit} {state}, which is {self.state(unit)}"
        return self.machine.wait(seconds, lambda: self.state(unit) == state, what)

    def drop_in(self, unit, text, name="override"):
        """What `systemctl edit` writes."""
        self.machine.write(f"/etc/systemd/system/{unit}.service.d/{name}.conf", text)
        self.machine.said("systemctl", "daemon-reload")

    def edit(self, path, before, after):
        """Replaces a line of a file of options."""
        text = self.machine.said("cat", path)
        if before not in text:
            raise Wrong(f"{path} has no {before!r}")
        self.machine.write(path, text.replace(before, after))

    def exposure(self, unit):
        said = self.machine.said("systemd-analyze", "security", "--no-pager", f"{unit}.service")
        return float(FORMAT.search(said)[1])

    def curl(self, *words, seconds=10):
        """What curl of the system fetches: `whole`, or how it ended."""
        words = ["curl", "-sS", "--max-time", str(seconds), *words, "-o", "/tmp/fetched", WEB]
        ended = self.machine.run(*words)
        if ended.returncode != 0:
            return f"curl ended with {ended.returncode}"
        there = self.machine.run("cmp", "/tmp/fetched", "/srv/public/file").returncode == 0
        return "whole" if there else "damaged"

    def fetched(self, *words, seconds=20):
        """The same, once the bond is there."""
        until = time.monotonic() + seconds
        while (outcome := self.curl(*words)) != "whole" and time.monotonic() < until:
            time.sleep(0.3)
        return outcome

    def tables(self):
        """Our nftables tables."""
        listed = self.machine.said("nft", "list", "tables").splitlines()
        return [line.removeprefix("table ") for line in listed if "anabranch" in line] or "none"

    def sockets(self):
        """The sockets for `anabranch status`."""
        listed = self.machine.run("ls", "/run/anabranch").stdout.split()
        return [name for name in listed if name.endswith(".sock")]

    def key(self, name):
        return self.machine.said("cat", f"/etc/anabranch/{name}.key").strip()

    def far(self, *words, key, seconds=30):
        """Runs our program on the host beside the system until it ends; the exit status."""
        command = self.machine.far.command(str(self.program), *map(str, words))
        environment = os.environ | {"ANABRANCH_KEY": key}
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
        return ended.returncode


def from_head(unit):
    """The blocks of commands and settings in a unit's head."""
    blocks, lines = [[]], (SYSTEMD / f"{unit}.service").read_text().split("[Unit]")[0].splitlines()
    for line in lines:
        if line.startswith("#     "):
            blocks[-1].append(line.removeprefix("#     "))
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(block) + "\n" for block in blocks if block]


def unit_text(name):
    (unit,) = (unit for unit in UNITS if re.fullmatch(rf"anabranch-{name}(@.*)?", unit))
    return (SYSTEMD / f"{unit.split('@')[0]}{'@' * ('@' in unit)}.service").read_text()


def answers(points, *words):
    """What the programs answer to `anabranch status` of root."""
    return json.loads(points.machine.said("anabranch", "status", "--json", *words))["running"]
