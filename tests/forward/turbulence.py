"""F8: ten thousand connections, and flows while links are cut, addresses change, and ends are killed."""

import json
import random
import sys
import threading
import time
from collections import Counter
from subprocess import PIPE

import networks
from bond import FAR, NEAR, PARTIES, TO, WAYS, bond
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


def chaos(conditions):
    """Lets flows run while things happen."""
    told = Chaos(conditions.seed).run(conditions.chaos)
    for line in told.lines():
        print(f"  {line}", file=sys.stderr)
    return told.outcome()


class Chaos:
    """A bond, its flows, and the events, drawn from a seed; only those whose name has a text."""

    def __init__(self, seed, only="", is_loud=False):
        self.chance, self.seed, self.is_loud = random.Random(seed), seed, is_loud
        self.kinds = [kind for kind in EVENTS if only in kind]
        if not self.kinds:
            raise Failed(f"no event has {only!r}: {', '.join(EVENTS)}")
        self.events, self.flows, self.faults, self.kills = [], [], [], []

    def run(self, seconds):
        """Runs it, and returns itself."""
        with bond(MODEMS, has_bind=False, settings=[BRIEF]) as made:
            before = held(made)
            words = [self.seed, seconds, FLOWS, PATIENCE]
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
            self.grown = settled(made, before, GIVEN_UP if self.kills else 30)
            self.faults += [f"server's end: {line}" for line in made.complaints()]
            self.log = made.log()
            self.faults += [line for line in made.log() if "panicked" in line]
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
        if "killed" in kind:
            self.kills.append((began, ended + AFTERMATH))
        self.events.append(f"{kind} ({name}) {began:.1f} to {ended:.1f} s")
        self.say(self.events[-1])

    def unprovoked(self):
        """The flows that broke although no end was killed."""
        for way, kind, result, start, seconds in self.flows:
            first, last = start - self.began, start - self.began + seconds
            if result.startswith("broken") and not any(
                first < until and since < last for since, until in self.kills
            ):
                yield f"{kind} by {way}, {first:.1f} to {last:.1f} s, without a kill: {result}"

    def say(self, line):
        """Prints a line where it is wanted."""
        if self.is_loud:
            print(line, file=sys.stderr, flush=True)

    def recovered(self, made):
        """The seconds until a flow by each way is right again."""
        start = time.time()
        for name, way in WAYS.items():
            while True:
                try:
                    made.measured("fetch", way, TO, 1, 10_000, 0, bound=RECOVERY)
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


def cut_for_a_while(made, name, seconds):
    """A link of the laptop is away."""
    networks.cut(made.near, name)
    time.sleep(seconds)
    networks.restore(made.near, 1, name)


def cut_both(made, _name, seconds):
    """All links are away."""
    networks.cut(made.near, "p1", "p2")
    time.sleep(seconds)
    networks.restore(made.near, 1, "p1", "p2")


def cut_far(made, name, seconds):
    """A link of the server is away."""
    networks.cut(made.far, name)
    time.sleep(seconds)
    networks.restore(made.far, 2, name)


def move_near(made, name, seconds):
    """The laptop has another address for a while."""
    networks.take(made.near, name, 1)
    networks.give(made.near, name, 4)
    time.sleep(seconds)
    networks.take(made.near, name, 4)
    networks.give(made.near, name, 1)


def move_far(made, name, seconds):
    """The server has another address for a while."""
    networks.give(made.far, name, 3)
    networks.take(made.far, name, 2)
    time.sleep(seconds)
    networks.give(made.far, name, 2)
    networks.take(made.far, name, 3)


def stop_near(made, _name, seconds):
    """The laptop's program is stopped."""
    made.stop(NEAR)
    time.sleep(seconds)
    made.go_on(NEAR)


def stop_far(made, _name, seconds):
    """The server's program is stopped."""
    made.stop(FAR)
    time.sleep(seconds)
    made.go_on(FAR)


def kill_near(made, _name, seconds):
    """The laptop's program is killed and started again."""
    made.end(NEAR)
    time.sleep(seconds / 4)
    made.start(NEAR)


def kill_far(made, _name, seconds):
    """The server's program is killed and started again."""
    made.end(FAR)
    time.sleep(seconds / 4)
    made.start(FAR)


EVENTS = {
    "a link cut": cut_for_a_while,
    "all links cut": cut_both,
    "a link of the server cut": cut_far,
    "laptop's address changed": move_near,
    "server's address changed": move_far,
    "laptop stopped": stop_near,
    "server stopped": stop_far,
    "laptop killed": kill_near,
    "server killed": kill_far,
}
