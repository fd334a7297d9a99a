"""Connections as programs make them, by a port, SOCKS5 or HTTP CONNECT, and bytes that can be checked."""

import random
import socket
import struct

MPTCP = 262
PIECE = 1 << 17
LENGTH = 1_000_003
"""Of the block that repeats: a prime, so that no piece of a power of two matches at a wrong place."""

BLOCK = random.Random(7).randbytes(LENGTH)
BLOCK += BLOCK[: 2 * PIECE]


class Refused(Exception):
    """The proxy says that there is no such connection."""


class WrongBytes(Exception):
    """What arrived is not what was sent: the one thing that must never happen."""


def piece(seed, offset, length):
    """The bytes of a flow from an offset on, at most two pieces of them."""
    start = (offset + seed * 7919) % LENGTH
    return BLOCK[start : start + length]


class Checked:
    """Compares the bytes of a flow with what its seed says."""

    def __init__(self, seed):
        self.seed, self.count = seed, 0

    def take(self, data):
        """Counts the bytes, or raises `WrongBytes`."""
        expected = piece(self.seed, self.count, len(data))
        if data != expected:
            at = next(i for i, (got, sent) in enumerate(zip(data, expected, strict=True)) if got != sent)
            raise WrongBytes(f"the byte at {self.count + at} is wrong")
        self.count += len(data)


def connected(way, to, timeout=None):
    """A connection to ``to`` (host:port) by a way: its kind and the address of the proxy or port."""
    kind, host, port = way.split(":")
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, MPTCP if kind == "mptcp" else 0)
    connection.settimeout(timeout)
    try:
        connection.connect((host, int(port)))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        greet = {"port": by_port, "socks": by_socks, "mptcp": by_socks, "connect": by_connect}[kind]
        greet(connection, *to.split(":"))
    except BaseException:
        connection.close()
        raise
    return connection


def by_port(_connection, _host, _port):
    """The port leads to its destination by itself."""


def by_socks(connection, host, port):
    """Asks a SOCKS5 proxy (RFC 1928) for an IPv4 address."""
    connection.sendall(b"\x05\x01\x00")
    if exactly(connection, 2) != b"\x05\x00":
        raise Refused("SOCKS wants another method")
    connection.sendall(b"\x05\x01\x00\x01" + socket.inet_aton(host) + struct.pack(">H", int(port)))
    reply = exactly(connection, 10)
    if reply[1] != 0:
        raise Refused(f"SOCKS says {reply[1]}")


def by_connect(connection, host, port):
    """Asks an HTTP proxy for a connection (RFC 9110 section 9.3.6)."""
    connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += exactly(connection, 1)
    if head.split()[1] != b"200":
        raise Refused(f"CONNECT says {head.split()[1].decode()}")


def exactly(connection, count):
    """So many bytes."""
    data = b""
    while len(data) < count:
        got = connection.recv(count - len(data))
        if not got:
            raise ConnectionResetError("closed before the answer")
        data += got
    return data


def reset(connection):
    """Closes with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
