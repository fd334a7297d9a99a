"""The meetings in which both ends use an extension: our example ``extensions`` and ``extension_peer``, which
do as they are told.

A meeting tells both ends what to do until the association is closed. ``evidence`` judges what they said and
sent.
"""

import time
from dataclasses import dataclass, field

from programs import UDP_PORT, Failed, Program, sockets

SCTP_PORT = 9

ACKNOWLEDGED = 0.5
"""Seconds after which the last message is acknowledged: SACKs are delayed by 0.2 s."""


@dataclass(frozen=True)
class Extension:
    """Which end begins what, and what both ends have switched on."""

    sender: str
    """The end that sends, or asks for changes: ``ours`` or ``usrsctp``."""
    opens: str
    """The end that opens the association."""
    ours: tuple[str, ...]
    usrsctp: tuple[str, ...]
    send_buffer: int = 1 << 20
    rate: str = "50 Mbit/s"

    @property
    def agreed(self):
        """What both ends have switched on."""
        return {*self.ours} & {*self.usrsctp}

    def __str__(self):
        """In words."""
        alone = {*self.ours} ^ {*self.usrsctp}
        lacking = [f"{', '.join(sorted(alone))} only {'ours' if self.ours else 'usrsctp'}"] if alone else []
        return ", ".join([f"from {self.sender}", f"opened by {self.opens}", *lacking])


@dataclass
class End:
    """One end of the association."""

    name: str
    program: Program
    deadline: float
    commands: int = field(default=0)

    def obeys(self, *words):
        """Gives a command, and waits until it is carried out."""
        self.begins(*words)
        self.finishes()

    def begins(self, *words):
        """Gives a command."""
        self.commands += 1
        self.program.say((" ".join(map(str, words)) + "\n").encode())

    def finishes(self):
        """Waits until every command is carried out."""
        self.waits_for(lambda lines: len(answers(lines)) >= self.commands, "does not obey")
        failed = [line for line in self.program.lines if line.startswith(("failed", "missed"))]
        if failed:
            raise Failed(f"{self.name}: {failed[0]}")

    def tells(self, line, times=1):
        """Waits for a line, so many times."""
        self.waits_for(lambda lines: lines.count(line) >= times, f"does not tell {line!r}")

    def tells_of(self, event, streams):
        """Waits until an event has come for all these streams, at once or one by one."""
        is_so = lambda lines: listed(told(lines, event)) == streams  # noqa: E731
        self.waits_for(is_so, f"does not tell {event!r} of {streams}")

    def has_received(self, messages):
        """Waits until so many messages have arrived."""
        self.waits_for(lambda lines: len(told(lines, "received")) >= messages, f"has not {messages} messages")

    def waits_for(self, is_so, what):
        """Waits until its lines are as they should be."""
        self.program.wait_for(is_so, self.deadline, f"{self.name} {what}")

    def all(self, verb):
        """What it told with this word."""
        return told(self.program.lines, verb)


def answers(lines):
    """The ends of commands."""
    return [line for line in lines if line == "done" or line.startswith("failed")]


def told(lines, verb):
    """The rest of the lines that begin with this word."""
    words = (line.split() for line in lines)
    return [tuple(rest) for first, *rest in (line for line in words if line) if first == verb]


def listed(events):
    """The streams in the lists of events."""
    return {int(stream) for words in events for stream in words[0].split(",")}


def numbers(lines):
    """The numbers of the messages that arrived."""
    return {number for _, number, *_ in told(lines, "received")}


def extension(converse):
    """A meeting: both ends are started, converse, and close the association."""

    def meet(meeting):
        ends = start(meeting)
        sender, receiver = ends if meeting.extension.sender == "ours" else ends[::-1]
        converse(sender, receiver)
        sender.obeys("close")
        for end in ends:
            end.waits_for(lambda lines: told(lines, "closed"), "did not close")
            if end.all("closed")[0][-2:] != ("in", "order"):
                raise Failed(f"{end.name}: closed {' '.join(end.all('closed')[0])}")
        meeting.counted = sender, receiver

    meet.__name__ = converse.__name__
    return meet


def start(meeting):
    """Our end and usrsctp's, the one that listens first, when the association is open."""
    what = meeting.extension
    (local,), (remote,) = meeting.peers.addresses(), meeting.ours.addresses()

    def ours(peers=()):
        words = [f"local={sockets([remote])}", f"port={SCTP_PORT}", f"send_buffer={what.send_buffer}"]
        words += [f"remote={sockets(peers)}"] * bool(peers) + [f"{key}=true" for key in what.ours]
        return started(meeting, "ours", meeting.ours, meeting.partner.with_name("extensions"), words)

    def theirs(role):
        words = [role, local, remote, UDP_PORT, SCTP_PORT, f"send_buffer={what.send_buffer}"]
        words += [f"{key}=1" for key in what.usrsctp]
        return started(meeting, "usrsctp", meeting.peers, meeting.installed.extension_peer, words)

    if what.opens == "ours":
        other = theirs("listen")
        other.waits_for(lambda lines: "ready" in lines, "did not start")
        our = ours([local])
    else:
        our = ours()
        our.waits_for(lambda lines: "ready" in lines, "did not start")
        other = theirs("open")
    for end in (our, other):
        end.waits_for(lambda lines: told(lines, "open"), "has no association")
    return our, other


def started(meeting, name, side, program, words):
    """An end whose program runs."""
    running = Program(side.command(str(program), *map(str, words)))
    meeting.programs.append(running)
    return End(name, running, meeting.deadline)


