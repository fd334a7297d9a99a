"""What programs do that know nothing of a bond: attempts.py ADDRESS PORT ROUTER.

A connection, datagrams, a question to a name server, and an echo request; nothing is said of how they go.
"""

import contextlib
import os
import socket
import struct
import sys
import time

QUESTION = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x07example\x03org\x00\x00\x01\x00\x01"


def main():
    """Tries each for a while."""
    address, port, router = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    until = time.monotonic() + 3
    while time.monotonic() < until:
        for attempt in (connect, datagram, ask, ping):
            with contextlib.suppress(OSError):
                attempt(address, port, router)
        time.sleep(0.2)


def connect(address, port, _router):
    """A connection, and a request."""
    with socket.create_connection((address, port), timeout=1) as connection:
        connection.sendall(b"get 1000 1\n")
        connection.recv(1000)


def datagram(address, port, _router):
    """A datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"hello", (address, port))


def ask(_address, _port, router):
    """A question to a private name server."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(QUESTION, (router, 53))


def ping(address, _port, _router):
    """An echo request (RFC 792)."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as client:
        head = struct.pack(">BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, 1)
        total = sum(struct.unpack(">4H", head))
        client.sendto(head[:2] + struct.pack(">H", ~total & 0xFFFF) + head[4:], (address, 0))


if __name__ == "__main__":
    main()
