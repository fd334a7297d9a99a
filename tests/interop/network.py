"""Network namespaces, and two of them with paths between them, which end with this process.

Everything is made in a network namespace of this process's own (see ``enclose``), so that nothing of the
machine's network is touched and nothing is left behind, however this ends.
"""

import fcntl
import os
import struct
import subprocess
import sys

from refusal import Forbidden

TUNSETIFF = 0x400454CA
IFF_TUN_WITHOUT_INFO = 0x0001 | 0x1000
ENCLOSED = "ANABRANCH_INTEROP_ENCLOSED"

PEER, OURS = 1, 2
"""The two sides, and the last number of their addresses."""


def unshare():
    """The command before another that gives it a network of its own; without root, a user's as well."""
    users = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *users, "--net", "--"]


def refusal():
    """Why no such network can be made here, or None."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return Forbidden("there is no /dev/net/tun for this user")
    try:
        command = [*unshare(), "ip", "tuntap", "add", "dev", "p1", "mode", "tun"]
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"network namespaces need unshare (util-linux) and ip (iproute2): {error}"
    if tried.returncode != 0:
        return Forbidden(f"this machine refuses network namespaces: {tried.stderr.strip()}")
    return None


def enclose():
    """Begins this program anew in a network namespace of its own, once."""
    if ENCLOSED in os.environ:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return
    os.environ[ENCLOSED] = "1"
    os.execvp("unshare", [*unshare(), sys.executable, *sys.argv])


class Namespace:
    """A network of its own, which ends with this process."""

    def __init__(self):
        # The namespace lives as long as this holder, and that as long as this process holds its input.
        hold = ["unshare", "--net", "--", "sh", "-c", "echo; exec cat"]
        self.holder = subprocess.Popen(hold, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdout.readline()

    def command(self, *words):
        """A command as it runs in the namespace."""
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--", *words]

    def ip(self, *lines):
        """Lets ``ip`` carry out these lines."""
        subprocess.run(self.command("ip", "-batch", "-"), input="\n".join(lines), text=True, check=True)

    def close(self):
        """Takes the namespace away, with its devices."""
        self.holder.stdin.close()
        self.holder.wait()


class Side(Namespace):
    """A namespace with one address a path and IP version, as programs of one host see them."""

    def __init__(self, number, paths, versions):
        super().__init__()
        self.number, self.paths, self.versions = number, paths, versions
        self.devices = [self.device(path) for path in range(paths)]
        self.configure()

    def device(self, path):
        """The file of a TUN device of this path, which is then moved into the namespace."""
        file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        name = f"p{path + 1}"
        fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN_WITHOUT_INFO))
        subprocess.run(["ip", "link", "set", name, "netns", str(self.holder.pid)], check=True)
        return file

    def configure(self):
        """Addresses, and no others than those."""
        lines = ["link set lo up"]
        for path, name in enumerate(f"p{path + 1}" for path in range(self.paths)):
            lines.append(f"link set {name} addrgenmode none txqueuelen 10000 mtu 1500 up")
            for version in self.versions_of(path):
                length = "24" if version == 4 else "64 nodad"
                lines.append(f"addr add {address(self.number, path, version)}/{length} dev {name}")
        self.ip(*lines)

    def addresses(self):
        """The addresses of this side, path by path."""
        return [
            address(self.number, path, version)
            for path in range(self.paths)
            for version in self.versions_of(path)
        ]

    def versions_of(self, path):
        """The IP versions of a path: with both, paths take turns."""
        return [self.versions[path % len(self.versions)]]

    def close(self):
        """Takes the namespace away, with its devices."""
        for file in self.devices:
            os.close(file)
        super().close()


def address(side, path, version):
    """The address of a side on a path."""
    return f"10.79.{path + 1}.{side}" if version == 4 else f"fd79:0:0:{path + 1}::{side}"
