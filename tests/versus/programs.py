"""The programs that play a transfer's ends, and how those that are ours or usrsctp's are built."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from interop.packages import Unavailable, unpacked
from systems import System, ours, usrsctp

ROOT = Path(__file__).resolve().parents[2]
MODES = (1, 4)
"""Of usrsctp's CMT: each path by itself, and coupled, which its paths share best."""


@dataclass(frozen=True)
class Programs:
    """The systems that need a program of their own."""

    ours: System
    by_round_trip: System
    """Ours with the scheduler that takes the path with the shortest round trip first."""
    before: System
    """Ours with the profile before, which sends by each path in turn."""
    usrsctp: list[System]


def built(target):
    """Builds all; without usrsctp where Debian's package or a C compiler cannot be had."""
    build("--package", "anabranch-cli", "--bin", "anabranch")
    measured = built_ours(target), ours(target, "scheduler=lowest-rtt"), ours(target, "profile=tuned-1")
    try:
        program = built_usrsctp(target)
    except Unavailable as unavailable:
        print(f"without usrsctp: {unavailable}", file=sys.stderr)
        return Programs(*measured, [])
    return Programs(*measured, [usrsctp(program, mode) for mode in MODES])


def built_ours(target):
    """The example that measures ours, from the same build as the tests."""
    build("--workspace", "--example", "meter")
    return ours(target)


def build(*what):
    """Lets cargo build something."""
    subprocess.run(["cargo", "build", "--quiet", "--locked", *what], cwd=ROOT, check=True)


def built_usrsctp(target):
    """Our C program on Debian's usrsctp, linked statically."""
    folder = unpacked(target / "peers", "usrsctp", ["libusrsctp-dev"])
    if shutil.which("cc") is None:
        raise Unavailable("there is no C compiler")
    source, program = Path(__file__).with_name("usrsctp.c"), folder / "paths"
    library = next(folder.glob("usr/lib/*/libusrsctp.a"))
    fresh = program.with_suffix(".new")  # Another comparison may be using the one that is there.
    words = ["-O2", "-Wall", f"-I{folder / 'usr/include'}", source, library, "-lpthread", "-o", fresh]
    subprocess.run(["cc", *map(str, words)], check=True)
    fresh.replace(program)
    return program
