"""A name server that knows one name, by UDP and TCP: names.py ADDRESS NAME ANSWER…

Of several answers the first question gets the first, and each after the last gets the last.
"""

import contextlib
import socket
import struct
import sys
import threading


def main():
    """Serves for ever."""
    address, name, *answers = sys.argv[1:]
    answers = Answers(answers)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind((address, 53))
    listener = socket.create_server((address, 53))
    threading.Thread(target=by_tcp, args=(listener, name, answers), daemon=True).start()
    while True:
        query, client = datagrams.recvfrom(65535)
        datagrams.sendto(reply(query, name, answers), client)


def by_tcp(listener, name, answers):
    """Serves connections, each on its own: some say nothing."""
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, name, answers), daemon=True).start()


def answer(connection, name, answers):
    """Answers the question of a connection, behind its length (RFC 1035 section 4.2.2)."""
    with connection, contextlib.suppress(OSError, IndexError):
        connection.settimeout(60)
        length = connection.recv(2, socket.MSG_WAITALL)
        query = connection.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
        said = reply(query, name, answers)
        connection.sendall(len(said).to_bytes(2, "big") + said)


class Answers:
    """The answers that are left."""

    def __init__(self, answers):
        self.answers = list(answers)

    def take(self):
        """The next one; the last one stays."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def reply(query, name, answers):
    """An answer with an address, or without one for another name or type."""
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode().lower())
        at += 1 + length
    question = query[12 : at + 5]
    is_known = ".".join(labels) == name and question[-4:] == b"\x00\x01\x00\x01"
    record = b""
    if is_known:
        record = b"\xc0\x0c\x00\x01\x00\x01" + struct.pack(">IH", 60, 4) + socket.inet_aton(answers.take())
    head = query[:2] + (b"\x81\x80" if ".".join(labels) == name else b"\x81\x83")
    head += struct.pack(">HHHH", 1, is_known, 0, 0)
    return head + question + record


if __name__ == "__main__":
    main()
