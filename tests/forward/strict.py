"""What leaves beside the bond by ``--transparent``: while programs try, and in chaos with ``--strict``."""

import json
import sys
from subprocess import PIPE, Popen, run

import networks
from bond import NEAR, PARTIES, PORT
from configuration import configuration, differences
from emulated import PROGRAM
from failed import Failed
from networks import MODEMS
from outcome import Outcome
from transparent import ADDRESS, AWAY, BY, NAME, ROUTER, captured, wait_until_open
from turbulence import BRIEF, Proxied

LATEST = 10
"""Seconds after a change of the laptop's address in which connections from the old one are aborted: as a rule
after one, and later where our program is stopped meanwhile."""


class Watch:
    """The packets that leave the laptop beside the bond, until `end`."""

    def __init__(self, made):
        words = [sys.executable, str(PARTIES / "beside.py"), "p1", "p2"]
        self.process = Popen(made.near.command(*words), stdin=PIPE, stdout=PIPE, text=True)
        made.programs.append(self.process)
        self.process.stdout.readline()

    def take(self):
        """How many there were since the last time, by what they are."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        """The last of them."""
        said, _ = self.process.communicate(input="", timeout=10)
        return json.loads(said)


def beside(is_strict):
    """Watches the links while programs connect, ask names, send datagrams and ping.

    It goes on through a cut of all links, kill -9, the next start, and the end.
    """

    def measure(_conditions):
        found, words = {}, ["--strict"] if is_strict else []
        with captured(MODEMS, words=words) as made:
            rules = configuration(made.near)
            phase(made, found, "running")
            networks.cut(made.near, "p1", "p2")
            phase(made, found, "all links cut")
            made.restore("p1", "p2")
            made.end(NEAR)
            phase(made, found, "after kill -9")
            made.start(NEAR)
            wait_until_open(made)
            phase(made, found, "started again")
            if changes := differences(made.near, rules):
                raise Failed(f"the rules differ after the second start: {changes}")
            terminate(made)
            phase(made, found, "ended")
            release(made)
            if changes := differences(made.near, made.untouched):
                raise Failed(f"the rules are not as before: {changes}")
            phase(made, found, "released")
        quiet = ["running", "all links cut", "started again"]
        quiet += ["after kill -9", "ended"] if is_strict else []
        told = "; ".join(f"{name}: {spoken(counts, name in quiet)}" for name, counts in found.items())
        return Outcome(told, not any(found[name] for name in quiet) and bool(found["released"]))

    return measure


def spoken(counts, is_surprise):
    """What left: the protocols, or all that is known where nothing should have."""
    protocols = dict.fromkeys(what.split()[0] for what in counts)
    return (str(counts) if is_surprise and counts else ", ".join(protocols)) or "nothing"


def phase(made, found, name):
    """What leaves beside the bond while programs try."""
    watch = Watch(made)
    attempts(made)
    found[name] = watch.end()


def attempts(made):
    """Programs that know nothing of the bond; whether they succeed does not matter here."""
    command = made.near.command(sys.executable, str(PARTIES / "attempts.py"), AWAY, str(PORT), ROUTER)
    run(command, capture_output=True, check=False, timeout=60)


def terminate(made):
    """Ends our program at the laptop as a user does."""
    made.ends[NEAR].terminate()
    made.ends[NEAR].wait(20)


def release(made):
    """Lets our program remove what it left."""
    command = made.near.command(str(PROGRAM), "forward", "--release")
    ended = run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(f"forward --release: {ended.stderr.strip()}")


class Strict(Proxied):
    """Programs without settings, whose laptop has ``--strict``: nothing leaves beside the bond."""

    def __init__(self):
        super().__init__({"TCP": BY.way}, BY.to, BY.udp, (ROUTER, NAME, ADDRESS))
        self.checks |= {"UDP": ("datagrams", BY.udp, 0.5), "DNS": ("ask", *self.names)}
        # A host without any link has no route, and says so to its programs.
        self.excuses |= {"all links cut": (0, "Network is unreachable")}
        # The kernel tells programs that their address is gone.
        self.excuses |= {"laptop's address changed": (LATEST, "Software caused connection abort")}

    def open(self):
        """The bond."""
        return captured(MODEMS, words=["--strict"], has_bind=False, settings=[BRIEF])

    def begin(self, made):
        """Notes the rules, and watches the links from now on."""
        self.rules, self.watch = configuration(made.near), Watch(made)

    def end(self, made):
        """What left, and what our program left behind."""
        if found := self.watch.take():
            yield f"beside the bond: {found}"
        if changes := differences(made.near, self.rules):
            yield f"the rules differ from those of the first start: {changes}"
        terminate(made)
        attempts(made)
        if found := self.watch.take():
            yield f"beside the bond after the end: {found}"
        release(made)
        if changes := differences(made.near, made.untouched):
            yield f"the rules are not as before: {changes}"
        attempts(made)
        if not self.watch.end():
            yield "nothing leaves after the release: the watch is blind"
