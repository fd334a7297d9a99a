"""A call: a stream of RTP (RFC 3550) in each direction, 50 packets a second of 160 to 200 bytes."""

import asyncio
import json
import struct

from flows import WrongBytes, piece

INTERVAL = 0.02
CLOCK = 48_000
"""Of timestamps, a second."""

VERSION, PAYLOAD_TYPE = 2 << 6, 111
HEAD = struct.Struct(">BBHII")

LATE = 1
"""Seconds after the last packet of a stream in which others may still arrive."""


def size(number):
    """The length of a packet: it varies as that of a voice does."""
    return 160 + number * 17 % 41


def packet(number, source, at):
    """A packet that was sampled at a time."""
    stamp = int(at * CLOCK) & 0xFFFFFFFF
    head = HEAD.pack(VERSION, PAYLOAD_TYPE, number & 0xFFFF, stamp, source)
    return head + piece(source, number, size(number) - HEAD.size)


async def talk(send, count, source):
    """Sends a stream."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    for number in range(count):
        send(packet(number, source, loop.time()))
        await asyncio.sleep(max(0, start + (number + 1) * INTERVAL - loop.time()))


class Heard:
    """A stream as it arrives. Numbers do not wrap within twenty minutes."""

    def __init__(self, source):
        self.source, self.numbers = source, set()
        self.gap = self.jitter = self.most = 0.0
        self.last = self.transit = None

    def take(self, data, at):
        """Notes a packet that arrives at a time."""
        _, _, number, stamp, source = HEAD.unpack_from(data)
        if data[HEAD.size :] != piece(self.source, number, size(number) - HEAD.size) or source != self.source:
            raise WrongBytes(f"in the packet {number} of a call")
        self.numbers.add(number)
        transit = int(at * CLOCK) - stamp & 0xFFFFFFFF
        if self.last is not None:
            # RFC 3550 section 6.4.1: J(i) = J(i-1) + (|D(i-1,i)| - J(i-1))/16
            difference = (transit - self.transit + (1 << 31) & 0xFFFFFFFF) - (1 << 31)
            self.jitter += (abs(difference) - self.jitter) / 16
            self.most = max(self.most, self.jitter)
            self.gap = max(self.gap, at - self.last)
        self.last, self.transit = at, transit

    def report(self, count):
        """The share lost of so many packets, the longest gap and the largest jitter in ms."""
        if not self.numbers:
            raise WrongBytes("nothing of a call arrived")
        return [1 - len(self.numbers) / count, self.gap * 1000, self.most / CLOCK * 1000]


CALLER, CALLED = 1, 2
"""The sources of the streams."""

BEGIN, END = b"call ", b"end of call"
"""Requests of the caller, which repeats them until they are answered."""


class Called:
    """The called end of a call from an address."""

    def __init__(self, send, count):
        self.heard, self.count = Heard(CALLER), count
        self.talk = asyncio.get_running_loop().create_task(talk(send, count, CALLED))
        self.send = send

    def take(self, data):
        """Takes a packet, or answers the end with a report."""
        if data == END:
            self.send(json.dumps(self.heard.report(self.count)).encode())
        elif not data.startswith(BEGIN):
            self.heard.take(data, asyncio.get_running_loop().time())


class Caller(asyncio.DatagramProtocol):
    """The calling end."""

    def __init__(self):
        self.heard, self.reported, self.wrong = Heard(CALLED), None, None

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, _source):
        if data[0] != VERSION:
            self.reported = json.loads(data)
            return
        try:
            self.heard.take(data, asyncio.get_running_loop().time())
        except WrongBytes as wrong:
            self.wrong = wrong

    async def ask(self, request, is_answered):
        """Sends a request until it is answered."""
        for _ in range(100):
            self.transport.sendto(request)
            await asyncio.sleep(0.2)
            if is_answered():
                return
        raise TimeoutError(f"no answer to {request.decode()}")


def call(to, seconds):
    """Holds a call, and prints the reports of the stream to the server's end and of the one from it."""
    host, port = to.split(":")
    print(json.dumps(asyncio.run(hold(host, int(port), int(float(seconds) / INTERVAL)))))


async def hold(host, port, count):
    """Holds a call of so many packets."""
    loop = asyncio.get_running_loop()
    _, caller = await loop.create_datagram_endpoint(Caller, remote_addr=(host, port))
    await caller.ask(BEGIN + str(count).encode(), lambda: caller.heard.numbers)
    await talk(caller.transport.sendto, count, CALLER)
    await asyncio.sleep(LATE)
    await caller.ask(END, lambda: caller.reported)
    if caller.wrong:
        raise caller.wrong
    return [caller.reported, caller.heard.report(count)]
