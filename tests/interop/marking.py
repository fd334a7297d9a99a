"""The meetings in which queues mark packets: our program and ``ecn_peer``, and whether marks, reports, cuts
and answers are what they should be.
"""

from dataclasses import dataclass

from meetings import expect
from network import OURS, PEER, address
from programs import UDP_PORT, Failed, Program
from story import story_of

SCTP_PORT = 9

QUEUES = {
    "codel": '{ kind = "codel" }',
    "fq-codel": '{ kind = "fq-codel" }',
    "red": '{ kind = "red", limit = "1000 packets", min = 10, max = 60, weight = 0.02 }',
    "drop-tail": '"1000 packets"',
}


@dataclass(frozen=True)
class Marking:
    """A queue that marks, and what of ECN our program is set to."""

    queue: str
    ecn: str
    opens: str
    """The end that opens the association: ``ours`` or ``usrsctp``."""
    is_tested: bool = False
    """True if our program marks packets itself, to see that reports come back; the queue marks none then."""

    def __str__(self):
        """In words."""
        tested = ["ecn_test"] * self.is_tested
        return ", ".join([self.queue, f"ecn = {self.ecn}", *tested, f"opened by {self.opens}"])


def ecn_receiver(meeting):
    """We send, usrsctp receives."""
    sent = meeting.sent
    ours, theirs = meet(meeting, "source", "receive", {"messages": sent.messages, "size": sent.size})
    expect(ours, sent=sent.messages, sent_sum=theirs["sum"])
    received(theirs, messages=sent.messages, bytes=sent.bytes)
    return float(ours["seconds"])


def ecn_sender(meeting):
    """usrsctp sends, we receive."""
    sent = meeting.sent
    ours, theirs = meet(meeting, "discard", "send", {}, sent.messages, sent.size)
    received(theirs, messages=sent.messages, bytes=sent.bytes)
    expect(ours, received=sent.messages, bytes=sent.bytes, sum=theirs["sum"])
    return float(theirs["seconds"])


def meet(meeting, role, peers_role, settings, *words):
    """Lets both run, the one that listens first; what each counted."""
    marking = meeting.marking
    (local,), (remote,) = meeting.peers.addresses(), meeting.ours.addresses()
    settings |= {"ecn": marking.ecn, "ecn_test": str(marking.is_tested).lower()}
    ends = [peers_role, local, remote, UDP_PORT, SCTP_PORT, *words]
    if marking.opens == "ours":
        theirs = ecn_peer(meeting, "listen", *ends)
        theirs.wait_for(lambda lines: "ready" in lines, meeting.deadline, "usrsctp did not start")
        ours = meeting.partner_is(role, SCTP_PORT, peers=[local], **settings)
    else:
        ours = meeting.partner_is(role, SCTP_PORT, **settings)
        theirs = ecn_peer(meeting, "open", *ends)
    counted = ours.count(meeting.deadline)
    theirs.wait_for(lambda lines: is_last(lines[-1:]), meeting.deadline, "usrsctp did not end")
    meeting.counted = counted, dict(word.split("=") for word in theirs.lines[-1].split())
    return meeting.counted


def ecn_peer(meeting, *words):
    """Starts usrsctp behind a socket that hands the ECN bits on."""
    program = Program(meeting.peers.command(str(meeting.installed.ecn_peer), *map(str, words)))
    meeting.programs.append(program)
    return program


def is_last(lines):
    """True for the last words of ``ecn_peer``."""
    return any(line.startswith("messages=") for line in lines)


def received(counted, **what):
    """Checks the counts of usrsctp."""
    for key, value in what.items():
        if str(counted[key]) != str(value):
            raise Failed(f"usrsctp's {key} is {counted[key]}, not {value}")


@dataclass(frozen=True)
class Marks:
    """The counts of a row."""

    data: int
    marks: int
    reports: int
    answers: int
    cuts: int
    lost: int
    again: int


def judge(row, counted, wire):
    """The counts of a transfer whose wire is closed; ``Failed`` where marks did not do what they should."""
    ours, theirs = counted
    we_send = row.meet is ecn_receiver
    sender, receiver = (ours, theirs) if we_send else (theirs, ours)
    story = story_of(wire, address(OURS if we_send else PEER, 0, row.versions[0]), names_newest=we_send)
    link = wire.links[0]["reverse" if we_send else "forward"]
    marks = Marks(
        data=story.data,
        marks=story.marks,
        reports=len(story.reports),
        answers=story.answers,
        cuts=int(sender["cuts"]),
        lost=story.lost,
        again=int(sender["again"]),
    )
    for is_so, wrong in [*always(marks, story, receiver), *by_form(row, marks, story, link)]:
        if not is_so:
            raise Failed(f"{wrong}: {marks}")
    return marks


def always(marks, story, receiver):
    """The checks of each row, with the message for a failure."""
    yield story.capable == story.data, f"{story.data - story.capable} packets with data could not be marked"
    yield story.capable_control == 0, f"{story.capable_control} packets without data could be marked"
    yield marks.marks == int(receiver["marked"]), f"the receiver saw {receiver['marked']} marks"
    yield marks.marks > 0, "no packet was marked"
    yield marks.reports > 0, "no mark was reported"
    yield marks.lost == marks.again == 0, "data was lost where marks suffice"


def by_form(row, marks, story, link):
    """The checks of a form of ECN, with the message for a failure."""
    marking, we_send = row.marking, row.meet is ecn_receiver
    if marking.is_tested:
        yield marks.cuts == link["marked"] == 0, "a mark of our own was taken for congestion"
    else:
        yield marks.marks == link["marked"], f"the queue marked {link['marked']} packets"
        # Half of the associations that usrsctp 0.9.5 accepts take no report for a new one (docs/interop.md).
        may_ignore = not we_send and marking.opens == "ours"
        yield may_ignore or marks.cuts > 0, "no mark cut the window"
        yield marks.cuts <= marks.marks, "there are more cuts than marks"
    if marking.ecn == "cwr":
        yield marks.answers > 0, "no report was answered"
        yield story.quiet > 0, "the reports did not end"
        yield not story.faults, f"{len(story.faults)} SACKs are wrong: {story.faults[:1]}"
    elif we_send:
        yield marks.answers == 0, "reports were answered"
        yield marks.cuts <= len(set(story.reports)), "a repeated report was taken for another"
    else:
        yield len(set(story.reports)) == marks.reports <= marks.marks, "a mark was reported again"
