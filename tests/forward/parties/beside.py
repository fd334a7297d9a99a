"""Counts packets that leave by interfaces and are not the bond's, until its input ends: beside.py NAME…

A line of input asks for the counts since the last ones.
"""

import errno
import json
import select
import socket
import struct
import sys
from collections import Counter

BOND = 9899
"""The UDP port of the bond at the server."""

PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP", 58: "ICMPv6"}
ALL, OUTGOING = 3, 4
PACKET, STATISTICS = 263, 6
"""SOL_PACKET, and PACKET_STATISTICS: the packets of a socket since the last time, and those it lost."""

RCVBUFFORCE, BUFFER = 33, 16 << 20
"""SO_RCVBUFFORCE, and the bytes of a socket's buffer, which a busy processor must not make overflow."""

UNREACHABLE = 3
"""The type of ICMP."""


def main():
    """Prints a line when it watches, and the counts by protocol and destination."""
    sockets = []
    for name in sys.argv[1:]:
        watcher = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL))
        watcher.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, BUFFER)
        watcher.bind((name, ALL))
        sockets.append(watcher)
    print("watching", flush=True)
    found = Counter()
    while True:
        ready, _, _ = select.select([*sockets, sys.stdin], [], [])
        for watcher in ready:
            if watcher is sys.stdin:
                is_over = not sys.stdin.readline()
                if lost := sum(map(unseen, sockets)):
                    found["unseen packets"] += lost
                print(json.dumps(found), flush=True)
                if is_over:
                    return
                found.clear()
                continue
            try:
                packet, (_, _, kind, *_) = watcher.recvfrom(65535)
            except OSError as error:
                # The link was cut: told once.
                if error.errno != errno.ENETDOWN:
                    raise
                continue
            if kind == OUTGOING and (what := beside(packet)):
                found[what] += 1


def unseen(watcher):
    """The packets that found no room in a socket's buffer since the last time."""
    return struct.unpack("II", watcher.getsockopt(PACKET, STATISTICS, 8))[1]


def beside(packet):
    """What a packet is, unless it is the bond's, of the link itself, or a neighbour's."""
    if packet[0] >> 4 == 4:
        protocol, behind = packet[9], packet[(packet[0] & 15) * 4 :]
        to = socket.inet_ntop(socket.AF_INET, packet[16:20])
    else:
        protocol, behind = packet[6], packet[40:]
        to = socket.inet_ntop(socket.AF_INET6, packet[24:40])
    if to.startswith(("ff", "fe80", "224.", "239.")):
        return None
    if protocol == 1 and behind[0] == UNREACHABLE:
        # An error about a packet of the bond's server, to that server.
        protocol, behind = behind[8 + 9], behind[8 + (behind[8] & 15) * 4 :]
        is_bond = protocol == 17 and BOND in (port(behind, 0), port(behind, 2))
        return None if is_bond else f"ICMP error to {to}"
    is_bond = protocol == 17 and BOND in (port(behind, 0), port(behind, 2))
    return None if is_bond else f"{PROTOCOLS.get(protocol, protocol)} to {to}"


def port(head, at):
    """A port of a UDP header."""
    return int.from_bytes(head[at : at + 2], "big")


if __name__ == "__main__":
    main()
