"""The rows of the matrix: which programs meet, over how many paths of which kind, and what is sent."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import evidence
import extensions
import meetings
from extensions import Extension
from marking import QUEUES, Marking, Marks, ecn_receiver, ecn_sender, judge
from meetings import Meeting, Sent
from network import OURS, PEER, Side
from programs import Failed
from wire import Wire, scenario

RATE, DELAY = "50 Mbit/s", "5 ms"
MARKED_RATE, MARKED_DELAY = "20 Mbit/s", "10 ms"


@dataclass(frozen=True)
class Row:
    """One meeting of the matrix."""

    meet: Callable
    paths: int
    versions: tuple[int, ...]
    sent: Sent
    loss: float = 0.0
    cuts: tuple[tuple[int, float, float], ...] = ()
    marking: Marking | None = None
    extension: Extension | None = None

    @property
    def name(self):
        """The row in words, which no other has."""
        versions = "+".join(f"v{version}" for version in self.versions)
        what = f"{self.sent.messages}x{self.sent.size} {self.fault}"
        return f"{self.meeting} {self.paths} {versions} {what}".strip()

    @property
    def meeting(self):
        """The two ends."""
        return self.meet.__name__

    @property
    def fault(self):
        """The faults of the network, and the special messages."""
        loss = [f"{self.loss:.0%} lost"] if self.loss else []
        cuts = [f"path {path + 1} cut {begin:g} to {end:g} s" for path, begin, end in self.cuts]
        marking = [] if self.marking is None else [str(self.marking)]
        extension = [] if self.extension is None else [str(self.extension)]
        return ", ".join([*loss, *cuts, *self.sent.manners(), *marking, *extension])

    @property
    def scenario(self):
        """The links between both sides."""
        if self.marking is None:
            rate = RATE if self.extension is None else self.extension.rate
            return scenario(self.paths, rate, DELAY, self.loss, cuts=self.cuts)
        return scenario(self.paths, MARKED_RATE, MARKED_DELAY, queue=QUEUES[self.marking.queue])

    def run(self, programs, installed, folder):
        """Makes the network, lets both meet in it, and takes it away."""
        name = self.name.translate({ord(" "): "-", ord(","): None, ord("%"): None, ord("="): None})
        begin = time.monotonic()
        peers, ours = Side(PEER, self.paths, self.versions), Side(OURS, self.paths, self.versions)
        wire = Wire(programs / "anabranch", self.scenario, peers, ours)
        programs = programs / "examples/partner"
        meeting = Meeting(programs, installed, ours, peers, self.sent, self.marking, self.extension)
        failure, goodput, marks = None, None, None
        try:
            seconds = self.meet(meeting)
            goodput = self.sent.bytes * 8 / seconds / 1e6 if seconds else None
            silent = [path + 1 for path, packets in enumerate(wire.packets) if 0 in packets]
            if silent:
                failure = f"a side sent nothing on path {silent}"
        except Failed as failed:
            failure = str(failed)
        finally:
            meeting.close()
            wire.close()
            wire.capture.write(folder / f"{name}.pcap")
            for side in (peers, ours):
                side.close()
        if self.marking is not None:
            wire.arrived.write(folder / f"{name}-arrived.pcap")
        if failure is None:
            failure, marks = self.judged(meeting, wire)
        return Result(failure, goodput, marks, time.monotonic() - begin)

    def judged(self, meeting, wire):
        """Why the packets are not as they should be, or None; and what was counted of marks."""
        try:
            if self.extension is not None:
                evidence.judge(self, meeting.counted, wire.capture)
            return None, None if self.marking is None else judge(self, meeting.counted, wire)
        except Failed as failed:
            return str(failed), None


@dataclass
class Result:
    """The result of a row."""

    failure: str | None
    goodput_mbps: float | None
    marks: Marks | None
    seconds: float

    @property
    def is_expected(self):
        """True if the result is as expected."""
        return self.failure is None


V4, V6, BOTH = (4,), (6,), (4, 6)
PATHS = (1, 2, 3)
MARKED = Sent(3_000, 1200)
"""Enough for a queue to fill and to be emptied by marks some times."""

SHORT = Sent(200, 1200)

ENDS = ("ours", "usrsctp")
LIMITED, INTERLEAVED, RESETS = "partial_reliability", "interleaving", "stream_reconfiguration"
ALL = (LIMITED, INTERLEAVED, RESETS, "nr_sack")

EXTENSIONS = [
    (extensions.lifetime, Sent(120, 1200), 0.05, [LIMITED], {}),
    (extensions.retransmissions, Sent(200, 1200), 0.05, [LIMITED], {}),
    (extensions.priority, Sent(69, 1200), 0, [LIMITED], {"send_buffer": 30_000, "rate": "1 Mbit/s"}),
    (extensions.interleaving, Sent(7, 200_000), 0, [INTERLEAVED], {}),
    (extensions.interleaving_expires, Sent(60, 5000), 0.05, [LIMITED, INTERLEAVED], {}),
    (extensions.nr_sack, Sent(300, 1200), 0.05, ["nr_sack"], {}),
    (extensions.sack_immediately, Sent(10, 100), 0, [], {}),
    (extensions.reset_streams, Sent(36, 100), 0, [RESETS], {}),
    (extensions.add_streams, Sent(6, 100), 0, [RESETS], {}),
    (extensions.reset_association, Sent(24, 100), 0, [RESETS], {}),
    (extensions.everything, Sent(68, 3000), 0.05, ALL, {}),
]
"""The meetings with an extension, what is sent, the losses, what is switched on, and special settings."""

BRIEF = [
    ("lifetime", "ours", "ours"),
    ("interleaving_expires", "usrsctp", "ours"),
    ("reset_association", "ours", "usrsctp"),
    ("add_streams", "usrsctp", "usrsctp"),
    ("everything", "ours", "usrsctp"),
    ("everything", "usrsctp", "ours"),
]
"""Those that `make test` has time for: the meeting, the sender, and the end that opens."""

LACKING = [(extensions.priority, "usrsctp")]
"""The meetings of which usrsctp is not capable, where it is the sender."""

QUICK = [
    Row(meetings.echo_server, 1, V4, Sent(50, 1)),
    Row(meetings.echo_server, 2, V4, Sent(100, 1200)),
    Row(meetings.echo_server, 3, V6, Sent(50, 10_000)),
    Row(meetings.discard_server, 2, V6, Sent(3, 1_000_000)),
    Row(meetings.client, 2, BOTH, Sent(50, 60)),
    Row(meetings.tsctp_client, 1, V4, Sent(3, 1_000_000)),
    Row(meetings.tsctp_client, 2, V4, Sent(500, 1400), loss=0.01),
    Row(meetings.tsctp_server, 3, V4, Sent(200, 10_000), loss=0.01),
    Row(meetings.tsctp_server, 2, V4, Sent(1000, 1400), cuts=((0, 0.5, 2.0),)),
    Row(meetings.discard_server_moves, 2, V4, Sent(8_000, 1200)),
    Row(ecn_receiver, 1, V4, MARKED, marking=Marking("codel", "cwr", "ours")),
    Row(ecn_sender, 1, V6, MARKED, marking=Marking("red", "echo", "usrsctp")),
]
"""The rows that `make test` has time for."""


def clean():
    """Each meeting over one, two and three paths, with messages of all sizes."""
    for paths, versions in itertools.product(PATHS, (V4, V6)):
        for messages, size in (
            (200, 1),
            (200, 100),
            (200, 1200),
            (100, 10_000),
            (20, 100_000),
            (3, 1_000_000),
        ):
            yield Row(meetings.echo_server, paths, versions, Sent(messages, size))
        for messages, size in ((500, 1), (1000, 1400), (3, 1_000_000)):
            yield Row(meetings.discard_server, paths, versions, Sent(messages, size))
        for messages, size in ((50, 1), (200, 60)):
            yield Row(meetings.client, paths, versions, Sent(messages, size))
    for meet, paths in itertools.product((meetings.tsctp_client, meetings.tsctp_server), PATHS):
        for messages, size in ((500, 1), (500, 100), (50, 65_536), (5, 1_000_000)):
            yield Row(meet, paths, V4, Sent(messages, size))
    for meet, paths in itertools.product(ALL_TSCTP, PATHS):
        yield Row(meet, paths, V4, Sent(4000, 1400))


def special():
    """Both IP versions, several streams, no order, an unannounced UDP port, an extension we lack."""
    for paths in (2, 3):
        yield Row(meetings.echo_server, paths, BOTH, Sent(200, 1200))
        yield Row(meetings.discard_server, paths, BOTH, Sent(3, 1_000_000))
        yield Row(meetings.client, paths, BOTH, Sent(200, 60))
    yield Row(meetings.echo_server, 2, V4, Sent(400, 1200, streams=8))
    yield Row(meetings.discard_server_moves, 2, V4, Sent(8_000, 1200))
    yield Row(meetings.echo_server, 2, V4, Sent(200, 1200, udp=0))
    for loss in (0, 0.05):
        yield Row(meetings.tsctp_server, 2, V4, Sent(500, 10_000, is_ordered=False), loss)
        yield Row(meetings.tsctp_client, 2, V4, Sent(500, 10_000, is_ordered=False), loss)
        yield Row(meetings.tsctp_client, 2, V4, Sent(1000, 1400, may_be_lost=True), loss)


def ipcc():
    """We send by path sequence numbers, over good and bad paths, and one that carries nothing for a while."""
    for paths, loss in itertools.product((2, 3), (0, 0.01, 0.05)):
        yield Row(meetings.discard_server, paths, V4, Sent(2000, 1400, is_ipcc=True), loss)
    yield Row(meetings.tsctp_server, 2, V4, Sent(2000, 1400, is_ipcc=True), 0.01)
    yield Row(meetings.tsctp_server, 2, V4, Sent(5000, 1400, is_ipcc=True), cuts=((0, 1.0, 4.0),))


def lossy():
    """One packet in a hundred lost each way, and five."""
    for loss, paths in itertools.product((0.01, 0.05), PATHS):
        yield Row(meetings.echo_server, paths, V4, Sent(200, 1200, streams=8), loss)
        yield Row(meetings.discard_server, paths, V6, Sent(3, 1_000_000), loss)
        yield Row(meetings.client, paths, V6, Sent(200, 60), loss)
        for meet in ALL_TSCTP:
            yield Row(meet, paths, V4, Sent(2000, 1400), loss)


def cut():
    """A path that carries nothing for a while: the only one, the primary, or all others."""
    for paths, meet in itertools.product(PATHS, ALL_TSCTP):
        yield Row(meet, paths, V4, Sent(5000, 1400), cuts=((0, 1.0, 4.0),))
    yield Row(meetings.discard_server, 2, V6, Sent(10, 1_000_000), cuts=((0, 1.0, 4.0),))
    yield Row(meetings.discard_server, 3, V6, Sent(10, 1_000_000), cuts=((1, 1.0, 4.0), (2, 1.0, 4.0)))


def marked():
    """A queue that marks where it would drop: each sends to the other, and each opens the association."""
    for (meet, _), opens, form, versions in itertools.product(SENDERS, ENDS, ("echo", "cwr"), (V4, V6)):
        yield Row(meet, 1, versions, MARKED, marking=Marking("codel", form, opens))
    for (meet, opens), queue, form in itertools.product(SENDERS, ("red", "fq-codel"), ("echo", "cwr")):
        yield Row(meet, 1, V4, MARKED, marking=Marking(queue, form, opens))
    for form in ("echo", "cwr"):
        yield Row(ecn_receiver, 1, V4, SHORT, marking=Marking("drop-tail", form, "ours", is_tested=True))


def extended():
    """Each extension: either end sends or asks for changes, and either opens the association."""
    for sender, opens in itertools.product(ENDS, repeat=2):
        for meet, sent, loss, agreed, special in EXTENSIONS:
            both = Extension(sender, opens, tuple(agreed), tuple(agreed), **special)
            if (meet, sender) not in LACKING:
                yield Row(meet, 1, V4 if opens == "ours" else V6, sent, loss, extension=both)
        switched_on = ALL, ()
        alone = Extension(sender, opens, *(switched_on if opens == "ours" else switched_on[::-1]))
        yield Row(extensions.one_sided, 1, V4, Sent(100, 1200), 0.05, extension=alone)


SENDERS = ((ecn_receiver, "ours"), (ecn_sender, "usrsctp"))

ALL_TSCTP = (meetings.tsctp_client, meetings.tsctp_server, meetings.tsctp_both)

QUICK += [row for row in extended() if (row.meeting, row.extension.sender, row.extension.opens) in BRIEF]

MATRIX = [*clean(), *special(), *ipcc(), *lossy(), *cut(), *marked(), *extended()]
"""The rows of `make interop`."""
