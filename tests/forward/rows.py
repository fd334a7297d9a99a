"""The rows: what is measured over which links, and its goal."""

import json
import statistics
import time
from subprocess import PIPE, run

import bond as bonds
from bond import PORT, SOCKS, bond
from emulated import Emulated, link
from failed import Failed

ONE_BULK = """
import socket, sys
listener = socket.create_server(("", int(sys.argv[1])))
import threading
def serve(connection):
    data, left = bytes(1 << 16), int(connection.makefile("rb").readline())
    try:
        while left > 0:
            connection.sendall(data[:left]); left -= len(data)
        connection.shutdown(socket.SHUT_WR); connection.recv(1)
    except OSError: pass
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""
"""A TCP server that sends as many bytes as the first line asks for."""

FETCH = """
import socket, sys, threading, time
port, count, size = map(int, sys.argv[1:4])
def fetch(index):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"%d\\n" % size)
    while got := connection.recv(1 << 17): sums[index] += len(got)
sums = [0] * count
threads = [threading.Thread(target=fetch, args=(index,)) for index in range(count)]
start = time.monotonic()
[thread.start() for thread in threads]; [thread.join() for thread in threads]
assert sums == [size] * count, sums
print(time.monotonic() - start)
"""
"""Fetches so many bytes by so many connections at once, and prints the time."""

ECHO_SERVER = """
import socket, sys, threading
listener = socket.create_server(("", int(sys.argv[1])))
def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while got := connection.recv(4096): connection.sendall(got)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""

ECHO = """
import socket, sys, time
seconds = float(sys.argv[2])
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
end = time.monotonic() + seconds
while time.monotonic() < end:
    start = time.monotonic()
    connection.sendall(bytes(64))
    left = 64
    while left: left -= len(connection.recv(left)) or sys.exit("closed")
    print((time.monotonic() - start) * 1000, flush=True)
    time.sleep(0.02)
"""
"""Prints the round trip of 64 bytes in ms, again and again."""

UDP_ECHO = """
import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", int(sys.argv[1])))
while True:
    data, source = server.recvfrom(65535)
    server.sendto(data, source)
"""

UDP_STREAM = """
import socket, sys, threading, time
port, seconds = int(sys.argv[1]), float(sys.argv[2])
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect(("127.0.0.1", port)); client.settimeout(2)
arrived = []
def receive():
    try:
        while True: arrived.append((time.monotonic(), client.recv(2000)))
    except OSError: pass
thread = threading.Thread(target=receive); thread.start()
start, sent = time.monotonic(), 0
while (now := time.monotonic() - start) < seconds:
    client.send(sent.to_bytes(8, "big") + bytes(1192)); sent += 1
    time.sleep(max(0, start + sent * 0.0024 - time.monotonic()))
thread.join()
times = [at for at, _ in arrived]
gap = max(later - earlier for earlier, later in zip(times, times[1:]))
print(sent, len({data for _, data in arrived}), gap * 1000)
"""
"""Sends 4 Mbit/s in datagrams of 1,200 bytes, and prints the sent, the echoed, and the longest gap in ms."""


def network(name, *links):
    """Links of (Mbit/s, ms of delay one way, share lost, packets of queue)."""
    made = [
        link(f"p{number}", rate, delay=f'"{delay} ms"', loss=loss, queue=f'"{queue} packets"')
        for number, (rate, delay, loss, queue) in enumerate(links, start=1)
    ]
    return Emulated(name, tuple(made))


MODEMS = network("20+8", (20, 15, 0, 100), (8, 35, 0, 60))
PLAIN = network("50+10", (50, 10, 0, 150), (10, 30, 0, 60))
LOSSY = network("20+8, 1 % lost", (20, 15, 0.01, 100), (8, 35, 0.01, 60))
UNEVEN = network("100+10", (100, 5, 0, 200), (10, 50, 0, 100))


def downloads(network, count):
    """Measures bulk flows by a port beside ``bench``."""

    def measure(seconds):
        rate, _ = bonds.bench(network, seconds, "-R")
        size = int(rate * 1e6 / 8 * seconds / count)
        with bond(network) as made:
            made.python(made.far, ONE_BULK, str(PORT))
            made.wait(made.far, "tcp", PORT)
            taken = float(output(made.near, FETCH, "2222", str(count), str(size)))
        mine = size * count * 8 / taken / 1e6
        return f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench's {rate:.1f}"

    return measure


