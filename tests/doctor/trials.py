"""The runs: an examination of a drawn network, what the simulator says of it, or a planted cause.

A run in which the machine was too late to be judged is repeated.
"""

import json
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import CalledProcessError, run

import judgement
from emulated import PROGRAM
from examination import Ends, Examination, examined, shifted, tested
from failed import Failed

MOST_LATE = 0.001
"""Seconds of lateness of an emulation's packets (99 of 100) with which a run is repeated."""

TRIES = 3
RUNS = 4
"""Replications of a simulation."""

LIGHT_BYTES = 2_000_000


@dataclass(frozen=True)
class Change:
    """A change that was simulated and tried: the goodput of both in bit/s."""

    words: str
    simulated: float
    really: float


@dataclass
class Result:
    """The result of a run."""

    name: str
    failure: str = ""
    examination: Examination | None = None
    judged: list = field(default_factory=list)
    twin: Change | None = None
    """The network as it was measured: in the simulator and really."""
    changes: list[Change] = field(default_factory=list)

    def misses(self):
        """The estimates that are not right, and the findings as sentences."""
        wrong = [one.line for one in self.judged if not one.is_right]
        return wrong + (self.examination.document["sentences"] if self.examination else [])


def of_network(network, is_light=False, has_twin=False):
    """A drawn network, judged; with its twin and the two best changes if these are wanted."""
    ends = Ends(before_server=shifted(network.shift))

    def once(hosts, result, folder):
        file = folder / "network.toml"
        words = ["--light"] if is_light else ["--write", str(file)]
        result.examination = examined(hosts, ends, words)
        if is_light:
            tolerance = judgement.LIGHT
            result.judged = judgement.of_rates(network, result.examination.document, tolerance)
        else:
            result.judged = judgement.of_network(network, result.examination.document)
        if has_twin:
            result.twin = Change("as it is", simulated(file), tested(hosts, ends))
            result.changes = tried(hosts, ends, result.examination.document)

    return tries(network.name, network.built, once)


def of_plant(plant, seed, number, is_light=False, is_verified=False):
    """A planted cause; with the advice applied if that is wanted and there is one."""
    scene = plant.drawn(seed, number)
    words = ["--light"] * is_light + ["--verify"] * (is_verified and plant.has_advice)

    def once(hosts, result, _):
        result.examination = examined(hosts, scene.ends, words)
        if is_verified and plant.has_advice:
            document = result.examination.document
            document["verified"] = document["verified"] or advised(hosts, scene.ends, document)

    return tries(f"{plant.name} {seed}/{number}", scene.build, once)


def advised(hosts, ends, document):
    """The first advice tried really, where the program does not: at the other end, or for data back."""
    promised = document["findings"] and document["findings"][0]["promise"]
    if not promised:
        return None
    finding, words = document["findings"][0], tuple(promised["set"].split())
    is_reverse = finding["direction"] == "reverse"
    is_there = finding["place"] == "there"
    changed = replace(
        ends,
        client=ends.client + words * (not is_there),
        server=ends.server + words * is_there,
    )
    before, after = (tested(hosts, each, is_reverse=is_reverse) for each in (ends, changed))
    value = promised["goodput_bps"]["value"]
    return {"set": promised["set"], "before_bps": before, "with_bps": after, "promised_bps": value}


def tries(name, build, once):
    """The result of a run, repeated where it failed or was late."""
    for _ in range(TRIES):
        result = Result(name)
        late = 0.0
        try:
            hosts = build()
            try:
                with tempfile.TemporaryDirectory() as folder:
                    once(hosts, result, Path(folder))
            finally:
                late = hosts.close()
        except (Failed, CalledProcessError, KeyError, OSError) as failed:
            result.failure = (
                str(failed) if isinstance(failed, Failed) else f"{type(failed).__name__}: {failed}"
            )
            continue
        result.examination = replace(result.examination, late=late)
        if late <= MOST_LATE:
            return result
    return result


def simulated(file):
    """The goodput of a scenario in bit/s."""
    command = [str(PROGRAM), "sim", str(file), "--json", "--quiet", "--runs", str(RUNS)]
    done = run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"sim: {(done.stderr.strip().splitlines() or ['nothing said'])[-1]}")
    return json.loads(done.stdout)["summary"]["main"]["goodput_bps"]["mean"]


def tried(hosts, ends, document):
    """The two best changes of data to the other end, tried really."""
    way = next((way for way in document["what_ifs"] if way["is_forward"]), None)
    best = way["changes"]["changes"][:2] if way else []
    names = [link["name"] for link in document["links"]]
    return [
        Change(
            what["set"],
            what["outcome"]["goodput_bps"]["value"],
            tested(hosts, with_change(ends, what, names)),
        )
        for what in best
    ]


def with_change(ends, what, names):
    """The ends with a change as the simulator's table has it."""
    words = what["set"].split()
    if "--via" not in words:
        at = what["end"]
        client = ends.client + tuple(words) * (at != "receiver")
        return replace(ends, client=client, server=ends.server + tuple(words) * (at != "sender"))
    link, _, use = words[-1].partition("=")
    others = [name for name in names if name != link]
    via = others if words[0] == "no" else [f"{link}={use}", *others]
    return replace(ends, client=ends.client + tuple(word for one in via for word in ("--via", one)))
