"""The evidence of an extension: in the words of both ends, that each message arrived as the rules say; in
their packets, that the extension was agreed and used, and nothing that it replaces.
"""

import ipaddress
import itertools
import statistics

from network import OURS, PEER, address
from packets import parameters, read
from programs import Failed

DATA, INIT, INIT_ACK, SACK, NR_SACK, I_DATA = 0, 1, 2, 3, 16, 64
RE_CONFIG, FORWARD_TSN, I_FORWARD_TSN = 130, 192, 194

SUPPORTED_EXTENSIONS, FORWARD_TSN_SUPPORTED = 0x8008, 0xC000
OUTGOING_RESET, INCOMING_RESET, TSN_RESET, ANSWER, ADD_OUTGOING, ADD_INCOMING = 13, 14, 15, 16, 17, 18
PERFORMED = 1

IMMEDIATELY = 0x08
QUICK, DELAYED = 0.1, 0.15
"""Seconds: a SACK that is not delayed is quicker, a delayed one is slower; both ends delay by 0.2 s."""

ANNOUNCED = {
    "interleaving": I_DATA,
    "nr_sack": NR_SACK,
    "stream_reconfiguration": RE_CONFIG,
    "partial_reliability": FORWARD_TSN,
}
"""The chunk type that stands for an extension in Supported Extensions (RFC 5061, 4.2.7)."""


class Wire:
    """The packets of one end as they left it, in their order."""

    def __init__(self, packets, source):
        source = str(ipaddress.ip_address(source))
        self.packets = [(at, packet) for at, packet in packets if packet.source == source]

    def chunks(self, *kinds):
        """Each chunk of these types, with its time."""
        return [(at, chunk) for at, packet in self.packets for chunk in packet.chunks if chunk.kind in kinds]

    def values(self, *kinds):
        """What follows the header of each chunk of these types."""
        return [chunk.value for _, chunk in self.chunks(*kinds)]

    def data(self):
        """Each chunk with user data, once, in the order of TSNs."""
        first = {}
        for _, chunk in self.chunks(DATA, I_DATA):
            first.setdefault(chunk.value[:4], chunk)
        return list(first.values())

    def requests(self):
        """The parameters of RE-CONFIG chunks: the type of each, and what follows its header."""
        return [each for value in self.values(RE_CONFIG) for each in parameters(value)]


def judge(row, ends, capture):
    """Raises ``Failed`` where a message or a packet is not as the row's extension wants it."""
    names = [end.name for end in ends]
    packets = [(at, read(packet)) for at, packet in capture.packets()]
    sides = {"ours": OURS, "usrsctp": PEER}
    wires = [Wire(packets, address(sides[name], 0, row.versions[0])) for name in names]
    for wire, name in zip(wires, names, strict=True):
        announced(wire, name, row.extension)
        formed(wire, name, row.extension.agreed)
    sender, receiver = ends
    lost = delivered(sender, receiver), delivered(receiver, sender)
    for is_so, wrong in CHECKS[row.meeting](*wires, *lost):
        if not is_so:
            raise Failed(wrong)


def announced(wire, name, extension):
    """The INIT or INIT-ACK lists what the end has switched on: an INIT-ACK perhaps only what the INIT has."""
    found = dict(parameters(wire.values(INIT, INIT_ACK)[0][16:]))
    kinds = {*found.get(SUPPORTED_EXTENSIONS, b"")} - {FORWARD_TSN}
    if FORWARD_TSN_SUPPORTED in found:
        kinds.add(FORWARD_TSN)
    listed = {key for key, kind in ANNOUNCED.items() if kind in kinds}
    own = {*(extension.ours if name == "ours" else extension.usrsctp)}
    if not extension.agreed <= listed <= own:
        raise Failed(f"{name} announces {sorted(listed)}, where it has {sorted(own)}")


def formed(wire, name, agreed):
    """What is agreed is used, and what it replaces is not; what is not agreed is not used."""
    interleaves, skips = "interleaving" in agreed, "partial_reliability" in agreed
    wrong = {SACK if "nr_sack" in agreed else NR_SACK, DATA if interleaves else I_DATA}
    wrong |= {RE_CONFIG} - ({RE_CONFIG} if "stream_reconfiguration" in agreed else set())
    wrong |= {FORWARD_TSN, I_FORWARD_TSN} - (
        {I_FORWARD_TSN if interleaves else FORWARD_TSN} if skips else set()
    )
    sent = {chunk.kind for _, packet in wire.packets for chunk in packet.chunks} & wrong
    if sent:
        raise Failed(f"{name} sent chunks of the types {sorted(sent)}")


