"""The transports that are compared: how each end of a transfer is started, and what its packets carry."""

import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from refusal import Forbidden

MPTCP = 262
CMT = {1: "CMT", 4: "CMT coupled"}
"""The values of usrsctp's switch for CMT: each path by itself, or coupled as in Multipath TCP's LIA."""

STREAM = Path(__file__).with_name("stream.py")


@dataclass(frozen=True)
class System:
    """A transport: its name in the tables, its program with fixed words, and what a full packet carries."""

    name: str
    program: tuple[str, ...]
    words: tuple[str, ...]
    payload: int
    """Bytes of user data in a full packet."""
    less: int = 0
    """The number by which they are fewer where there are several paths."""
    packet: int = 1500
    """The IP packet that carries them; its Ethernet header of 14 bytes is charged by the links too."""

    @property
    def is_kernel(self):
        """True if Multipath TCP carries it where there are several paths."""
        return "stream.py" in self.program[-1]

    def ceiling(self, network):
        """The most that it could carry over a network, Mbit/s: full packets all the time."""
        paths = len(network.each())
        user_data = self.payload - (self.less if paths > 1 else 0)
        return network.megabits * user_data / (self.packet + network.header)

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


def usrsctp(program, mode):
    """usrsctp over UDP with messages of 1,400 bytes, one a packet; on several paths at once where there are.

    20 bytes of IPv4, 8 of UDP, 12 of SCTP and 16 of the DATA chunk.
    """
    return System(f"usrsctp, {CMT[mode]}", (str(program),), (f"cmt={mode}",), 1400, packet=1456)


def ours(target, *settings):
    """Our program for measuring, sealed, with the profile of the tools and messages that fill a packet each.

    20 bytes of IPv4, 8 of UDP, 32 of the sealed layer, 12 of SCTP and 16 of the DATA chunk.
    """
    name = ", ".join(["anabranch", *(setting.partition("=")[2] for setting in settings)])
    return System(name, (str(target / "debug/examples/meter"),), ("message=1412", *settings), 1412)


def refusal():
    """Why the kernel's transports cannot be measured here, or None."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP).close()
    except OSError as error:
        return Forbidden(f"the kernel has no Multipath TCP: {error}")
    known = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if "cubic" not in known:
        return Forbidden(f"the kernel has no CUBIC, but {', '.join(known)}")
    return None