def send(stream, messages, size, effort="full", value=0, pause=0, immediate=0):
    """The words of a command: messages of a stream, with a pause of milliseconds after each."""
    return "send", stream, messages, size, effort, value, pause, immediate


@extension
def lifetime(sender, receiver):
    """A lost message has expired before three later ones report it."""
    sender.obeys(*send(0, 100, 1200, "lifetime", 30, pause=20))
    sender.obeys(*send(0, 20, 1200))


@extension
def retransmissions(sender, receiver):
    """A lost message is not sent again, a lost one of full effort is."""
    sender.obeys(*send(0, 150, 1200, "retransmissions", 0))
    sender.obeys(*send(0, 50, 1200))


@extension
def priority(sender, receiver):
    """Urgent messages take the room of those that wait, also of those that are under way."""
    sender.obeys(*send(0, 24, 1200, "priority", 9))
    sender.obeys(*send(0, 40, 1200, "priority", 1))
    sender.obeys(*send(0, 5, 1200))


@extension
def interleaving(sender, receiver):
    """Large messages of two streams and small ones of a third, in both directions at once."""
    for end in (sender, receiver):
        end.begins(*send(0, 1, 200_000))
        end.begins(*send(1, 1, 200_000))
        end.begins(*send(2, 5, 1200))
    for end in (sender, receiver):
        end.finishes()
        end.has_received(7)


@extension
def interleaving_expires(sender, receiver):
    """Messages of several chunks, of three streams, of which lost ones are given up."""
    for stream in (0, 1, 2):
        sender.obeys(*send(stream, 15, 5000, "retransmissions", 0))
    for stream in (0, 1, 2):
        sender.obeys(*send(stream, 5, 5000))


@extension
def nr_sack(sender, receiver):
    """Streams that take turns: what is lost of one does not hold up the others."""
    for stream in (0, 1, 2) * 10:
        sender.begins(*send(stream, 10, 1200))
    receiver.obeys(*send(0, 100, 1200))
    sender.finishes()
    sender.has_received(100)


@extension
def sack_immediately(sender, receiver):
    """Single messages, to which a SACK may be late, and must not."""
    sender.obeys(*send(0, 5, 100, pause=300))
    sender.obeys(*send(1, 5, 100, pause=300, immediate=1))


@extension
def reset_streams(sender, receiver):
    """Streams of both ends begin anew, those of the other end by request; a stream that is left counts on."""
    for end in (sender, receiver):
        for stream in (0, 1, 2):
            end.obeys(*send(stream, 3, 100))
    for end in (sender, receiver):
        end.has_received(9)
    sender.obeys("reset outgoing 1,2")
    sender.tells_of("reset-outgoing", {1, 2})
    receiver.tells_of("reset-incoming", {1, 2})
    sender.obeys("reset incoming 1")
    sender.tells_of("reset-incoming", {1})
    receiver.tells_of("reset-outgoing", {1})
    for end in (sender, receiver):
        for stream in (0, 1, 2):
            end.obeys(*send(stream, 3, 100))
    for end in (sender, receiver):
        end.has_received(18)


@extension
def add_streams(sender, receiver):
    """Both ends have 10 streams, and use those that are added."""
    sender.obeys("add 5 0")
    sender.tells("added 15 10")
    receiver.tells("added 10 15")
    sender.obeys("add 0 3")
    sender.tells("added 15 13")
    receiver.tells("added 13 15")
    sender.obeys(*send(14, 3, 100))
    receiver.obeys(*send(12, 3, 100))
    for end in (sender, receiver):
        end.has_received(3)


@extension
def reset_association(sender, receiver):
    """All streams and TSNs begin anew. Where usrsctp asked for it, it may ignore SACKs: it sends no more."""
    for end in (sender, receiver):
        for stream in (0, 1):
            end.obeys(*send(stream, 3, 100))
    for end in (sender, receiver):
        end.has_received(6)
    time.sleep(ACKNOWLEDGED)
    sender.obeys("reset association")
    for end in (sender, receiver):
        end.tells("reset-association")
    ends = [sender, receiver] if sender.name == "ours" else [receiver]
    for end in ends:
        for stream in (0, 1):
            end.obeys(*send(stream, 3, 100))
    sender.has_received(12)
    receiver.has_received(6 * len(ends))


@extension
def everything(sender, receiver):
    """All extensions at once. usrsctp's messages have full effort: with NR-SACK, it skips too many."""
    for end in (sender, receiver):
        effort = ("retransmissions", 0) if end.name == "ours" else ("full", 0)
        end.begins(*send(0, 1, 100_000))
        end.begins(*send(1, 40, 3000, *effort))
        end.begins(*send(2, 20, 1200, immediate=1))
    for end in (sender, receiver):
        end.finishes()
        end.begins(*send(1, 2, 3000))
    for end in (sender, receiver):
        end.finishes()
        end.waits_for(lambda lines: numbers(lines) >= {"61", "62"}, "lacks the last messages")
    sender.obeys("reset outgoing 1")
    sender.tells_of("reset-outgoing", {1})
    receiver.tells_of("reset-incoming", {1})
    sender.obeys(*send(1, 5, 3000))


@extension
def one_sided(sender, receiver):
    """Only one end has extensions: messages that might be given up all arrive."""
    sender.obeys(*send(0, 100, 1200, "retransmissions", 0))