def delivered(sender, receiver):
    """The messages that did not arrive; all others did, once, in the order of their stream, unchanged."""
    sent, received, given_up = sender.all("sent"), receiver.all("received"), sender.all("given-up")
    if not set(received) <= set(sent) or len(set(received)) < len(received):
        raise Failed(f"{receiver.name} received what was not sent, or twice: {set(received) - set(sent)}")
    for stream in {message[0] for message in received}:
        numbers = [int(number) for sid, number, *_ in received if sid == stream]
        if numbers != sorted(numbers):
            raise Failed(f"{receiver.name} received messages of stream {stream} out of order")
    lost = {(stream, int(number)) for stream, number, *_ in set(sent) - set(received)}
    silent = lost - {(stream, int(number)) for stream, number, _ in given_up}
    if silent:
        raise Failed(f"{sender.name} did not give up {sorted(silent)[:3]}, which did not arrive")
    return {number for _, number in lost}


def losses(limited):
    """Only some messages of limited effort are lost; FORWARD-TSN skips them."""

    def check(sends, receives, lost, lost_back):
        kinds = (FORWARD_TSN, I_FORWARD_TSN)
        yield sends.chunks(*kinds), "nothing was skipped"
        yield not receives.chunks(*kinds) and not lost_back, "the receiver skipped something"
        yield lost, "no message was given up"
        yield lost <= limited, f"messages of full effort did not arrive: {sorted(lost - limited)[:3]}"
        yield len(lost) < len(limited), "no message of limited effort arrived"

    return check


def never_again(sends, receives, lost, lost_back):
    """The same, and no message of limited effort is sent twice."""
    yield from losses({*range(150)})(sends, receives, lost, lost_back)
    tsns = [
        chunk.value[:4]
        for _, chunk in sends.chunks(DATA)
        if int.from_bytes(chunk.value[8:12]) in range_of(150)
    ]
    yield len(set(tsns)) == len(tsns), "a message was sent again, against its effort"


def range_of(messages):
    """The payload protocol identifiers of the first messages."""
    return range(FIRST_PPID, FIRST_PPID + messages)


FIRST_PPID = 0x4142_0000


def interleaved(sends, receives, lost, lost_back):
    """In both directions, large messages take turns, and small ones do not wait for them."""
    for wire in (sends, receives):
        chunks = [IData(chunk) for chunk in wire.data()]
        yield is_mixed([chunk.stream for chunk in chunks], {0, 1}), "no message interrupted another"
        yield not (lost or lost_back), "messages did not arrive"
        yield from in_parts(chunks)
        last = {chunk.stream: place for place, chunk in enumerate(chunks)}
        yield last[2] < min(last[0], last[1]), "small messages waited for large ones"


class IData:
    """The header of an I-DATA chunk (RFC 8260, 2.1)."""

    def __init__(self, chunk):
        self.stream, self.mid = int.from_bytes(chunk.value[4:6]), int.from_bytes(chunk.value[8:12])
        self.is_first = bool(chunk.flags & 2)
        self.fsn = 0 if self.is_first else int.from_bytes(chunk.value[12:16])


def is_mixed(streams, both):
    """True if each stream has a chunk between two of the other."""
    runs = [stream for stream, _ in itertools.groupby(stream for stream in streams if stream in both)]
    return len(runs) >= 4


def in_parts(chunks):
    """Each stream counts its messages, and each message its parts, from 0 and without gaps."""
    expected = {}
    for chunk in chunks:
        mid, fsn = expected.get(chunk.stream, (-1, 0))
        mid, fsn = (mid + 1, 0) if chunk.is_first else (mid, fsn + 1)
        yield (chunk.mid, chunk.fsn) == (mid, fsn), f"stream {chunk.stream} has message {chunk.mid} for {mid}"
        expected[chunk.stream] = mid, fsn


def firm_reports(sends, receives, lost, lost_back):
    """Both ends report by NR-SACK, the receiver also data behind a gap, for good."""
    for wire in (sends, receives):
        yield wire.chunks(NR_SACK), "an end sent no NR-SACK"
    yield any(value[10:12] != b"\0\0" for value in receives.values(NR_SACK)), "nothing was reported for good"
    yield not (lost or lost_back), "messages did not arrive"


def at_once(sends, receives, lost, lost_back):
    """A SACK comes at once where a message asks for it, else late."""
    asked = {True: [], False: []}
    sacks = [at for at, _ in receives.chunks(SACK)]
    for at, chunk in sends.chunks(DATA):
        asked[bool(chunk.flags & IMMEDIATELY)].append(
            next((sack for sack in sacks if sack > at), at + 9) - at
        )
    yield len(asked[True]) == 5, f"{len(asked[True])} messages asked for a SACK"
    quick, slow = statistics.median(asked[True]), statistics.median(asked[False])
    yield quick < QUICK, f"SACKs that were asked for took {quick:.3f} s"
    yield slow > DELAYED, f"SACKs that were not asked for took {slow:.3f} s"
    yield not lost, "messages did not arrive"


