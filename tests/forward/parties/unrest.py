"""Random flows from the laptop in several threads: unrest.py SEED SECONDS THREADS PATIENCE.

Each prints a line: its way, its kind, how it went, when it began, and its seconds. A flow is "right", or
"broken" with the error that its program got, or a "fault": wrong bytes, an end that looks as if all had
arrived, or nothing within the patience.
"""

import json
import random
import socket
import sys
import threading
import time

from flows import PIECE, Checked, Refused, WrongBytes, connected, exactly, piece, reset

TO = "127.0.0.1:7000"
WAYS = {"SOCKS5": "socks:127.0.0.1:1080", "CONNECT": "connect:127.0.0.1:8080", "port": "port:127.0.0.1:2222"}
UDP = ("127.0.0.1", 5000)


def main():
    """Starts the threads, and waits for them."""
    seed, seconds, threads, patience = map(float, sys.argv[1:])
    end = time.monotonic() + seconds
    chances = [random.Random(f"{seed}/{number}") for number in range(int(threads))]
    running = [threading.Thread(target=flows, args=(chance, end, patience)) for chance in chances]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def flows(chance, end, patience):
    """Flows until the end."""
    while time.monotonic() < end:
        name, kind = chance.choice(list(WAYS)), chance.choice(KINDS)
        if kind is datagrams:
            name = "UDP"
        start = time.time()
        result = judged(chance, name, kind, patience)
        # One write a line: threads share the output.
        line = json.dumps([name, kind.__name__, result, start, time.time() - start])
        print(f"{line}\n", end="", flush=True)
        if result.startswith("broken"):
            time.sleep(chance.uniform(0.05, 0.5))


def judged(chance, name, kind, patience):
    """One flow: how it went."""
    try:
        if kind is datagrams:
            datagrams(chance)
            return "right"
        connection = connected(WAYS[name], TO, patience)
        with connection:
            kind(connection, chance)
        return "right"
    except WrongBytes as wrong:
        return f"fault: {wrong}"
    except TimeoutError:
        return f"fault: nothing for {patience:.0f} s"
    except (OSError, Refused) as error:
        return f"broken: {type(error).__name__}: {error}"


def get(connection, chance):
    """Takes a flow to its end."""
    size, seed = length(chance), chance.randrange(1000)
    connection.sendall(f"get {size} {seed}\n".encode())
    expect(connection, size, seed)


def put(connection, chance):
    """Sends a flow and an end, behind which the answer comes."""
    size, seed = length(chance), chance.randrange(1000)
    connection.sendall(f"put {size} {seed}\n".encode())
    give(connection, size, seed)
    connection.shutdown(socket.SHUT_WR)
    answer = b""
    while data := connection.recv(100):
        answer += data
    if answer != b"right\n":
        raise WrongBytes(f"the answer to a put of {size} is {answer!r}")


def echo(connection, chance):
    """Sends small messages, with pauses, and awaits each."""
    connection.sendall(b"echo\n")
    checked = Checked(chance.randrange(1000))
    for _ in range(chance.randrange(1, 40)):
        data = piece(checked.seed, checked.count, chance.randrange(1, 2000))
        connection.sendall(data)
        checked.take(exactly(connection, len(data)))
        time.sleep(chance.choice([0, 0.05, 0.3]))
    connection.shutdown(socket.SHUT_WR)
    if connection.recv(1):
        raise WrongBytes("a byte behind the last")


def our_reset(connection, chance):
    """Sends a part of a flow, and resets."""
    size, seed = length(chance), chance.randrange(1000)
    connection.sendall(f"put {size + 1} {seed}\n".encode())
    give(connection, chance.randrange(size), seed)
    reset(connection)


def their_reset(connection, chance):
    """Takes a flow that ends with a reset."""
    size, seed = length(chance), chance.randrange(1000)
    connection.sendall(f"reset {size} {seed}\n".encode())
    try:
        expect(connection, size, seed)
    except ConnectionResetError:
        return
    raise WrongBytes(f"a reset behind {size} bytes became a clean end")


def datagrams(chance):
    """Sends datagrams: some may be lost, and none may be another."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(UDP)
        client.settimeout(1)
        sent = set()
        for _ in range(20):
            data = piece(chance.randrange(1000), 0, chance.choice([10, 500, 1400, 9000]))
            client.send(data)
            sent.add(data)
            try:
                if client.recv(65535) not in sent:
                    raise WrongBytes("a datagram that was not sent")
            except TimeoutError:
                pass


KINDS = [get, get, put, put, echo, our_reset, their_reset, datagrams]


def length(chance):
    """The bytes of a flow: as many of some hundred as of some million."""
    return int(10 ** chance.uniform(2, 6.5))


def give(connection, size, seed):
    """Sends a flow's bytes."""
    for offset in range(0, size, PIECE):
        connection.sendall(piece(seed, offset, min(PIECE, size - offset)))


def expect(connection, size, seed):
    """Takes a flow's bytes and its end."""
    checked = Checked(seed)
    while data := connection.recv(PIECE):
        checked.take(data)
    if checked.count == 0:
        raise ConnectionResetError("closed before the first byte")
    if checked.count != size:
        raise WrongBytes(f"a clean end after {checked.count} of {size} bytes")


if __name__ == "__main__":
    main()
