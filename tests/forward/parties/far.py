"""The programs at the server's end, on one TCP and one UDP port: far.py PORT. It prints what it finds wrong.

The first line of a connection says what is wanted:

    get SIZE SEED           the server sends so many bytes and ends
    put SIZE SEED           it takes so many, and answers "right" after the client's end
    echo                    it returns what arrives, and ends when the client does
    reset SIZE SEED         it sends so many, and resets
    pace RATE SECONDS SEED  it sends at that rate in Mbit/s
    GET /SIZE               the same as get, by HTTP, with the seed 0

Datagrams are returned, but those of a call, which "call COUNT" begins (call.py).
"""

import asyncio
import functools
import resource
import socket
import struct
import sys

from call import BEGIN, Called
from flows import LENGTH, PIECE, Checked, WrongBytes, piece

assert LENGTH > PIECE


def main():
    """Serves for ever."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(serve(int(sys.argv[1])))


async def serve(port):
    """Opens both ports."""
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Echo, local_addr=("0.0.0.0", port))
    server = await asyncio.start_server(answer, "0.0.0.0", port, limit=PIECE, backlog=4096)
    await server.serve_forever()


class Echo(asyncio.DatagramProtocol):
    """Returns datagrams, and answers calls."""

    def __init__(self):
        self.calls = {}

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, source):
        if source not in self.calls and data.startswith(BEGIN):
            send = functools.partial(self.transport.sendto, addr=source)
            self.calls[source] = Called(send, int(data.removeprefix(BEGIN)))
        if source not in self.calls:
            self.transport.sendto(data, source)
            return
        try:
            self.calls[source].take(data)
        except WrongBytes as wrong:
            print(wrong, flush=True)


async def answer(reader, writer):
    """One connection."""
    try:
        words = (await reader.readline()).split()
        if words:
            await ANSWERS[words[0]](reader, writer, *words[1:])
    except (OSError, asyncio.IncompleteReadError):
        pass
    except WrongBytes as wrong:
        print(f"{b' '.join(words).decode()}: {wrong}", flush=True)
    finally:
        writer.close()


async def get(reader, writer, size, seed):
    """Sends a flow's bytes, and waits for the client's end."""
    await send(writer, int(size), int(seed))
    writer.write_eof()
    await reader.read()


async def send(writer, size, seed):
    """Sends a flow's bytes."""
    for offset in range(0, size, PIECE):
        writer.write(piece(seed, offset, min(PIECE, size - offset)))
        await writer.drain()


async def put(reader, writer, size, seed):
    """Takes a flow's bytes until the client's end. An end before all of them should be a reset."""
    checked = Checked(int(seed))
    while data := await reader.read(PIECE):
        checked.take(data)
    if checked.count != int(size):
        raise WrongBytes(f"a clean end after {checked.count} bytes")
    writer.write(b"right\n")
    await writer.drain()


async def echo(reader, writer):
    """Returns what arrives."""
    while data := await reader.read(PIECE):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


async def reset(_reader, writer, size, seed):
    """Sends a flow's bytes, then a reset."""
    await send(writer, int(size), int(seed))
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


async def pace(_reader, writer, rate, seconds, seed):
    """Sends at a rate, a piece every hundredth of a second."""
    size = int(float(rate) * 1e6 / 8 / 100)
    loop = asyncio.get_running_loop()
    start = loop.time()
    for number in range(int(float(seconds) * 100)):
        writer.write(piece(int(seed), number * size, size))
        await writer.drain()
        await asyncio.sleep(max(0, start + (number + 1) / 100 - loop.time()))
    writer.write_eof()


async def http(_reader, writer, path, *_version):
    """Answers as a web server."""
    while (await _reader.readline()).strip():
        pass
    size = int(path[1:])
    writer.write(f"HTTP/1.0 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
    await send(writer, size, 0)


ANSWERS = {
    b"get": get,
    b"put": put,
    b"echo": echo,
    b"reset": reset,
    b"pace": pace,
    b"GET": http,
}

if __name__ == "__main__":
    main()