def numbers(wire):
    """The SSNs of each stream, in order."""
    found = {}
    for value in (chunk.value for chunk in wire.data()):
        found.setdefault(int.from_bytes(value[4:6]), []).append(int.from_bytes(value[6:8]))
    return found


def agreed_to(asks, answers, *kinds):
    """The first end made these requests, and the other performed every one."""
    for kind in kinds:
        numbers = {value[:4] for found, value in asks.requests() if found == kind}
        performed = {
            value[:4] for found, value in answers.requests() if found == ANSWER and result(value) == PERFORMED
        }
        yield numbers, f"no request of type {kind} was made"
        yield numbers <= performed, f"a request of type {kind} was not performed"


def result(answer):
    """The result in an answer."""
    return int.from_bytes(answer[4:8])


ANEW, ON = [0, 1, 2, 0, 1, 2], [0, 1, 2, 3, 4, 5]


def streams_reset(sends, receives, lost, lost_back):
    """Streams that were reset count from 0."""
    yield from agreed_to(sends, receives, OUTGOING_RESET)
    yield any(kind == INCOMING_RESET for kind, _ in sends.requests()), "no reset was asked for"
    yield from agreed_to(receives, sends, OUTGOING_RESET)
    yield numbers(sends) == {0: ON, 1: ANEW, 2: ANEW}, f"the sender counts {numbers(sends)}"
    yield numbers(receives) == {0: ON, 1: ANEW, 2: ON}, f"the receiver counts {numbers(receives)}"
    yield not (lost or lost_back), "messages did not arrive"


def streams_added(sends, receives, lost, lost_back):
    """Both ends use streams that they did not have."""
    yield from agreed_to(sends, receives, ADD_OUTGOING)
    yield any(kind == ADD_INCOMING for kind, _ in sends.requests()), "no stream of the other was asked for"
    yield from agreed_to(receives, sends, ADD_OUTGOING)
    yield (
        numbers(sends) == {14: [0, 1, 2]} and numbers(receives) == {12: [0, 1, 2]},
        "other streams were used",
    )
    yield not (lost or lost_back), "messages did not arrive"


def association_reset(sends, receives, lost, lost_back):
    """All streams count from 0, and TSNs begin anew: as the answer says."""
    yield from agreed_to(sends, receives, TSN_RESET)
    yield numbers(receives) == {0: ANEW, 1: ANEW}, f"the receiver counts {numbers(receives)}"
    (answer, *_) = (value for kind, value in receives.requests() if kind == ANSWER and len(value) >= 16)
    granted, own = answer[12:16], answer[8:12]
    tsns = [[chunk.value[:4] for chunk in wire.data()] for wire in (sends, receives)]
    # usrsctp sends nothing more if it asked for the reset (docs/interop.md).
    if len(tsns[0]) > 6:
        yield numbers(sends) == {0: ANEW, 1: ANEW}, f"the sender counts {numbers(sends)}"
        yield tsns[0][6] == granted, "the sender's TSNs do not begin as they were granted"
    yield tsns[1][6] == own, "the receiver's TSNs do not begin as it said"
    yield not (lost or lost_back), "messages did not arrive"


def all_used(sends, receives, lost, lost_back):
    """Each extension shows itself, in both directions."""
    for wire, gone in ((sends, lost), (receives, lost_back)):
        yield bool(gone) == bool(wire.chunks(I_FORWARD_TSN)), "what was given up was not skipped"
    yield lost or lost_back, "nothing was given up"
    for wire in (sends, receives):
        yield wire.chunks(I_DATA) and wire.chunks(NR_SACK), "an end sent no I-DATA or NR-SACK"
        yield (
            is_mixed([IData(chunk).stream for chunk in wire.data()], {0, 1}),
            "no message interrupted another",
        )
        yield any(chunk.flags & IMMEDIATELY for chunk in wire.data()), "no message asked for a SACK"
    yield from agreed_to(sends, receives, OUTGOING_RESET)
    mids = [part.mid for part in map(IData, sends.data()) if part.stream == 1 and part.is_first]
    yield mids[-5:] == [0, 1, 2, 3, 4], f"the last messages of a stream that was reset are {mids[-5:]}"
    yield (lost | lost_back) <= {*range(1, 41)}, "messages of full effort did not arrive"


def all_arrive(sends, receives, lost, lost_back):
    """Nothing is lost, and what was lost on the way was sent again."""
    yield not lost, "messages did not arrive"
    yield len(sends.chunks(DATA)) > len(sends.data()), "nothing was lost on the way"


CHECKS = {
    "one_sided": all_arrive,
    "lifetime": losses({*range(100)}),
    "retransmissions": never_again,
    "priority": losses({*range(24)}),
    "interleaving": interleaved,
    "interleaving_expires": losses({*range(45)}),
    "nr_sack": firm_reports,
    "sack_immediately": at_once,
    "reset_streams": streams_reset,
    "add_streams": streams_added,
    "reset_association": association_reset,
    "everything": all_used,
}
