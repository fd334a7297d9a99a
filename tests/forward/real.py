"""F1 by real programs: curl, ssh, rsync and iperf3; an sshd without root, and sessions of ssh."""

import contextlib
import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from subprocess import PIPE, Popen, run

from bond import FAR, HERE, IPERF, NEAR, SOCKS, SSH, TO, bench, bond, finished
from failed import Failed
from interop.packages import Unavailable, unpack_nft, unpack_program
from outcome import Outcome

sys.path.append(str(Path(__file__).with_name("parties")))
from flows import BLOCK, LENGTH

PROGRAMS = Path(os.environ.get("CARGO_TARGET_DIR", "target")).resolve() / "programs"

PACKAGES = ["openssh-server", "netcat-openbsd", "rsync", "iperf3", "microsocks", "mptcpize", "bind9-dnsutils"]
"""Of Debian: the programs of all rows."""

USER, UID = "tester", 1000
"""The user as sshd sees it: without root it needs no user of its own, and no /run/sshd."""

CONFIG = """\
ListenAddress {here}
Port {port}
HostKey {folder}/key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
"""


def fetch():
    """Unpacks the programs while there is a network. Rows whose programs cannot be had say so."""
    for package in PACKAGES:
        with contextlib.suppress(Unavailable):
            unpack_program(PROGRAMS, package)
    with contextlib.suppress(Unavailable):
        unpack_nft(PROGRAMS)


