"""A system with systemd as its first process, in namespaces over the files of this one, and a host beside it.

Nothing of the machine is changed, and all of it ends with this process, however that ends.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from interop.network import Namespace
from interop.packages import missing, unpacked
from refusal import Forbidden

NEEDED = ["unshare", "nsenter", "setpriv", "ip", "ss", "curl", "openssl", "dpkg", "dpkg-shlibdeps"]
NEEDED += ["make", "strip", "cargo"]
PACKAGES = ["systemd", "dbus", "libnss-systemd", "nftables"]
"""Of Debian, with what they need: fetched where the machine has no systemd."""

BOOT = Path(__file__).resolve().with_name("boot")
SPACES = ["--mount", "--pid", "--net", "--uts", "--ipc", "--fork"]
DIE_TOO = ["setpriv", "--pdeathsig", "KILL"]
GROUP = "anabranch-units-"
"""The beginning of the name of the system's control group."""

CLEAN = """
mount -t cgroup2 none "$1" || exit
for turn in $(seq "$3"); do
    find "$1" -depth -type d -path "$1/$2*" -exec rmdir {} + 2>"$1.log" && exit
    sleep 0.1
done
"""
"""Removes control groups without processes. Processes that were killed leave theirs after a while."""

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
LINKS = {"n1": "192.0.2", "n2": "203.0.113"}
"""The networks between the system, .1, and the host beside it, .2."""

AWAY = "11.0.0.7"
"""An address of the host beside it, as one of the public internet."""

TRIAL = "mount -t cgroup2 none /tmp && ip link add v1 type veth && unshare --user true"
"""What a system does at its beginning, and its units."""


class Wrong(Exception):
    """Something is not as it should be."""


def refusal():
    """Why no system can be begun here, or None."""
    if sys.platform != "linux":
        return "units are of Linux"
    if os.geteuid() != 0:
        return Forbidden("this needs root: a system with users of its own")
    absent = [tool for tool in NEEDED if not shutil.which(tool)]
    if absent:
        return f"there is no {absent[0]}"
    words = ["unshare", *SPACES, "--cgroup", "sh", "-c", TRIAL]
    tried = subprocess.run(words, capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return Forbidden(f"this machine refuses cgroup2, veth or namespaces: {tried.stderr.strip()}")
    return None


def fetch(folder):
    """The folder of what the machine lacks of systemd and nftables, or None.

    Raises `Unavailable` where it lacks some and apt-get does not give it.
    """
    programs = ("/lib/systemd/systemd", "/usr/bin/dbus-daemon", "/usr/sbin/nft")
    if all(Path(program).exists() for program in programs):
        return None
    names = sorted({name for package in PACKAGES for name in missing(package)})
    return unpacked(folder, "systemd", names)


class Machine:
    """The system. ``far`` is the host beside it."""

    def __init__(self, folder, package, files):
        self.folder, self.group = folder, f"{GROUP}{os.getpid()}"
        # Those of runs that were killed.
        clear(folder, GROUP, 1)
        shutil.copy(package, folder / "package.deb")
        # The end of this process ends the system, whose first process dies with unshare.
        words = [*DIE_TOO, "unshare", *SPACES, "--kill-child=KILL"]
        words += [BOOT, folder, self.group, *([files] if files else [])]
        with (folder / "console").open("wb") as console:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True
            )
        self.far = Namespace()
        try:
            self.first = self.wait_until_booted()
            self.connect()
        except BaseException:
            self.close()
            raise

    def wait_until_booted(self):
        """The number of the first process, once all of the system's units have started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        until, said = time.monotonic() + 60, "nothing"
        while time.monotonic() < until and self.process.poll() is None:
            first = children.read_text().split()
            if first and Path(f"/proc/{first[0]}/comm").read_text().strip() == "systemd":
                self.first = first[0]
                said = self.said("systemctl", "is-system-running", check=False).strip()
                if said in ("running", "degraded"):
                    break
            time.sleep(0.1)
        if said != "running":
            failed = (
                self.said("systemctl", "--failed", "--plain", "--no-legend", check=False)
                if said == "degraded"
                else ""
            )
            console = (self.folder / "console").read_text(errors="replace").splitlines()[-8:]
            raise Wrong(f"the system is not running, but {said}: {failed}{' | '.join(console)}")
        return self.first

    def connect(self):
        """Two links to the host beside it, the first with the default route."""
        for name, network in LINKS.items():
            at = ["nsenter", f"--net=/proc/{self.first}/ns/net", "ip", "-batch", "-"]
            lines = [f"link add {name} type veth peer name {name} netns {self.far.holder.pid}"]
            lines += [f"addr add {network}.1/24 dev {name}", f"link set {name} up"]
            subprocess.run(at, input="\n".join(lines), text=True, check=True)
            self.far.ip(f"addr add {network}.2/24 dev {name}", f"link set {name} up")
        self.far.ip("link set lo up", f"addr add {AWAY}/32 dev lo")
        self.said("ip", "route", "add", "default", "via", "192.0.2.2")

    def command(self, *words):
        """A command as root's shell in the system runs it."""
        enter = ["nsenter", "--target", self.first, "--all", "--root", "--"]
        return [
            *enter,
            "env",
            "-i",
            "--chdir=/",
            f"PATH={PATH}",
            "LC_ALL=C.UTF-8",
            "HOME=/root",
            "EDITOR=true",
            *map(str, words),
        ]

    def run(self, *words, seconds=60, text=None):
        """A command in the system, when it has ended."""
        return subprocess.run(
            self.command(*words), input=text, capture_output=True, text=True, timeout=seconds, check=False
        )

    def said(self, *words, check=True, text=None):
        """The output of a command in the system."""
        ended = self.run(*words, text=text)
        if check and ended.returncode != 0:
            raise Wrong(f"{' '.join(map(str, words))} ended with {ended.returncode}: {ended.stderr.strip()}")
        return ended.stdout

    def beside(self, *words, environment=None):
        """Starts a program on the host beside the system, which ends with this one at the latest."""
        command = self.far.command(*DIE_TOO, *map(str, words))
        return subprocess.Popen(
            command,
            env=os.environ | (environment or {}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def property(self, unit, name):
        """A property of a unit."""
        return self.said("systemctl", "show", "--value", "-p", name, unit).strip()

    def write(self, path, text):
        """Writes a file of the system."""
        self.said("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat >"$1"', "sh", path, text=text)

    def wait(self, seconds, question, what):
        """The seconds until ``question()`` is true."""
        start = time.monotonic()
        while not question():
            if time.monotonic() - start > seconds:
                raise Wrong(f"{what}: not after {seconds} s")
            time.sleep(0.1)
        return time.monotonic() - start

    def close(self):
        """Ends the system, and takes its control group away."""
        self.process.kill()
        self.process.wait()
        self.far.close()
        clear(self.folder, self.group, 50)


def clear(folder, group, turns):
    """Removes the control groups of systems that have ended, whose names begin so."""
    place = folder / "groups"
    place.mkdir(exist_ok=True)
    subprocess.run(["unshare", "--mount", "sh", "-c", CLEAN, "sh", place, group, str(turns)], check=False)
