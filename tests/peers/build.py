"""The programs that are measured: how each is built, and the command that runs one end of a transfer."""

import dataclasses
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "interop"))
from packages import Unavailable, unpacked

LIBRARY = ["libusrsctp-dev"]
FLOOR = "UDP of the kernel, nothing else"
TCP = "TCP of the kernel"


@dataclasses.dataclass(frozen=True)
class Stack:
    """A transport: its name in the table, its program, and how much it moves in some seconds."""

    name: str
    command: tuple[str, ...]
    megabytes: int


def ours(root, target, layer):
    """Our example, from the release profile of the workspace."""
    run(["cargo", "build", "--release", "--quiet", "--package", "anabranch-net", "--example", "bulk"], root)
    name = f"anabranch, {layer.replace(':', ', ')}"
    return Stack(name, (str(target / "release/examples/bulk"), layer), 2_000)


def usrsctp(root, target):
    """Our C program on Debian's usrsctp, linked statically."""
    folder = unpacked(target / "peers", "usrsctp", LIBRARY)
    if shutil.which("cc") is None:
        raise Unavailable("there is no C compiler")
    library = next(folder.glob("usr/lib/*/libusrsctp.a"))
    program = folder / "bulk"
    include = f"-I{folder / 'usr/include'}"
    source = root / "tests/peers/usrsctp.c"
    run(["cc", "-O2", "-Wall", include, str(source), str(library), "-lpthread", "-o", str(program)], root)
    return Stack("usrsctp 0.9.5", (str(program),), 200)


def others(root, target):
    """QUIC twice, bare datagrams and TCP, from the workspace of their own; TCP is the last."""
    folder = target / "peers/programs"
    source = root / "tests/peers/programs"
    where = ["--manifest-path", str(source / "Cargo.toml"), "--target-dir", str(folder)]
    run(["cargo", "build", "--release", "--quiet", "--locked", *where], root)
    packages = tomllib.loads((source / "Cargo.lock").read_text())["package"]
    locked = {package["name"]: package["version"] for package in packages}
    quinn, s2n = (f"{name} {locked[name]} (TLS 1.3)" for name in ("quinn", "s2n-quic"))
    named = [(quinn, "quic", 2_000), (s2n, "s2n", 2_000), (FLOOR, "udp", 8_000), (TCP, "tcp", 4_000)]
    return [Stack(name, (str(folder / "release" / program),), size) for name, program, size in named]


def run(command, folder):
    """Runs a command that has to succeed."""
    subprocess.run(command, cwd=folder, check=True)
