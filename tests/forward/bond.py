"""Both ends of ``anabranch forward`` between two emulated hosts, and the programs beside them."""

import contextlib
import functools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE

import networks
from emulated import PROGRAM
from failed import Failed

KEY = "5ec1e700000000000000000000000001"
HERE = "127.0.0.1"
PORT = 7000
"""Of the programs at the server's end."""
TO = f"{HERE}:{PORT}"
SOCKS, HTTP, LISTEN, UDP, SSH, IPERF = 1080, 8080, 2222, 5000, 2022, 5201
"""Ports of the laptop; those of ssh and iperf3 are the server's too."""
WAYS = {
    "SOCKS5": f"socks:{HERE}:{SOCKS}",
    "CONNECT": f"connect:{HERE}:{HTTP}",
    "port": f"port:{HERE}:{LISTEN}",
}
NEAR, FAR = 0, 1

CREDIT = 16 * 1.048576
"""The largest receive buffer of an end in MB, which bounds the credit it gives."""

PARTIES = Path(__file__).with_name("parties")

SETTINGS = os.environ.get("FORWARD_SETTINGS", "").split()
"""Further settings of both ends, to try them."""


class Bond:
    """A laptop (near) and a server (far) with a bond between them, and the programs at the server's end.

    The laptop has ``words`` as well, and with ``has_default`` a default route by each link; ``prepare``
    changes the hosts before; ``resolver`` is the server's resolv.conf.
    """

    def __init__(
        self,
        hosts,
        via=(),
        has_bind=True,
        settings=(),
        words=(),
        prepare=None,
        resolver=None,
        is_bare=False,
        has_default=False,
        allow="all",
    ):
        self.hosts, self.sides, self.programs = hosts, hosts.sides, []
        self.near, self.far = hosts.sides
        self.folder = tempfile.TemporaryDirectory()
        self.said = [Path(self.folder.name) / name for name in ("laptop", "server", "party")]
        addresses = ",".join(hosts.addresses(2))
        self.prepare, self.resolver, self.has_default = prepare, resolver, has_default
        ports = (
            []
            if is_bare
            else [("socks", SOCKS), ("http", HTTP), ("udp", f"{UDP}={TO}"), ("listen", f"{LISTEN}={TO}")]
        )
        ports += [] if is_bare else [("listen", f"{port}={HERE}:{port}") for port in (SSH, IPERF)]
        words = [*words, *(word for name, port in ports for word in (f"--{name}", str(port)))]
        words += [word for one in via for word in ("--via", one)]
        bind = ["--bind", addresses] if has_bind else []
        self.words = [
            ["forward", "--to", addresses, *words],
            ["forward", "--serve", *bind, "--allow", allow],
        ]
        self.settings = [*settings, *SETTINGS]
        self.ends = [None, None]

    def open(self):
        """Starts both ends and the programs at the server's end, and waits for them."""
        for side in self.sides:
            networks.promote(side)
        self.route()
        if self.prepare:
            self.prepare(self)
        self.start(FAR)
        self.wait(FAR, "udp", 9899)
        self.start(NEAR)
        with self.said[2].open("wb") as said:
            self.run(FAR, [sys.executable, str(PARTIES / "far.py"), str(PORT)], stdout=said)
        self.wait(FAR, "tcp", PORT)
        if "--socks" in self.words[NEAR]:
            self.wait(NEAR, "tcp", SOCKS)

    def start(self, index):
        """Starts our program on a side; what it says is added to its file."""
        environment = {**os.environ, "ANABRANCH_KEY": KEY}
        words = [*self.words[index], *(word for one in self.settings for word in ("--set", one))]
        command = self.sides[index].command(*self.with_resolver(index), str(PROGRAM), *words)
        with self.said[index].open("ab") as said:
            self.ends[index] = subprocess.Popen(command, env=environment, stdout=DEVNULL, stderr=said)

    def with_resolver(self, index):
        """The words before a program of the server that give it another resolv.conf."""
        if index != FAR or self.resolver is None:
            return []
        file = Path(self.folder.name) / "resolv.conf"
        file.write_text(self.resolver)
        return [
            "unshare",
            "--mount",
            "--",
            "sh",
            "-c",
            f'mount --bind {file} /etc/resolv.conf && exec "$@"',
            "sh",
        ]

    def route(self):
        """Gives the laptop its default routes again, if it has such: those of an interface end with it."""
        if self.has_default:
            networks.lead(self.near, *(f"p{number}" for number in range(1, self.hosts.paths + 1)))

    def restore(self, *names):
        """Switches links of the laptop on, with their addresses and routes."""
        networks.restore(self.near, 1, *names)
        self.route()

    def end(self, index):
        """Kills our program on a side."""
        self.ends[index].kill()
        self.ends[index].wait()

    def stop(self, index):
        """Stops our program on a side, as a laptop that sleeps."""
        self.ends[index].send_signal(signal.SIGSTOP)

    def go_on(self, index):
        """Lets our program go on."""
        self.ends[index].send_signal(signal.SIGCONT)

    def wait(self, index, kind, port):
        """Waits until a port is open."""
        command = self.sides[index].command("ss", "-Hln", f"--{kind}")
        for _ in range(100):
            listing = subprocess.run(command, capture_output=True, text=True, check=False)
            if f":{port} " in listing.stdout:
                return
            time.sleep(0.1)
        raise Failed(f"no {kind} port {port}")

    def run(self, index, command, **options):
        """Starts another program on a side, which ends with the bond."""
        started = subprocess.Popen(self.sides[index].command(*command), **options)
        self.programs.append(started)
        return started

    def party(self, *words, **options):
        """Starts a part of ``near.py`` at the laptop."""
        command = [sys.executable, str(PARTIES / "near.py"), *map(str, words)]
        return self.run(NEAR, command, stdout=PIPE, stderr=PIPE, text=True, **options)

    def measured(self, *words, bound=300):
        """The output of a part of ``near.py``."""
        return finished(self.party(*words), words[0], bound)

    def complaints(self):
        """What the programs at the server's end found wrong."""
        return self.said[2].read_text().splitlines()

    def log(self):
        """The last lines of both ends."""
        ends = zip(("laptop", "server"), self.said, strict=False)
        return [f"{name}: {line}" for name, file in ends for line in file.read_text().splitlines()[-12:]]

    def processor_seconds(self, index):
        """The processor time of an end."""
        fields = Path(f"/proc/{self.ends[index].pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self, index):
        """The resident memory of an end in MB."""
        status = Path(f"/proc/{self.ends[index].pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024 / 1e6

    def descriptors(self, index):
        """The number of open files of an end, without UDP sockets: a mapping lives for two minutes."""
        folder = Path(f"/proc/{self.ends[index].pid}")
        datagrams = {line.split()[9] for line in (folder / "net/udp").read_text().splitlines()[1:]}
        names = []
        for file in (folder / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                names.append(os.readlink(file))
        return sum(name.removeprefix("socket:[").removesuffix("]") not in datagrams for name in names)

    def close(self):
        """Ends everything."""
        for process in [*self.programs, *self.ends]:
            if process is not None:
                process.kill()
                process.wait()
        self.hosts.close()
        self.folder.cleanup()


@contextlib.contextmanager
def bond(network, **options):
    """A bond over ``network``. Where a measurement fails, what both ends said is printed."""
    made = Bond(network.built(), **options)
    try:
        made.open()
        yield made
        if complaints := made.complaints():
            raise Failed(f"at the server's end: {complaints[0]}")
    except Exception:
        print("\n".join(made.log()), file=sys.stderr)
        raise
    finally:
        made.close()


def finished(process, name, bound=300):
    """The output of a program that ends by itself in so many seconds."""
    try:
        said, error = process.communicate(timeout=bound)
    except subprocess.TimeoutExpired:
        raise Failed(f"{name}: no end in {bound:.0f} s") from None
    if process.returncode != 0:
        lines = (error or "").strip().splitlines() or [f"status {process.returncode}"]
        raise Failed(f"{name}: {lines[-1]}")
    return said


class Peak(threading.Thread):
    """The largest resident memory of both ends while it runs."""

    def __init__(self, made):
        super().__init__(daemon=True)
        self.made, self.is_over = made, threading.Event()
        self.before = [made.resident(index) for index in (NEAR, FAR)]
        self.most = list(self.before)
        self.start()

    def run(self):
        """Looks every fifth of a second, as long as both ends are there."""
        with contextlib.suppress(OSError, StopIteration):
            while not self.is_over.wait(0.2):
                for index in (NEAR, FAR):
                    self.most[index] = max(self.most[index], self.made.resident(index))

    def growth(self):
        """Ends it. By how many MB each end has grown at most."""
        self.is_over.set()
        self.join()
        return [most - before for most, before in zip(self.most, self.before, strict=True)]


@functools.cache
def bench(network, seconds):
    """The goodput of a download by ``anabranch bench`` in Mbit/s, and the processor seconds a GB."""
    hosts = network.built()
    near, far = hosts.sides
    environment = {**os.environ, "ANABRANCH_KEY": KEY}
    addresses = ",".join(hosts.addresses(2))
    serve = far.command(str(PROGRAM), "bench", "--serve", "--once", "--quiet", "--listen", addresses)
    words = near.command(
        str(PROGRAM), "bench", "--to", addresses, "-t", str(seconds), "--json", "--quiet", "-R"
    )
    before = children_seconds()
    server = subprocess.Popen(serve, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    time.sleep(0.5)
    client = subprocess.Popen(words, env=environment, stdout=PIPE, stderr=PIPE, text=True)
    try:
        rate = goodput(json.loads(finished(client, "bench", seconds + 60)))
        finished(server, "bench --serve", 30)
    finally:
        for process in (client, server):
            process.kill()
            process.wait()
    used = children_seconds() - before
    hosts.close()
    return rate, used / (rate / 8000 * seconds)


def children_seconds():
    """The processor time of the programs that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def goodput(document):
    """The goodput of a test in Mbit/s."""
    for part in [*document.get("directions", []), document]:
        if "goodput_bps" in part:
            return part["goodput_bps"] / 1e6
    raise Failed(f"bench says {sorted(document)}")