def curl(network):
    """Measures a download by curl and SOCKS5 beside ``bench``."""

    def measure(seconds):
        rate, _ = bonds.bench(network, seconds, "-R")
        size = int(rate * 1e6 / 8 * seconds)
        with bond(network) as made:
            made.python(made.far, HTTP, str(PORT), str(size), stderr=PIPE)
            made.wait(made.far, "tcp", PORT)
            words = ["curl", "-sS", "-o", "/dev/null", "-w", "%{speed_download} %{size_download}"]
            words += ["--proxy", f"socks5h://127.0.0.1:{SOCKS}", f"http://{made.reach}:{PORT}/"]
            done = run(made.near.command(*words), capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(f"curl: {done.stderr.strip()}")
        speed, got = map(float, done.stdout.split())
        if int(got) != size:
            raise Failed(f"curl got {got:.0f} of {size} bytes")
        mine = speed * 8 / 1e6
        return f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench's {rate:.1f}"

    return measure


HTTP = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
size = int(sys.argv[2])
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", str(size)); self.end_headers()
        left = size
        while left > 0:
            self.wfile.write(bytes(min(left, 1 << 16))); left -= 1 << 16
HTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
"""


def output(side, program, *words):
    """The output of a Python program on a side."""
    done = run(side.command("python3", "-c", program, *words), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "a program failed")
    return done.stdout


def echo(seconds):
    """Measures the round trip of 64 bytes, alone and beside a download."""
    with bond(UNEVEN) as made:
        made.python(made.far, ECHO_SERVER, str(PORT))
        made.python(made.far, ONE_BULK, str(PORT + 1))
        made.wait(made.far, "tcp", PORT)
        alone = sorted(map(float, output(made.near, ECHO, "2222", "3").split()))
        words = [str(SOCKS), made.reach, str(PORT + 1), str(1 << 34)]
        bulk = made.python(made.near, SOCKS_FETCH, *words, stdout=PIPE)
        time.sleep(3)
        beside = sorted(map(float, output(made.near, ECHO, "2222", str(seconds)).split()))
        bulk.kill()
        lines = bulk.stdout.read().split()
        rates = [float(line) for line in lines[2 : 2 + int(seconds)]]
    extra = quantile(beside, 0.99) - statistics.median(alone)
    share = statistics.mean(rates) / UNEVEN.megabits
    return (
        f"idle {statistics.median(alone):.0f} ms, beside bulk median {statistics.median(beside):.0f}, "
        f"p99 {quantile(beside, 0.99):.0f} (+{extra:.0f} ms), bulk {share:.0%} of the links"
    )


SOCKS_FETCH = """
import socket, struct, sys, time
port, host, to, size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
connection = socket.create_connection(("127.0.0.1", port))
connection.sendall(b"\\x05\\x01\\x00"); connection.recv(2)
connection.sendall(b"\\x05\\x01\\x00\\x01" + socket.inet_aton(host) + struct.pack(">H", to))
assert connection.recv(10)[1] == 0
connection.sendall(size.encode() + b"\\n")
total, next = 0, time.monotonic() + 1
while got := connection.recv(1 << 17):
    total += len(got)
    if time.monotonic() >= next:
        print(total * 8 / 1e6, flush=True); total, next = 0, next + 1
"""
"""Downloads by SOCKS5, and prints the rate of each second in Mbit/s."""


def quantile(ordered, part):
    """The value below which this part lies."""
    return ordered[int((len(ordered) - 1) * part)]


def datagrams(seconds):
    """Measures datagrams while a link is cut for three seconds."""
    with bond(MODEMS) as made:
        made.python(made.far, UDP_ECHO, str(PORT))
        made.wait(made.far, "udp", PORT)
        stream = made.python(made.near, UDP_STREAM, "5000", str(seconds + 6), stdout=PIPE, text=True)
        time.sleep(3)
        set_link(made, "p1", "down")
        time.sleep(3)
        set_link(made, "p1", "up")
        sent, echoed, gap = map(float, stream.communicate()[0].split())
    return f"{1 - echoed / sent:.1%} lost both ways, longest gap {gap:.0f} ms"


def paused(seconds):
    """Measures 63 flows while one reader pauses, beside 64 that all read."""
    size = int(PLAIN.megabits * 1e6 / 8 * seconds / 64)
    taken = []
    for pause in (0, 2 * seconds):
        with bond(PLAIN) as made:
            made.python(made.far, ONE_BULK, str(PORT))
            made.wait(made.far, "tcp", PORT)
            words = ["2222", "64", str(size), str(pause)]
            taken.append(float(output(made.near, FETCH_PAUSED, *words)))
            memory = max(made.resident(index) for index in (0, 1))
    loss = taken[1] / taken[0] - 1
    return f"the others take {loss:+.1%} longer; {memory:.0f} MB resident; every byte arrives"


FETCH_PAUSED = """
import socket, sys, threading, time
port, count, size = map(int, sys.argv[1:4])
pause = float(sys.argv[4])
def fetch(index):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"%d\\n" % size)
    if index == 0: time.sleep(pause)
    while got := connection.recv(1 << 17): sums[index] += len(got)
    ends[index] = time.monotonic() - start
