"""Questions to a name server, by UDP and TCP, and answers that can be checked (RFC 1035)."""

import random
import socket
import struct

from flows import WrongBytes, exactly

PORT = 53


def question(name):
    """A question for the IPv4 address of a name."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    head = struct.pack(">HHHHHH", random.randrange(1 << 16), 0x0100, 1, 0, 0, 0)
    return head + labels + b"\x00\x00\x01\x00\x01"


def check(asked, answer, address):
    """Raises `WrongBytes` unless it is the answer with that address."""
    is_right = answer[:2] == asked[:2] and answer[12 : len(asked)] == asked[12:]
    if not is_right or answer[3] & 15 != 0 or answer[-4:] != socket.inet_aton(address):
        raise WrongBytes(f"the answer to a question is {answer.hex()}")


def by_udp(server, name, address, timeout):
    """Asks once."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(timeout)
        client.connect((server, PORT))
        asked = question(name)
        client.send(asked)
        check(asked, client.recv(65535), address)


def by_tcp(connection, name, address):
    """Asks over a connection."""
    asked = question(name)
    connection.sendall(struct.pack(">H", len(asked)) + asked)
    length = struct.unpack(">H", exactly(connection, 2))[0]
    check(asked, exactly(connection, length), address)
