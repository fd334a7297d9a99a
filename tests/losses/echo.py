"""The round-trip time of small UDP datagrams beside a transfer, one each 20 ms.

echo.py answer LOCAL               sends back what arrives
echo.py ask LOCAL REMOTE SECONDS   prints the round trips, in µs, as JSON
"""

import json
import socket
import struct
import sys
import time

PORT = 7
APART = 0.02


def main():
    """Plays one end."""
    role, local, *words = sys.argv[1:]
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if role == "answer":
        end.bind((local, PORT))
        print("ready", flush=True)
        while True:
            end.sendto(*end.recvfrom(64))
    end.bind((local, 0))
    remote, seconds = words
    print(json.dumps(round_trips(end, (remote, PORT), float(seconds))))


def round_trips(end, remote, seconds):
    """The answers from a second after the beginning on: slow start is over then."""
    start, number, found = time.monotonic(), 0, []
    while (now := time.monotonic()) - start < seconds:
        if now - start >= number * APART:
            end.sendto(struct.pack(">Q", time.monotonic_ns()), remote)
            number += 1
        end.settimeout(max(0.0005, start + number * APART - time.monotonic()))
        try:
            (sent,) = struct.unpack(">Q", end.recv(64))
        except TimeoutError:
            continue
        if now - start > 1:
            found.append((time.monotonic_ns() - sent) // 1000)
    return found


if __name__ == "__main__":
    main()
