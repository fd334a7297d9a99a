"""The meetings of our program and one of usrsctp's, and whether the counts of both are right.

A meeting returns the seconds in which its user data passed, or raises ``Failed``.
"""

import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from programs import RECEIVED, SUMMARY, UDP_PORT, Failed, Partner, Usrsctp, received, summary

READ_AT_ONCE = 10240
"""The bytes that echo_server reads at a time; it answers only the last part of a message."""

LINE = 79
"""The length of the lines that client reads; it sends each as a message."""


@dataclass(frozen=True)
class Sent:
    """The messages of one end."""

    messages: int
    size: int
    streams: int = 1
    is_ordered: bool = True
    is_ipcc: bool = False
    """True if we send by path sequence numbers (IPCC) and not by CMT's rules."""
    may_be_lost: bool = False
    """True if the sender would rather lose a message than send it again (RFC 3758), if the peer lets it."""
    udp: int = UDP_PORT
    """Our UDP port; with 0 any, of which the peer learns by our packets alone."""

    @property
    def bytes(self):
        """The user data of all messages."""
        return self.messages * self.size

    def manners(self):
        """The unusual settings, in words."""
        streams = [f"{self.streams} streams"] * (self.streams > 1)
        order = ["unordered"] * (not self.is_ordered) + ["may be lost"] * self.may_be_lost
        rules = ["IPCC"] * self.is_ipcc
        return [*rules, *streams, *order, *["any port"] * (self.udp == 0)]


@dataclass
class Meeting:
    """Two sides of a network, what is to be sent, and the programs that run."""

    partner: Path
    installed: tuple
    ours: object
    peers: object
    sent: Sent
    marking: object = None
    """The queue that marks, in the meetings of ``marking``."""
    extension: object = None
    """What both ends have switched on, in the meetings of ``extensions``."""

    def __post_init__(self):
        self.deadline = time.monotonic() + SECONDS
        self.programs = []

    def partner_is(self, role, port, **settings):
        """Starts our program."""
        buffer = max(1 << 20, 2 * self.sent.size)
        partner = Partner(self.partner, self.ours, role, port, buffer=buffer, **settings)
        self.programs.append(partner.program)
        partner.program.wait_for(lambda lines: "ready" in lines, self.deadline, "ours did not start")
        return partner

    def source(self, port, answers=0):
        """Starts our program as the one that sends."""
        sent = self.sent
        what = {"messages": sent.messages, "size": sent.size, "streams": sent.streams, "answers": answers}
        unordered, ipcc = str(not sent.is_ordered).lower(), str(sent.is_ipcc).lower()
        how = {"unordered": unordered, "udp": sent.udp, "ipcc": ipcc}
        return self.partner_is("source", port, peers=self.peers.addresses(), **what, **how)

    def usrsctp_is(self, side, name, *words, only=None):
        """Starts a program of usrsctp's."""
        started = Usrsctp(self.installed, side, name, *words, only=only)
        self.programs.append(started.program)
        return started.program

    def close(self):
        """Ends what still runs."""
        for program in self.programs:
            program.close()


def echo_server(meeting):
    """We send, ``echo_server`` answers."""
    server = meeting.usrsctp_is(meeting.peers, "echo_server", UDP_PORT, UDP_PORT, only=RECEIVED)
    time.sleep(START)
    counted = meeting.source(7, answers=meeting.sent.messages).count(meeting.deadline)
    answered = "whole" if meeting.sent.size <= READ_AT_ONCE else "tails"
    expect(
        counted,
        sent=meeting.sent.messages,
        received=meeting.sent.messages,
        wrong=0,
        **{answered: meeting.sent.messages},
    )
    served(meeting, server)
    uses_all(meeting, counted)
    return float(counted["seconds"])


def discard_server(meeting):
    """We send, ``discard_server`` counts."""
    server = meeting.usrsctp_is(meeting.peers, "discard_server", UDP_PORT, UDP_PORT, only=RECEIVED)
    time.sleep(START)
    counted = meeting.source(9).count(meeting.deadline)
    expect(counted, sent=meeting.sent.messages)
    served(meeting, server)
    uses_all(meeting, counted)
    return float(counted["seconds"])


def discard_server_moves(meeting):
    """We send; our second address comes in the middle, then our first goes: usrsctp is told by ASCONF."""
    ours, (first, second) = meeting.ours, meeting.ours.addresses()
    ours.ip(f"addr del {second}/24 dev p2")
    server = meeting.usrsctp_is(meeting.peers, "discard_server", UDP_PORT, UDP_PORT, only=RECEIVED)
    time.sleep(START)
    sent, peers = meeting.sent, meeting.peers.addresses()
    what = {"messages": sent.messages, "size": sent.size, "local": first, "follow": "true"}
    source = meeting.partner_is("source", 9, peers=peers, **what)
    time.sleep(START)
    ours.ip(f"addr add {second}/24 dev p2")
    time.sleep(1)
    ours.ip(f"addr del {first}/24 dev p1")
    counted = source.count(meeting.deadline)
    expect(counted, sent=sent.messages)
    served(meeting, server)
    uses_all(meeting, counted)
    return float(counted["seconds"])


