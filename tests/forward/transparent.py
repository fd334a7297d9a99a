"""F1 to F6 by ``--transparent``: programs without proxy settings, and what leaves beside the bond."""

import contextlib
import json
import sys
import time
from pathlib import Path
from subprocess import PIPE, Popen, run

import networks
import real
from bond import FAR, HERE, NEAR, PARTIES, PORT, By, bench, bond, finished
from bulk import MOST
from emulated import PROGRAM
from failed import Failed
from interop.packages import unpack_nft, unpack_program
from networks import MODEMS
from outcome import Outcome
from real import PROGRAMS, Session, Shell

AWAY = "198.51.100.7"
"""An address of the server's end that no link has, as one of the internet."""

TO = f"{AWAY}:{PORT}"

NAME, ADDRESS = "www.example.org", "198.51.100.7"
"""What the server's name server knows."""

TABLE = "6385250"
"""The routing table of our routes (crates/transparent/src/marks.rs)."""

ROUTER = "192.168.1.1"
"""The name server that the laptop's programs ask: of a network that is not there."""


def lead(made):
    """Gives the server's end its address, and the laptop a default route."""
    run(made.far.command("ip", "address", "add", f"{AWAY}/32", "dev", "lo"), check=True)
    default(made)
    made.untouched = configuration(made)


def default(made):
    """Gives the laptop a default route by each link, as a host has that gets its addresses by DHCP."""
    for number, name in enumerate(("p1", "p2"), start=1):
        words = ("ip", "route", "replace", "default", "dev", name, "metric", str(100 * number))
        run(made.near.command(*words), check=True)


@contextlib.contextmanager
def captured(network, words=(), **options):
    """A bond whose laptop carries what its programs send to distant addresses."""
    words = ["--transparent", *words]
    resolver = f"nameserver {HERE}\n"
    with bond(network, words=words, prepare=lead, resolver=resolver, is_bare=True, **options) as made:
        made.run(FAR, [sys.executable, str(PARTIES / "names.py"), HERE, NAME, ADDRESS])
        made.wait(FAR, "udp", 53)
        wait_until_open(made)
        yield made


def wait_until_open(made):
    """Waits for a first flow."""
    until = time.monotonic() + 20
    while True:
        try:
            made.measured("fetch", BY.way, TO, 1, 1000, bound=10)
            return
        except Failed:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


BY = By(captured, f"port:{TO}", TO, TO)


def downloads(network, count, loss=None):
    """Measures flows beside ``bench``."""

    def measure(conditions):
        rate, _ = bench(network, conditions.seconds)
        size = int(min(MOST, rate * 1e6 / 8 * conditions.seconds)) // count
        with captured(network) as made:
            ends = json.loads(made.measured("fetch", BY.way, TO, count, size, 0))
        mine = size * count * 8 / max(ends) / 1e6
        measured, is_met = f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench", mine >= 0.97 * rate
        if loss is not None:
            share = mine / networks.ceiling(network, loss)
            measured, is_met = f"{measured}, {share:.0%} of the ceiling", share >= 0.9
        return Outcome(measured, is_met, rate)

    return measure


def curl(network):
    """Measures curl, without any setting, and by a name."""

    def measure(conditions):
        rate, _ = bench(network, conditions.seconds)
        size = int(min(MOST, rate * 1e6 / 8 * conditions.seconds))
        with captured(network) as made:
            to = Path(made.folder.name) / "download"
            words = ["curl", "-sS", "-o", str(to), "-w", "%{speed_download}", f"http://{TO}/{size}"]
            speed = finished(made.run(NEAR, words, stdout=PIPE, stderr=PIPE, text=True), "curl")
            if not real.is_whole(to, size):
                raise Failed("curl: the download differs")
        mine = float(speed) * 8 / 1e6
        return Outcome(f"{mine:.1f} Mbit/s, {mine / rate:.0%} of bench", mine >= 0.97 * rate, rate)

    return measure


def names(_conditions):
    """Asks a private name server by dig, over UDP and TCP; the server's own one answers."""
    with captured(MODEMS) as made:
        times = []
        for options in ([], ["+tcp"]):
            start = time.monotonic()
            for _ in range(10):
                answer = dig(made, *options)
                if answer != ADDRESS:
                    raise Failed(f"dig {' '.join(options)}: {answer!r}")
            times.append((time.monotonic() - start) * 100)
    return Outcome(f"20 answers; {times[0]:.0f} ms each by UDP, {times[1]:.0f} by TCP", True)


