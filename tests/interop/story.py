"""The congestion marks in the packets of one transfer over one path: which packets could be marked,
which were, and how the receiver reported that and the sender answered.
"""

import heapq
import ipaddress
from dataclasses import dataclass, field

import ecn
from packets import read

DATA, SACK, ECNE, CWR = 0, 3, 12, 13


def is_covered(tsn, by):
    """True if a TSN is not after another."""
    return (by - tsn) % 2**32 < 2**31


@dataclass
class Story:
    """The counts, and what of the packets is wrong."""

    sender: str
    names_newest: bool
    """True if a report names the newest marked TSN instead of the first."""
    data: int = 0
    """Packets with data that left, and how many of them did not arrive."""
    lost: int = 0
    capable: int = 0
    capable_control: int = 0
    marks: int = 0
    """Packets with data that arrived with a mark."""
    reports: list[int] = field(default_factory=list)
    """The TSN of each ECNE that left."""
    answers: int = 0
    """CWRs that left."""
    quiet: int = 0
    """SACKs without a report that left after an answer, before the next mark."""
    faults: list[str] = field(default_factory=list)
    named: int | None = None
    """The TSN that the receiver has to report."""
    since: int | None = None
    """The first TSN that arrived with what changed that, or after it: a SACK that has it was sent later."""

    def on_left(self, packet):
        """A packet left the end that sent it."""
        if packet.source == self.sender:
            has_data, is_capable = bool(packet.of(DATA)), packet.bits != 0
            self.data += has_data
            self.lost += has_data
            self.capable += has_data and is_capable
            self.capable_control += is_capable and not has_data
            self.answers += len(packet.of(CWR))
            return
        self.capable_control += packet.bits != 0
        self.reports += packet.tsns(ECNE)
        for acknowledged in packet.tsns(SACK):
            self.on_sack(acknowledged, bool(packet.of(ECNE)))

    def on_arrived(self, packet):
        """A packet arrived at the other end."""
        if packet.source != self.sender:
            return
        for tsn in packet.tsns(CWR):
            if self.named is not None and is_covered(self.named, tsn):
                self.named, self.since = None, None
        tsns = packet.tsns(DATA)
        if not tsns:
            return
        self.lost -= 1
        if packet.bits == ecn.CE:
            self.marks += 1
            if self.named is None:
                self.named, self.since = tsns[-1 if self.names_newest else 0], tsns[-1]
            elif self.names_newest:
                self.named = tsns[-1]
        if self.since is None:
            self.since = tsns[-1]

    def on_sack(self, acknowledged, reports):
        """Each SACK repeats a report until it is answered, and then no more."""
        if not self.marks or self.since is None or not is_covered(self.since, acknowledged):
            return
        if self.named is None:
            self.quiet += not reports
            if reports:
                self.faults.append(f"a report behind its answer, where {acknowledged} is acknowledged")
        elif not reports:
            self.faults.append(f"no report of {self.named}, where {acknowledged} is acknowledged")


def story_of(wire, sender, names_newest):
    """The story of a transfer: ``sender`` has the data."""
    left = ((at, Story.on_left, packet) for at, packet in wire.capture.packets())
    arrived = ((at, Story.on_arrived, packet) for at, packet in wire.arrived.packets())
    story = Story(str(ipaddress.ip_address(sender)), names_newest)
    for _, tell, packet in heapq.merge(left, arrived, key=lambda event: event[0]):
        tell(story, read(packet))
    return story
