"""The programs at the laptop, which measure flows and check their bytes: near.py WHAT WORD…

A WAY is kind:host:port of kind port, socks, connect, or mptcp (SOCKS over Multipath TCP). TO is host:port.

    fetch WAY TO COUNT SIZE [PAUSE FIRST]
                                    flows at once; the first pauses, and has a size; prints their seconds
    rate WAY TO SECONDS             a download; prints the bytes of each second
    paced WAY TO RATE SECONDS       a download at a rate in Mbit/s; prints its bytes
    echo WAY TO SECONDS             64 bytes again and again; prints each round trip in ms
    datagrams TO SECONDS            4 Mbit/s; prints the sent, the echoed, and the longest gap in ms
    call TO SECONDS                 a call; prints what was lost, the gap and the jitter of both streams
    ask SERVER NAME ADDRESS         asks a name server by UDP and TCP
    many WAY TO COUNT AT_ONCE       connections in batches; prints how many went how
"""

import asyncio
import json
import resource
import socket
import sys
import threading
import time
from collections import Counter
from itertools import pairwise

import questions
from call import call
from flows import PIECE, Checked, WrongBytes, connected, piece


def main():
    """Does what the command line says."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    plays = {play.__name__: play for play in (fetch, rate, paced, echo, datagrams, call, ask, many)}
    try:
        plays[sys.argv[1]](*sys.argv[2:])
    except (OSError, WrongBytes) as error:
        sys.exit(f"{type(error).__name__}: {error}")


def fetch(way, to, count, size, pause=0, first=None):
    """Fetches by several connections at once."""
    ends, errors = [0.0] * int(count), []

    def one(index):
        try:
            length, rest = (first or size, float(pause)) if index == 0 else (size, 0)
            download(connected(way, to), int(length), index, rest)
            ends[index] = time.monotonic() - start
        except (OSError, WrongBytes) as error:
            errors.append(f"flow {index}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=one, args=(index,)) for index in range(int(count))]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        sys.exit(f"{len(errors)} of {count} flows: {errors[0]}")
    print(json.dumps(ends))


def download(connection, size, seed, pause=0):
    """Takes all bytes of a flow, after a pause."""
    connection.sendall(f"get {size} {seed}\n".encode())
    time.sleep(pause)
    checked = Checked(seed)
    while data := connection.recv(PIECE):
        checked.take(data)
    if checked.count != size:
        raise WrongBytes(f"a clean end after {checked.count} of {size} bytes")
    connection.close()


def rate(way, to, seconds):
    """Downloads for a time."""
    connection = connected(way, to)
    connection.sendall(f"get {1 << 40} 1\n".encode())
    checked, told = Checked(1), 0
    start = time.monotonic()
    for second in range(1, int(float(seconds)) + 1):
        while (left := start + second - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                data = connection.recv(PIECE)
            except TimeoutError:
                break
            if not data:
                sys.exit("the download ended")
            checked.take(data)
        print(checked.count - told, flush=True)
        told = checked.count


def paced(way, to, megabits, seconds):
    """Downloads at a rate."""
    connection = connected(way, to)
    connection.sendall(f"pace {megabits} {seconds} 1\n".encode())
    checked = Checked(1)
    while data := connection.recv(PIECE):
        checked.take(data)
    print(checked.count)


def echo(way, to, seconds):
    """Measures round trips."""
    connection = connected(way, to)
    connection.sendall(b"echo\n")
    end, count = time.monotonic() + float(seconds), 0
    while (start := time.monotonic()) < end:
        message = piece(1, 64 * count, 64)
        connection.sendall(message)
        answer = b""
        while len(answer) < 64:
            answer += connection.recv(64 - len(answer)) or sys.exit("the session was closed")
        if answer != message:
            raise WrongBytes(f"in the echo {count}")
        print((time.monotonic() - start) * 1000, flush=True)
        count += 1
        time.sleep(0.02)


def datagrams(to, seconds):
    """Sends datagrams of 1,200 bytes, and counts what returns."""
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    host, port = to.split(":")
    client.connect((host, int(port)))
    client.settimeout(2)
    arrived = {}
    thread = threading.Thread(target=receive, args=(client, arrived))
    thread.start()
    start, sent = time.monotonic(), 0
    while time.monotonic() - start < float(seconds):
        client.send(sent.to_bytes(8, "big") + piece(sent, 0, 1192))
        sent += 1
        time.sleep(max(0, start + sent * 0.0024 - time.monotonic()))
    thread.join()
    for number, (data, _) in arrived.items():
        if data[8:] != piece(number, 0, 1192):
            raise WrongBytes(f"in the datagram {number}")
    times = sorted(at for _, at in arrived.values())
    gap = max(later - earlier for earlier, later in pairwise(times))
    print(json.dumps([sent, len(arrived), gap * 1000]))


def receive(client, arrived):
    """Notes each datagram with its time until none has come for two seconds."""
    while True:
        try:
            data = client.recv(2000)
        except TimeoutError:
            return
        arrived.setdefault(int.from_bytes(data[:8], "big"), (data, time.monotonic()))


def ask(server, name, address):
    """Asks for the address of a name."""
    questions.by_udp(server, name, address, 5)
    with socket.create_connection((server, questions.PORT), timeout=5) as connection:
        questions.by_tcp(connection, name, address)


def many(way, to, count, at_once):
    """Opens connections in batches; each of a batch is open before the first of it ends."""
    print(json.dumps(asyncio.run(batches(way, to, int(count), int(at_once)))))


async def batches(way, to, count, at_once):
    """The number of connections by how they went."""
    results = Counter()
    for first in range(0, count, at_once):
        numbers = range(first, min(first + at_once, count))
        batch = Batch(way, to, len(numbers))
        results += Counter(await asyncio.gather(*map(batch.exchange, numbers)))
    return results


class Batch:
    """Connections that are all open before the first of them ends."""

    def __init__(self, way, to, count):
        self.way, self.to, self.unopened = way, to, count
        self.opening, self.are_open = asyncio.Semaphore(50), asyncio.Event()

    async def exchange(self, number):
        """One connection: how it went."""
        try:
            return await asyncio.wait_for(self.echoed(*await self.opened(), number), 120)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    async def opened(self):
        """The streams of a new connection."""
        try:
            async with self.opening:
                connection = await asyncio.to_thread(connected, self.way, self.to, 60)
            connection.setblocking(False)
            return await asyncio.open_connection(sock=connection)
        finally:
            self.unopened -= 1
            if self.unopened == 0:
                self.are_open.set()

    async def echoed(self, reader, writer, number):
        """Sends some bytes and an end, and compares what returns before the other end."""
        try:
            await self.are_open.wait()
            size = 1 + number * 37 % 4000
            writer.write(b"echo\n" + piece(number, 0, size))
            writer.write_eof()
            data = await reader.read(-1)
            return "right" if data == piece(number, 0, size) else f"wrong: {len(data)} of {size} bytes"
        finally:
            writer.close()


if __name__ == "__main__":
    main()