sums, ends = [0] * count, [0] * count
threads = [threading.Thread(target=fetch, args=(index,)) for index in range(count)]
start = time.monotonic()
[thread.start() for thread in threads]; [thread.join() for thread in threads]
assert sums == [size] * count, sums
print(max(ends[1:]))
"""
"""Fetches by many connections, of which the first pauses, and prints the time of the others."""


def roles(seconds):
    """Measures the traffic of a backup at rest, and of a link with a limit."""
    with bond(MODEMS, via=("10.77.1.1", "10.77.2.1=backup")) as made:
        time.sleep(3)
        before = carried(made, "p2")
        time.sleep(2 * seconds)
        minute = (carried(made, "p2") - before) * 60 / (2 * seconds)
    with bond(MODEMS, via=("10.77.1.1", "10.77.2.1=max:5MB")) as made:
        made.python(made.far, ONE_BULK, str(PORT))
        made.wait(made.far, "tcp", PORT)
        output(made.near, FETCH, "2222", "1", str(50_000_000))
        limited = carried(made, "p2")
    return f"a backup at rest {minute / 1000:.1f} kB a minute; max:5MB stops at {limited / 1e6:.2f} MB"


def carried(made, name):
    """The bytes of an interface in both directions."""
    words = made.near.command("ip", "-s", "-j", "link", "show", "dev", name)
    counters = json.loads(run(words, capture_output=True, text=True, check=True).stdout)[0]["stats64"]
    return counters["rx"]["bytes"] + counters["tx"]["bytes"]


def set_link(made, name, state):
    """Cuts an interface at the laptop, or lets it return."""
    run(made.near.command("ip", "link", "set", name, state), check=True)
    if state == "up":
        number = name[1:]
        run(made.near.command("ip", "addr", "replace", f"10.77.{number}.1/24", "dev", name), check=True)


def away(seconds):
    """Keeps a session while every link is away for a minute."""
    with bond(MODEMS) as made:
        made.python(made.far, ECHO_SERVER, str(PORT))
        made.wait(made.far, "tcp", PORT)
        session = made.python(made.near, ECHO, "2222", str(75 + seconds), stdout=PIPE, stderr=PIPE, text=True)
        time.sleep(3)
        for name in ("p1", "p2"):
            set_link(made, name, "down")
        time.sleep(60)
        for name in ("p1", "p2"):
            set_link(made, name, "up")
        trips, error = session.communicate()
        took = max(map(float, trips.split())) / 1000
    if session.returncode != 0:
        raise Failed(f"the session broke: {error.strip()}")
    return f"the session lives, and goes on {took - 60:.1f} s after the links are back"


def cost(seconds):
    """Compares the processor time of a download with that of ``bench``."""
    rate, bench = bonds.bench(PLAIN, seconds, "-R")
    size = int(rate * 1e6 / 8 * seconds)
    with bond(PLAIN) as made:
        time.sleep(2)
        before = [made.processor_seconds(index) for index in (0, 1)]
        time.sleep(10)
        idle = max(made.processor_seconds(index) - before[index] for index in (0, 1)) / 10
        resident = max(made.resident(index) for index in (0, 1))
        made.python(made.far, ONE_BULK, str(PORT))
        made.wait(made.far, "tcp", PORT)
        before = sum(made.processor_seconds(index) for index in (0, 1))
        output(made.near, FETCH, "2222", "1", str(size))
        used = sum(made.processor_seconds(index) for index in (0, 1)) - before
    return (
        f"{used / (size / 1e9) / bench:.2f} times bench's a GB; idle {idle:.1%} of a core, "
        f"{resident:.0f} MB resident"
    )


ROWS = [
    ("F1 one flow, 20+8", "97 % of bench", downloads(MODEMS, 1)),
    ("F1 one flow, 50+10", "97 % of bench", downloads(PLAIN, 1)),
    ("F1 eight flows, 20+8", "97 % of bench", downloads(MODEMS, 8)),
    ("F1 one flow, 20+8, 1 % lost", "97 % of bench", downloads(LOSSY, 1)),
    ("F1 curl by SOCKS5, 50+10", "97 % of bench", curl(PLAIN)),
    ("F2 64 flows, one reader pauses", "others at most 2 %", paused),
    ("F3 echo beside bulk, 100+10", "p99 + 15 ms, bulk 95 %", echo),
    ("F4 datagrams, a link cut", "gap 150 ms, 1 %", datagrams),
    ("F5 all links away for 60 s", "the session lives", away),
    ("F6 roles", "1 kB a minute; 5 MB", roles),
    ("F7 cost", "1.3 times; idle 0.3 %, 10 MB", cost),
]
