"""The ECN bits of IP packets: how they are read, and how a packet is marked."""

import struct

ECT_0, CE = 0b10, 0b11


def bits(packet):
    """The two bits of a packet (RFC 3168, section 5)."""
    return packet[1] & CE if packet[0] >> 4 == 4 else packet[1] >> 4 & CE


def marked(packet):
    """The packet as a congested router leaves it."""
    packet = bytearray(packet)
    if packet[0] >> 4 == 6:
        packet[1] |= CE << 4
        return bytes(packet)
    packet[1] |= CE
    packet[10:12] = bytes(2)
    header = 4 * (packet[0] & 0xF)
    total = sum(struct.unpack(f">{header // 2}H", packet[:header]))
    total = (total & 0xFFFF) + (total >> 16)
    packet[10:12] = struct.pack(">H", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF)
    return bytes(packet)
