"""The transports that are compared: how each end of a transfer is started, and what its packets carry.

It knows command lines and headers. What the programs do is in their own files.
"""

import socket
import sys
from dataclasses import dataclass
from pathlib import Path

MPTCP = 262
STREAM = Path(__file__).with_name("stream.py")


class Failed(Exception):
    """A transfer was not what it should be."""


@dataclass(frozen=True)
class System:
    """A transport: its name in the tables, its program with fixed words, and what a full packet carries."""

    name: str
    program: tuple[str, ...]
    words: tuple[str, ...]
    payload: int
    """Bytes of user data in an IP packet of 1,500 B."""
    less: int = 0
    """How many fewer they are where there are several paths."""

    @property
    def is_kernel(self):
        """Whether Multipath TCP carries it where there are several paths."""
        return "stream.py" in self.program[-1]

    def share(self, paths, on_the_wire):
        """The user data's part of what a link carries, at best."""
        return (self.payload - (self.less if paths > 1 else 0)) / on_the_wire

    def command(self, role, paths, **words):
        """One end, with what the run wants of it."""
        family = [f"family={'mptcp' if paths > 1 else 'tcp'}"] if self.is_kernel else []
        wanted = [f"{key}={value}" for key, value in words.items()]
        return [*self.program, role, *family, *self.words, *wanted]


def kernel(congestion):
    """The kernel's TCP on one path, and its Multipath TCP on several.

    20 bytes of IPv4, 20 of TCP and 12 of time stamps; Multipath TCP says where data belong in 20 more.
    """
    program = (sys.executable, str(STREAM))
    return System(f"kernel, {congestion.upper()}", program, (f"congestion={congestion}",), 1448, 20)


def ours(target):
    """Our program for measuring, sealed, with the profile of the tools.

    20 bytes of IPv4, 8 of UDP, 32 of the sealed layer, 12 of SCTP and 16 of the DATA chunk.
    """
    return System("anabranch", (str(target / "debug/examples/meter"),), (), 1412)


def prepare(hosts):
    """Lets the kernel use all paths for Multipath TCP, as Debian's manual page of ``ip mptcp`` has it."""
    for number, side in enumerate(hosts.sides, start=1):
        side.ip("mptcp limits set subflows 8 add_addr_accepted 8")
        for path in range(2, hosts.paths + 1):
            manner = "subflow" if number == 1 else "signal"
            side.ip(f"mptcp endpoint add 10.77.{path}.{number} dev p{path} {manner}")


def joined(hosts):
    """How many paths Multipath TCP has used beyond the first, as the receiver's kernel counts them."""
    text = Path(f"/proc/{hosts.receiver.holder.pid}/net/netstat").read_text()
    names, values = (line.split()[1:] for line in text.splitlines() if line.startswith("MPTcpExt:"))
    return int(dict(zip(names, values, strict=True))["MPJoinAckRx"])


def refusal():
    """Why the kernel's transports cannot be measured here, or None."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP).close()
    except OSError as error:
        return f"the kernel has no Multipath TCP: {error}"
    known = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if "cubic" not in known:
        return f"the kernel has no CUBIC, but {', '.join(known)}"
    return None