def dig(made, *options):
    """What dig prints of a name."""
    root, libraries = unpack_program(PROGRAMS, "bind9-dnsutils")
    command = ["env", *real.assigned(libraries), str(root / "usr/bin/dig"), "+short", "+time=2", "+tries=2"]
    words = made.near.command(*command, *options, f"@{ROUTER}", NAME)
    return run(words, capture_output=True, text=True, check=False).stdout.strip()


def away(_conditions):
    """Keeps a session while every link is away for a minute."""
    with captured(MODEMS) as made:
        session = Session(made, Shell(made, AWAY).direct())
        session.exchange()
        networks.cut(made.near, "p1", "p2")
        time.sleep(30)
        session.say()
        time.sleep(30)
        networks.restore(made.near, 1, "p1", "p2")
        default(made)
        after = session.hear(90)
        session.exchange()
        session.leave()
    return Outcome(f"ssh lives, and goes on {after:.1f} s after the links are back", True)


def backup(_conditions):
    """Measures the traffic of a backup at rest."""
    with captured(MODEMS, via=("10.77.1.1", "10.77.2.1=backup")) as made:
        time.sleep(3)
        before = networks.carried(made.near, "p2")
        time.sleep(60)
        minute = networks.carried(made.near, "p2") - before
    return Outcome(f"{minute / 1000:.1f} kB in a minute", minute <= 1000)


class Watch:
    """The packets that leave the laptop beside the bond, until `end`."""

    def __init__(self, made):
        words = [sys.executable, str(PARTIES / "beside.py"), "p1", "p2"]
        self.process = Popen(made.near.command(*words), stdin=PIPE, stdout=PIPE, text=True)
        self.process.stdout.readline()

    def end(self):
        """How many there were, by what they are."""
        said, _ = self.process.communicate(input="", timeout=10)
        return json.loads(said)


def beside(is_strict):
    """Watches the links while programs connect, ask names, send datagrams and ping.

    It goes on through a cut of all links, kill -9, the next start, and the end.
    """

    def measure(_conditions):
        found, words = {}, ["--strict"] if is_strict else []
        with captured(MODEMS, words=words) as made:
            rules = configuration(made)
            phase(made, found, "running")
            networks.cut(made.near, "p1", "p2")
            phase(made, found, "all links cut")
            networks.restore(made.near, 1, "p1", "p2")
            default(made)
            made.end(NEAR)
            phase(made, found, "after kill -9")
            made.start(NEAR)
            wait_until_open(made)
            phase(made, found, "started again")
            if differences := sorted(set(configuration(made)) ^ set(rules)):
                raise Failed(f"the rules differ after the second start: {differences}")
            made.ends[NEAR].terminate()
            made.ends[NEAR].wait(20)
            phase(made, found, "ended")
            released(made)
            if differences := sorted(set(configuration(made)) ^ set(made.untouched)):
                raise Failed(f"the rules are not as before: {differences}")
            phase(made, found, "released")
        told = "; ".join(f"{name}: {count or 'nothing'}" for name, count in found.items())
        quiet = ["running", "all links cut", "started again"]
        quiet += ["after kill -9", "ended"] if is_strict else []
        return Outcome(told, not any(found[name] for name in quiet) and bool(found["released"]))

    return measure


def phase(made, found, name):
    """What leaves beside the bond while programs try."""
    watch = Watch(made)
    attempts(made)
    found[name] = watch.end()


def attempts(made):
    """Programs that know nothing of the bond; whether they succeed does not matter here."""
    command = made.near.command(sys.executable, str(PARTIES / "attempts.py"), AWAY, str(PORT), ROUTER)
    run(command, capture_output=True, check=False, timeout=60)


def released(made):
    """Lets our program remove what it left."""
    command = made.near.command(str(PROGRAM), "forward", "--release")
    ended = run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(f"forward --release: {ended.stderr.strip()}")


def configuration(made):
    """The rules of the laptop, its main routes, and those that are ours."""
    nft, libraries = unpack_nft(PROGRAMS)
    ruleset = ["env", f"LD_LIBRARY_PATH={libraries}", str(nft), "list", "ruleset"]
    lines = []
    routes = [["ip", "route"], *(["ip", family, "route", "show", "table", TABLE] for family in ("-4", "-6"))]
    for words in (["ip", "rule"], ["ip", "-6", "rule"], *routes, ruleset):
        said = run(made.near.command(*words), capture_output=True, text=True, check=False).stdout
        lines += [line.strip() for line in said.splitlines()]
    # Ports and counts differ from run to run.
    return sorted(
        line for line in lines if not any(word in line for word in ("counter", "tproxy", "redirect"))
    )
