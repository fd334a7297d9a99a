"""F8: ten thousand connections, and flows while things happen to the links and the ends."""

import json
import random
import sys
import threading
import time
from collections import Counter
from subprocess import PIPE

from bond import FAR, HERE, NEAR, PARTIES, TO, UDP, WAYS, bond
from events import EVENTS
from failed import Failed
from networks import MODEMS, PLAIN
from outcome import Outcome

CONNECTIONS = 10_000

FLOWS = 10
"""At once."""

PATIENCE = 60
"""Seconds without a byte or an error after which a flow hangs."""

AFTERMATH = 15
"""Seconds after a killed end is back in which flows may still break."""

RECOVERY = 30
"""Seconds within which a new flow is right after the last event."""

BRIEF = "sctp.failover.association_max=60"
"""A setting with which a server gives a killed laptop up within five minutes, and not half an hour."""

GIVEN_UP = 300
"""Seconds after which it has."""

SPARE_FILES, SPARE_MEMORY = 4, 24
"""By how many files and MB an end may be larger afterwards: the allocator keeps pages."""


def many(conditions):
    """Opens connections in batches, and looks for what they leave behind beyond the first batch."""
    ways = [WAYS["SOCKS5"], WAYS["port"]]
    with bond(PLAIN) as made:
        for way in ways:
            made.measured("many", way, TO, conditions.at_once, conditions.at_once)
        time.sleep(3)
        before, results = held(made), Counter()
        for way in ways:
            words = ("many", way, TO, CONNECTIONS // 2, conditions.at_once)
            results += Counter(json.loads(made.measured(*words, bound=600)))
        grown = settled(made, before)
    right = results.pop("right", 0)
    measured = f"{right} of {CONNECTIONS} right, {conditions.at_once} at once; {left_behind(grown)}"
    measured += "".join(f"; {count} {error}" for error, count in results.most_common(3))
    return Outcome(measured, right == CONNECTIONS and is_small(grown))


def held(made):
    """The open files of the laptop and the server, and their memory in MB."""
    ends = (NEAR, FAR)
    return [*(made.descriptors(index) for index in ends), *(made.resident(index) for index in ends)]


def settled(made, before, patience=30):
    """By how much both ends have grown when flows have ended."""
    for _ in range(patience):
        grown = [later - earlier for earlier, later in zip(before, held(made), strict=True)]
        if is_small(grown):
            break
        time.sleep(1)
    return grown


def is_small(grown):
    """True if nothing was left behind."""
    return max(grown[:2]) <= SPARE_FILES and max(grown[2:]) <= SPARE_MEMORY


def left_behind(grown):
    """What is left behind, in words."""
    files, megabytes = grown[:2], grown[2:]
    return (
        f"{files[0]:+d} files at the laptop, {files[1]:+d} at the server; "
        f"{megabytes[0]:+.0f} and {megabytes[1]:+.0f} MB"
    )


class Proxied:
    """Programs that use the ports and proxies of a bond, and what else chaos differs in by the use of one."""

    def __init__(self, ways=WAYS, to=TO, udp=f"{HERE}:{UDP}", names=None):
        # Where flows go, as parties/unrest.py has it.
        self.ways, self.to, self.udp, self.names = ways, to, udp, names
        # What must work at the end, by the words of near.py.
        self.checks = {name: ("fetch", way, to, 1, 10_000, 0) for name, way in ways.items()}
        # The events that may break flows: the seconds after them, and the words of the error.
        self.excuses = {"killed": (AFTERMATH, "")}

    def open(self):
        """The bond."""
        return bond(MODEMS, has_bind=False, settings=[BRIEF])

    def begin(self, made):
        """What happens before the flows."""

    def end(self, _made):
        """The faults that are found when flows have ended."""
        return ()


def chaos(conditions, use=Proxied):
    """Lets flows run while things happen."""
    told = Chaos(conditions.seed, use()).run(conditions.chaos)
    for line in told.lines():
        print(f"  {line}", file=sys.stderr)
    outcome = told.outcome()
    if not outcome.is_met:
        raise Failed(outcome.measured)
    return outcome


class Chaos:
    """A use of a bond, its flows, and the events, drawn from a seed; only those whose name has a text."""

    def __init__(self, seed, use, only="", is_loud=False):
        self.chance, self.seed, self.use, self.is_loud = random.Random(seed), seed, use, is_loud
        self.kinds = [kind for kind in EVENTS if only in kind]
        if not self.kinds:
            raise Failed(f"no event has {only!r}: {', '.join(EVENTS)}")
        self.events, self.flows, self.faults, self.excuses = [], [], [], []

    def run(self, seconds):
        """Runs it, and returns itself."""
        with self.use.open() as made:
            before = held(made)
            self.use.begin(made)
            places = {name: getattr(self.use, name) for name in ("ways", "to", "udp", "names")}
            words = [self.seed, seconds, FLOWS, PATIENCE, json.dumps(places)]
            command = [sys.executable, str(PARTIES / "unrest.py"), *map(str, words)]
            flows = made.run(NEAR, command, stdout=PIPE, stderr=PIPE, text=True)
            self.began = time.time()
            reported = self.read_later(flows)
            while time.time() < self.began + seconds:
                time.sleep(self.chance.uniform(0.2, 3))
                self.happen(made)
            ended = time.time()
            reported(ended + 3 * PATIENCE - time.time())
            self.faults += self.unprovoked()
            self.recovery = self.recovered(made)
            is_given_up = any("killed" in event for event in self.events)
            self.grown = settled(made, before, GIVEN_UP if is_given_up else 30)
            self.faults += self.use.end(made)
            self.faults += [f"server's end: {line}" for line in made.complaints()]
            self.log = made.log()
            ends = [made.said[index].read_text() for index in (NEAR, FAR)]
            self.faults += [line for said in ends for line in said.splitlines() if "panicked" in line]
            made.said[2].write_text("")
        return self

    def read_later(self, flows):
        """Reads what flows report while they run; the result waits for their end."""

        def read():
            for line in flows.stdout:
                self.flows.append(json.loads(line))
                self.tell_flow(self.flows[-1])

        reader = threading.Thread(target=read, daemon=True)
        reader.start()

        def wait(bound):
            reader.join(bound)
            if reader.is_alive():
                self.faults.append("flows have not ended")
            elif flows.wait() != 0:
                raise Failed(flows.stderr.read().strip().splitlines()[-1])

        return wait

    def tell_flow(self, flow):
        """Notes a fault."""
        way, kind, result, start, seconds = flow
        if result.startswith("fault"):
            at = start - self.began
            self.faults.append(f"{kind} by {way}, {at:.1f} to {at + seconds:.1f} s: {result}")
            self.say(self.faults[-1])

    def happen(self, made):
        """One event from its beginning to its end."""
        kind, seconds = self.chance.choice(self.kinds), self.chance.uniform(0.3, 8)
        name = self.chance.choice(["p1", "p2"])
        began = time.time() - self.began
        EVENTS[kind](made, name, seconds)
        ended = time.time() - self.began
        for text, (after, error) in self.use.excuses.items():
            if text in kind:
                self.excuses.append((began, ended + after, error))
        self.events.append(f"{kind} ({name}) {began:.1f} to {ended:.1f} s")
        self.say(self.events[-1])

    def unprovoked(self):
        """The flows that broke although no event excuses it."""
        for way, kind, result, start, seconds in self.flows:
            first, last = start - self.began, start - self.began + seconds
            if result.startswith("broken") and not any(
                first < until and since < last and error in result for since, until, error in self.excuses
            ):
                yield f"{kind} by {way}, {first:.1f} to {last:.1f} s, without a cause: {result}"

    def say(self, line):
        """Prints a line where it is wanted."""
        if self.is_loud:
            print(line, file=sys.stderr, flush=True)

    def recovered(self, made):
        """The seconds until everything that must work does again."""
        start = time.time()
        for name, words in self.use.checks.items():
            while True:
                try:
                    made.measured(*words, bound=RECOVERY)
                    break
                except Failed as failed:
                    if time.time() > start + RECOVERY:
                        self.faults.append(f"{name} has not recovered in {RECOVERY} s: {failed}")
                        break
                    time.sleep(0.5)
        return time.time() - start

    def lines(self):
        """The faults, and the results of flows by their number."""
        counts = Counter(result for _, _, result, _, _ in self.flows)
        return [*self.faults, *(f"{count:6} {result}" for result, count in counts.most_common())]

    def outcome(self):
        """The row."""
        right = sum(result == "right" for _, _, result, _, _ in self.flows)
        broken = sum(result.startswith("broken") for _, _, result, _, _ in self.flows)
        measured = (
            f"{len(self.events)} events; {right} flows right, {broken} broken with an error, "
            f"{len(self.faults)} faults; new flows after {self.recovery:.1f} s; {left_behind(self.grown)}"
        )
        return Outcome(measured, not self.faults and is_small(self.grown))
