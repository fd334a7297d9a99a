"""Random flows from the laptop in several threads: unrest.py SEED SECONDS THREADS PATIENCE PLACES.

PLACES are the fields of `Places` in JSON. Each flow prints a line: its way, its kind, how it went, when it
began, and its seconds. A flow is "right", or "broken" with the error that its program got, or a "fault":
wrong bytes, an end that looks as if all had arrived, or nothing within the patience. A question to a name
server may be "unanswered", since datagrams may be lost. Datagrams are "stranded" that the system refuses
because the host no longer has the address that they come from. A connection from such an address must get an
error in time.
"""

import contextlib
import errno
import json
import random
import socket
import sys
import threading
import time
from dataclasses import dataclass

import questions
from flows import PIECE, Checked, Refused, WrongBytes, connected, exactly, piece, reset


@dataclass(frozen=True)
class Places:
    """Where flows go."""

    ways: dict[str, str]
    to: str
    udp: str
    """The address that returns datagrams."""
    names: tuple[str, str, str] | None
    """A name server, a name, and its address."""

    def kinds(self):
        """The kinds of flows, some more often than others."""
        return [*KINDS, *(QUESTIONS if self.names else [])]


def main():
    """Starts the threads, and waits for them."""
    seed, seconds, threads, patience = map(float, sys.argv[1:5])
    end, places = time.monotonic() + seconds, Places(**json.loads(sys.argv[5]))
    chances = [random.Random(f"{seed}/{number}") for number in range(int(threads))]
    running = [threading.Thread(target=flows, args=(places, chance, end, patience)) for chance in chances]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def flows(places, chance, end, patience):
    """Flows until the end."""
    while time.monotonic() < end:
        name, kind = chance.choice(list(places.ways)), chance.choice(places.kinds())
        name = WITHOUT_WAY.get(kind, name)
        start = time.time()
        result = judged(places, chance, name, kind, patience)
        # One write a line: threads share the output.
        line = json.dumps([name, kind.__name__, result, start, time.time() - start])
        print(f"{line}\n", end="", flush=True)
        if result.startswith("broken"):
            time.sleep(chance.uniform(0.05, 0.5))


def judged(places, chance, name, kind, patience):
    """One flow: how it went."""
    try:
        if kind in WITHOUT_WAY:
            return kind(places, chance, patience) or "right"
        with connected(places.ways[name], places.to, patience) as connection, told(connection):
            kind(connection, chance)
        return "right"
    except Stranded:
        return "stranded"
    except WrongBytes as wrong:
        return f"fault: {wrong}"
    except TimeoutError:
        return f"fault: nothing for {patience:.0f} s"
    except (OSError, Refused) as error:
        return f"broken: {type(error).__name__}: {error}"


class Stranded(Exception):
    """The host no longer has the address that datagrams come from."""


class Untold(OSError):
    """A connection got no error although its address is gone."""


@contextlib.contextmanager
def stranding(client):
    """Tells datagrams apart that cannot leave because their address is gone."""
    source = client.getsockname()[0]
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENETUNREACH and is_gone(source):
            raise Stranded from None
        raise


@contextlib.contextmanager
def told(connection):
    """Ends a connection that gets no error although its address is gone for `PROMPT` seconds."""
    source, ended, is_untold = connection.getsockname()[0], threading.Event(), threading.Event()
    watching = threading.Thread(target=watch, args=(connection, source, ended, is_untold))
    watching.start()
    try:
        yield
    except (OSError, WrongBytes):
        if not is_untold.is_set():
            raise
    finally:
        ended.set()
        watching.join()
    if is_untold.is_set():
        raise Untold(f"no error {PROMPT} s after its address went")


def watch(connection, source, ended, is_untold):
    """Shuts a connection down whose source is gone for too long."""
    here = time.monotonic()
    while not ended.wait(INTERVAL):
        if not is_gone(source):
            here = time.monotonic()
        elif time.monotonic() > here + PROMPT:
            is_untold.set()
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            return


def is_gone(address):
    """True if the host does not have an address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return True
    return False


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


def datagrams(places, chance, _patience):
    """Sends datagrams: some may be lost, and none may be another."""
    host, port = places.udp.split(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((host, int(port)))
        client.settimeout(1)
        with stranding(client):
            exchange(client, chance)


def exchange(client, chance):
    """Sends datagrams, and awaits each."""
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


def question(places, _chance, _patience):
    """Asks a name server, as often as a resolver does."""
    for _ in range(3):
        try:
            questions.by_udp(*places.names, timeout=2)
            return None
        except TimeoutError:
            pass
    return "unanswered"


def question_by_tcp(places, _chance, patience):
    """Asks a name server over a connection."""
    server, name, address = places.names
    with (
        socket.create_connection((server, questions.PORT), timeout=patience) as connection,
        told(connection),
    ):
        questions.by_tcp(connection, name, address)


KINDS = [get, get, put, put, echo, our_reset, their_reset, datagrams]
QUESTIONS = [question, question_by_tcp]
WITHOUT_WAY = {datagrams: "UDP", question: "DNS", question_by_tcp: "DNS"}
"""Kinds that use no way of TCP, and the name of theirs."""


PROMPT = 12
"""Seconds within which a connection whose address is gone must get an error, of which our program may be
stopped for eight."""

INTERVAL = 0.5
"""Seconds between two looks for an address."""


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