class Shell:
    """An sshd at the server's end of a bond, with a key and a user of its own."""

    def __init__(self, made, at=HERE):
        self.made, self.folder, self.at = made, Path(made.folder.name), at
        root, libraries = unpack_program(PROGRAMS, "openssh-server")
        key = ["-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / "key")]
        run([str(root / "usr/bin/ssh-keygen"), *key], check=True)
        config = CONFIG.format(here=at, port=SSH, folder=self.folder)
        (self.folder / "sshd_config").write_text(config)
        person = f"{USER}:x:{UID}:{UID}::{self.folder}:/bin/sh\n"
        users = [line for line in Path("/etc/passwd").read_text().splitlines() if f":x:{UID}:" not in line]
        (self.folder / "passwd").write_text("\n".join([*users, person]))
        nested = f'mount --bind "{self.folder}/passwd" /etc/passwd && exec "$@"'
        daemon = [str(root / "usr/sbin/sshd"), "-D", "-e", "-f", str(self.folder / "sshd_config")]
        person = ["unshare", "--user", f"--map-user={UID}", f"--map-group={UID}", "--"]
        command = ["unshare", "--mount", "--", "sh", "-c", nested, "sh", *person, *daemon]
        with (self.folder / "sshd").open("wb") as said:
            made.run(FAR, ["env", *assigned(libraries), *command], stderr=said)
        made.wait(FAR, "tcp", SSH)
        self.client = str(root / "usr/bin/ssh")
        self.options = ["-F", "none", "-i", str(self.folder / "key"), "-o", "StrictHostKeyChecking=no"]
        self.options += ["-o", f"UserKnownHostsFile={self.folder}/known", "-o", "LogLevel=ERROR"]

    def through_port(self):
        """The client's words for the laptop's port."""
        return [self.client, *self.options, "-p", str(SSH), f"{USER}@{HERE}"]

    def direct(self):
        """The client's words for the address of the daemon."""
        return [self.client, *self.options, "-p", str(SSH), f"{USER}@{self.at}"]

    def through_socks(self):
        """The client's words for a proxy command, as docs/forward.md has it."""
        root, _ = unpack_program(PROGRAMS, "netcat-openbsd")
        proxy = f"ProxyCommand={root}/bin/nc.openbsd -X 5 -x {HERE}:{SOCKS} %h %p"
        return [self.client, *self.options, "-o", proxy, "-p", str(SSH), f"{USER}@{HERE}"]


class Session:
    """A session of ssh that repeats lines."""

    def __init__(self, made, command):
        words = made.near.command(*command, "cat")
        self.process = Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
        made.programs.append(self.process)
        self.lines, self.count = queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def say(self):
        """Sends the next line."""
        self.count += 1
        self.process.stdin.write(f"line {self.count}\n")
        self.process.stdin.flush()

    def hear(self, bound):
        """The seconds until the last line that was sent has returned."""
        start = time.monotonic()
        try:
            line = self.lines.get(timeout=bound)
        except queue.Empty:
            raise Failed(f"ssh: no answer in {bound:.0f} s") from None
        if line != f"line {self.count}\n":
            raise Failed(f"ssh: {line.strip() or self.process.stderr.read().strip() or 'the session ended'}")
        return time.monotonic() - start

    def exchange(self, bound=30):
        """The seconds that a line takes."""
        self.say()
        return self.hear(bound)

    def leave(self):
        """Ends the session as a user does."""
        self.process.stdin.close()
        if self.process.wait(30) != 0:
            raise Failed(f"ssh ended with {self.process.returncode}")


def downloads(network, program):
    """Measures a download by a real program beside ``bench``."""

    def measure(conditions):
        rate, _ = bench(network, conditions.seconds)
        size = int(min(100_000_000, rate * 1e6 / 8 * conditions.seconds))
        with bond(network) as made:
            mine = program(made, size, conditions.seconds)
        return Outcome(f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench", mine >= 0.97 * rate, rate)

    return measure


def curl(made, size, _seconds):
    """The rate of curl and SOCKS5."""
    to = Path(made.folder.name) / "download"
    words = ["curl", "-sS", "-o", str(to), "-w", "%{speed_download}"]
    words += ["--proxy", f"socks5h://{HERE}:{SOCKS}", f"http://{TO}/{size}"]
    speed = finished(made.run(NEAR, words, stdout=PIPE, stderr=PIPE, text=True), "curl")
    if not is_whole(to, size):
        raise Failed(f"curl: {arrived(to)} of {size} bytes, or wrong ones")
    return float(speed) * 8 / 1e6


def ssh(made, size, _seconds):
    """The rate of ``ssh cat`` with a proxy command, without the time of logging in."""
    source, to = (Path(made.folder.name) / name for name in ("source", "download"))
    write(source, size)
    shell = Shell(made)
    with to.open("wb") as file:
        command = [*shell.through_socks(), f"date +%s.%N >&2; cat {source}"]
        process = made.run(NEAR, command, stdout=file, stderr=PIPE, text=True)
        _, told = process.communicate(timeout=300)
        ended = time.time()
    if process.returncode != 0 or not is_whole(to, size):
        raise Failed(f"ssh: {told.strip()}: {arrived(to)} of {size} bytes, or wrong ones")
    return size * 8 / 1e6 / (ended - float(told.split()[-1]))


def rsync(made, size, _seconds):
    """The rate of rsync over ssh through a port, with logging in."""
    source, to = (Path(made.folder.name) / name for name in ("source", "download"))
    write(source, size)
    root, libraries = unpack_program(PROGRAMS, "rsync")
    *client, target = Shell(made).through_port()
    there = " ".join(["env", *assigned(libraries), str(root / "usr/bin/rsync")])
    words = ["-a", "-e", " ".join(client), "--rsync-path", there, f"{target}:{source}", str(to)]
    start = time.monotonic()
    command = ["env", *assigned(libraries), str(root / "usr/bin/rsync"), *words]
    finished(made.run(NEAR, command, stdout=PIPE, stderr=PIPE, text=True), "rsync")
    taken = time.monotonic() - start
    if not is_whole(to, size):
        raise Failed("rsync: the copy differs")
    return size * 8 / 1e6 / taken


def iperf3(made, _size, seconds):
    """The rate of iperf3's download, which has a connection for control and one for data."""
    root, libraries = unpack_program(PROGRAMS, "iperf3")
    program = ["env", *assigned(libraries), str(root / "usr/bin/iperf3")]
    made.run(FAR, [*program, "-s", "-1", "-p", str(IPERF)], stdout=PIPE)
    made.wait(FAR, "tcp", IPERF)
    words = ["-c", HERE, "-p", str(IPERF), "-R", "-J", "-t", str(max(1, int(seconds)))]
    said = finished(made.run(NEAR, [*program, *words], stdout=PIPE, stderr=PIPE, text=True), "iperf3")
    return json.loads(said)["end"]["sum_received"]["bits_per_second"] / 1e6


def assigned(environment):
    """An environment as arguments of ``env``."""
    return [f"{name}={value}" for name, value in environment.items()]


def write(path, size):
    """A file of the bytes of the flow 0."""
    with path.open("wb") as file:
        for offset in range(0, size, LENGTH):
            file.write(BLOCK[: min(LENGTH, size - offset)])


def arrived(path):
    """The bytes of a file, none where there is no file."""
    return path.stat().st_size if path.exists() else 0


def is_whole(path, size):
    """True if a file has just the bytes of the flow 0."""
    if arrived(path) != size:
        return False
    with path.open("rb") as file:
        for offset in range(0, size, LENGTH):
            if file.read(LENGTH) != BLOCK[: min(LENGTH, size - offset)]:
                return False
    return True
