"""One end of a measured transfer over the kernel's TCP or Multipath TCP: as much as goes, or timed messages.

It speaks what ``crates/net/examples/meter.rs`` does, on the command line and in what it prints, and judges
nothing:

    stream.py receive family=tcp|mptcp congestion=NAME local=A[,…] buffer=BYTES seconds=S [rate=… message=…]
    stream.py send    family=tcp|mptcp congestion=NAME local=A[,…] remote=C[,…] buffer=BYTES seconds=S […]

The buffer is what is asked of the kernel for each direction of a socket, which then counts twice as much
memory, for its own records; with 0 the kernel chooses, as it does for most programs. The first addresses open
the connection; others are used as ``ip mptcp`` has them. ``port`` names another port than 9899.
"""

import json
import socket
import struct
import sys
import time

MPTCP = 262
PORT = 9899
PIECE = 1 << 18
SILENCE = 10
"""Seconds without a byte after which no more is expected."""


def main():
    """Reads the command line and plays one end."""
    role, *words = sys.argv[1:]
    wanted = dict(word.split("=", 1) for word in words)
    play = {"receive": receive, "send": send}[role]
    play(wanted)


def opened(wanted):
    """A socket of the family, with the congestion control and the buffers that are wanted."""
    protocol = {"tcp": socket.IPPROTO_TCP, "mptcp": MPTCP}[wanted["family"]]
    end = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, wanted["congestion"].encode())
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer = int(wanted["buffer"])
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF) if buffer else ():
        end.setsockopt(socket.SOL_SOCKET, option, buffer)
        given = end.getsockopt(socket.SOL_SOCKET, option)
        if given != 2 * buffer:
            raise SystemExit(f"the kernel gives a buffer of {given} B where {2 * buffer} B are wanted")
    return end


def port(wanted):
    """The port of the receiver."""
    return int(wanted.get("port", PORT))


def receive(wanted):
    """Waits for the other end, and prints what arrived."""
    listener = opened(wanted)
    listener.bind((wanted["local"].split(",")[0], port(wanted)))
    listener.listen()
    print("ready", flush=True)
    connection, _ = listener.accept()
    connection.settimeout(SILENCE)
    print(json.dumps(timed(connection, wanted) if "rate" in wanted else counted(connection, wanted)))


def counted(connection, wanted):
    """The bytes that arrived in those seconds from the first on, and those in each tenth of a second."""
    seconds = float(wanted["seconds"])
    tenths, start = [0] * round(10 * seconds), None
    memory = bytearray(PIECE)
    while True:
        try:
            got = connection.recv_into(memory)
        except TimeoutError:
            break
        now = time.monotonic()
        start = start or now
        if got == 0 or now - start >= seconds:
            break
        tenths[int(10 * (now - start))] += got
        connection.settimeout(min(SILENCE, start + seconds - now + 0.001))
    return {"bytes": sum(tenths), "seconds": seconds, "tenths": tenths}


def timed(connection, wanted):
    """When each message was due and when it arrived, in µs since the first was due."""
    length, count = int(wanted["message"]), messages(wanted)
    due, arrived, rest = [], [], b""
    while len(due) < count:
        try:
            got = connection.recv(PIECE)
        except TimeoutError:
            break
        if not got:
            break
        now = time.monotonic_ns()
        rest += got
        whole = len(rest) // length
        for number in range(whole):
            due.append(struct.unpack_from(">Q", rest, number * length)[0])
            arrived.append(now)
        rest = rest[whole * length :]
    first = min(due, default=0)
    return {
        "due": [(at - first) // 1_000 for at in due],
        "arrived": [(at - first) // 1_000 for at in arrived],
    }


def send(wanted):
    """Sends as much as goes until it is ended, or messages when they are due."""
    connection = opened(wanted)
    connection.bind((wanted["local"].split(",")[0], 0))
    connection.connect((wanted["remote"].split(",")[0], port(wanted)))
    if "rate" not in wanted:
        payload = bytes(PIECE)
        while True:
            connection.sendall(payload)
    length, count = int(wanted["message"]), messages(wanted)
    apart, start = 8e9 * length / float(wanted["rate"]), time.monotonic_ns()
    filling = bytes(length - 8)
    for number in range(count):
        due = start + int(number * apart)
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        connection.sendall(struct.pack(">Q", due) + filling)
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(60)
    connection.recv(1)  # The other end closes when it has all.


def messages(wanted):
    """The number of messages."""
    return int(float(wanted["rate"]) * float(wanted["seconds"]) / 8 / int(wanted["message"]))


if __name__ == "__main__":
    main()