def tsctp_server(meeting):
    """We send, ``tsctp`` receives."""
    server = meeting.usrsctp_is(meeting.peers, "tsctp", *TSCTP_SERVER, only=SUMMARY)
    time.sleep(START)
    counted = meeting.source(5001).count(meeting.deadline)
    expect(counted, sent=meeting.sent.messages)
    uses_all(meeting, counted)
    return summed(meeting, server)


def client(meeting):
    """``client`` sends lines, we answer."""
    server = meeting.partner_is("echo", 7)
    to = meeting.ours.addresses()[0]
    sender = meeting.usrsctp_is(meeting.peers, "client", to, 7, 0, UDP_PORT, UDP_PORT)
    is_open = lambda said: any("Peer addresses" in line for line in said)  # noqa: E731
    sender.wait_for(is_open, meeting.deadline, "client did not connect")
    lines = [line_of(number, meeting.sent.size) for number in range(meeting.sent.messages)]
    sent = "".join(f"{line}\n" for line in lines).encode()
    begin = time.monotonic()
    sender.say(sent)
    known = set(lines)
    is_answered = lambda said: [line for line in said if line in known] == lines  # noqa: E731
    sender.wait_for(is_answered, meeting.deadline, "answers are missing")
    seconds = time.monotonic() - begin
    sender.hang_up()
    counted = server.count(meeting.deadline)
    whole = {"received": meeting.sent.messages, "bytes": len(sent), "sent": meeting.sent.messages}
    expect(counted, sum=f"{zlib.adler32(sent):08x}", **whole)
    return seconds


def tsctp_client(meeting):
    """``tsctp`` sends, we count."""
    server = meeting.partner_is("discard", 5001)
    meeting.usrsctp_is(meeting.peers, "tsctp", *tsctp_sends(meeting, meeting.ours), only=SUMMARY)
    counted = server.count(meeting.deadline)
    expect(counted, received=meeting.sent.messages, bytes=meeting.sent.bytes)
    expect(counted, sum=f"{zlib.adler32(b'b' * meeting.sent.bytes):08x}")
    return float(counted["seconds"])


def tsctp_both(meeting):
    """``tsctp`` sends to ``tsctp``: what the others are to be compared with."""
    server = meeting.usrsctp_is(meeting.ours, "tsctp", *TSCTP_SERVER, only=SUMMARY)
    time.sleep(START)
    meeting.usrsctp_is(meeting.peers, "tsctp", *tsctp_sends(meeting, meeting.ours), only=SUMMARY)
    return summed(meeting, server)


SECONDS = 90
"""A meeting that lasts longer has failed."""

START = 0.3
"""The time that usrsctp's servers need until they listen, which they do not report."""

TSCTP_SERVER = ["-E", UDP_PORT, "-U", UDP_PORT, "-p", 5001]


def tsctp_sends(meeting, to):
    """The arguments with which ``tsctp`` sends all messages and ends."""
    sent = meeting.sent
    what = ["-n", sent.messages, "-l", sent.size, "-S", max(1 << 18, 2 * sent.size), "-D"]
    how = ["-u"] * (not sent.is_ordered) + ["-P", 2, "-t", 0] * sent.may_be_lost
    return ["-E", UDP_PORT, "-U", UDP_PORT, "-p", 5001, *what, *how, to.addresses()[0]]


def line_of(number, size):
    """A unique line of that many bytes with its end; too short ones are empty."""
    return f"line {number:06}".ljust(size - 1, ".")[: size - 1] if size > 1 else ""


def expect(counted, **what):
    """Checks the counts of our program, and that it ended in order."""
    for key, value in what.items():
        if str(counted[key]) != str(value):
            raise Failed(f"{key} is {counted[key]}, not {value}; it {counted['end']}")
    if counted["end"] != "closed in order":
        raise Failed(counted["end"])


def served(meeting, server):
    """The server received all, by its own word."""
    all_of = (meeting.sent.messages, meeting.sent.bytes)
    server.wait_for(lambda lines: received(lines) == all_of, meeting.deadline, f"the server has not {all_of}")


def summed(meeting, server):
    """The seconds that ``tsctp`` counts, once it has received all."""
    server.wait_for(lambda lines: summary(lines) is not None, meeting.deadline, "tsctp has no summary")
    messages, size, seconds = summary(server.lines)
    if (messages, size) != (meeting.sent.messages, meeting.sent.bytes):
        raise Failed(f"tsctp received {messages} messages, {size} bytes")
    return seconds


def uses_all(meeting, counted):
    """Checks that bulk data goes to all addresses; a pair that was a wrong guess carries nothing."""
    carried = {}
    for remote, sent, _ in counted["paths"]:
        carried[remote] = carried.get(remote, 0) + sent
    idle = [remote for remote, sent in carried.items() if sent == 0]
    if meeting.sent.bytes >= BULK and idle:
        raise Failed(f"no data went to {', '.join(idle)}")


BULK = 500_000
"""More bytes than an unconfirmed path may miss."""
