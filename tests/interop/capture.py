"""Writes a capture of IP packets as a pcap file."""

import struct
import time

LINKTYPE_RAW = 101
HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_RAW)


class Capture:
    """Packets with the times at which they were seen, kept until they are written."""

    def __init__(self):
        self.parts = [HEADER]

    def note(self, packet):
        """Keeps a packet that is seen now."""
        seconds, rest = divmod(time.time_ns(), 1_000_000_000)
        self.parts.append(struct.pack("<IIII", seconds, rest // 1000, len(packet), len(packet)))
        self.parts.append(packet)

    def packets(self):
        """Every packet, with its time in seconds."""
        for header, packet in zip(self.parts[1::2], self.parts[2::2], strict=True):
            seconds, micros = struct.unpack_from("<II", header)
            yield seconds + micros / 1e6, packet

    def write(self, path):
        """Writes the file."""
        path.write_bytes(b"".join(self.parts))
