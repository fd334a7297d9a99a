"""SCTP packets in UDP datagrams, as their captures have them."""

import ipaddress
import struct
from dataclasses import dataclass
from typing import NamedTuple

import ecn


class Chunk(NamedTuple):
    """A chunk: its type, its flags, and what follows its header."""

    kind: int
    flags: int
    value: bytes


@dataclass(frozen=True)
class Packet:
    """An SCTP packet in a UDP datagram."""

    source: str
    bits: int
    chunks: tuple[Chunk, ...]

    def of(self, kind):
        """The content of its chunks of a type."""
        return [chunk.value for chunk in self.chunks if chunk.kind == kind]

    def tsns(self, kind):
        """The TSN with which each of these chunks begins."""
        return [int.from_bytes(value[:4]) for value in self.of(kind)]


def read(packet):
    """An IP packet as an SCTP packet."""
    source, header = (packet[12:16], 20) if packet[0] >> 4 == 4 else (packet[8:24], 40)
    rest, chunks = packet[header + 8 + 12 :], []
    while len(rest) >= 4:
        kind, flags, length = struct.unpack_from(">BBH", rest)
        chunks.append(Chunk(kind, flags, rest[4:length]))
        rest = rest[max(4, length + 3 & ~3) :]
    return Packet(str(ipaddress.ip_address(source)), ecn.bits(packet), tuple(chunks))


def parameters(value):
    """The parameters in a row of bytes: the type of each, and what follows its header."""
    while len(value) >= 4:
        kind, length = struct.unpack_from(">HH", value)
        yield kind, value[4:length]
        value = value[max(4, length + 3 & ~3) :]
