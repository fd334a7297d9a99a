"""The rows of the table: what the runs of each part were, counted."""

from statistics import median

import judgement
import trials
from drawing import networks
from planted import PLANTS
from tally import Tally, row

GOODPUT, TIE = 0.05, 0.02
"""The share by which a simulated goodput may differ, and that by which two real ones differ by chance."""

PROMISE, WORSE = 1 / 3, 0.02
"""The part of a promised gain by which the real one may miss it, and the share that a change may lose."""

GOALS = {
    "rate": "± 3 % in 95 %",
    "round trip": "± 1 ms or 3 % in 95 %",
    "depth": "± 15 % in 95 %",
    "loss": "inside its 95 % interval in 95 %",
    "width": "at most half of the loss, from 0.5 %, in 95 %",
    "width of runs": "the same",
}


PARTS = ["D1", "D2", "D3", "D4", "D5"]


class Drawn:
    """D1 and D2: drawn networks, and their twins in the simulator."""

    def __init__(self, arguments, has_twin):
        self.has_twin = has_twin
        self.drawn = networks(arguments.networks, arguments.seed)

    def jobs(self):
        """What is to be run."""
        return [
            lambda network=network: trials.of_network(network, False, self.has_twin) for network in self.drawn
        ]

    def rows(self, results):
        """The rows of all results."""
        lines, links = [], Tally()
        tallies = {quantity: Tally() for quantity in judgement.QUANTITIES}
        for network, result in zip(self.drawn, results, strict=True):
            if result.failure:
                links.add(False, f"D1 {result.name}", result.failure)
                continue
            for one in result.judged:
                tallies[one.quantity].add(one.is_right, f"D1 {result.name}", one.line)
            for number in range(1, len(network.links) + 1):
                mine = [one for one in result.judged if one.link == f"p{number}"]
                links.right += all(one.is_right for one in mine)
                links.all += 1
        for quantity, tally in tallies.items():
            lines.append(tally.row(f"D1 {quantity}", GOALS[quantity], 0.95))
        lines.append(links.row("D1 links with all of it right", "95 %", 0.95))
        seconds = [result.examination.seconds for result in results if not result.failure]
        if seconds:
            words = f"median {median(seconds):.0f} s, at most {max(seconds):.0f} s"
            lines.append(row("D5 time, with tests of the bond and simulations", words, "30 s of measuring"))
        return lines + (self.twins(results) if self.has_twin else [])

    def twins(self, results):
        """The rows of D2."""
        near, better, ties = Tally(), Tally(), 0
        for result in results:
            if result.twin:
                twin, where = result.twin, f"D2 {result.name}"
                off = twin.simulated / twin.really - 1
                words = f"sim {twin.simulated / 1e6:.2f} Mbit/s, really {twin.really / 1e6:.2f} ({off:+.1%})"
                near.add(abs(off) <= GOODPUT, where, words)
            if len(result.changes) == 2:
                first, second = result.changes
                ties += abs(first.really - second.really) <= TIE * second.really
                both = "; ".join(
                    f"{one.words}: sim {one.simulated / 1e6:.2f}, really {one.really / 1e6:.2f}"
                    for one in result.changes
                )
                better.add(first.really >= (1 - TIE) * second.really, where, both)
        return [
            near.row("D2 goodput of the file in the simulator", "± 5 % in 90 %", 0.90),
            better.row(
                "D2 the better of the two best changes is right",
                "95 %",
                0.95,
                f", {ties} within 2 % of each other",
            ),
        ]


class Planted:
    """D3 and D4: planted causes, and the advice applied."""

    def __init__(self, arguments, is_verified, has_causes):
        self.is_verified, self.has_causes = is_verified, has_causes
        plants = [plant for plant in PLANTS if arguments.cause in plant.name]
        plants = plants if has_causes else [plant for plant in plants if plant.has_advice]
        self.runs = [(plant, number) for number in range(arguments.seeds) for plant in plants]
        self.seed = arguments.seed

    def jobs(self):
        """What is to be run."""
        return [
            lambda plant=plant, number=number: trials.of_plant(
                plant, self.seed, number, False, self.is_verified
            )
            for plant, number in self.runs
        ]

    def rows(self, results):
        """The rows of all results."""
        by_plant, alarms = {}, Tally()
        for (plant, _), result in zip(self.runs, results, strict=True):
            where = f"D3 {result.name}"
            if not plant.causes:
                words = result.failure or "; ".join(said(result))
                alarms.add(not result.failure and not result.examination.causes, where, words)
                continue
            tally = by_plant.setdefault(plant.name, Tally())
            is_first = (
                not result.failure
                and result.examination.causes[:1]
                and (result.examination.causes[0] in plant.causes)
            )
            tally.add(is_first, where, result.failure or "; ".join(said(result)) or "nothing found")
        lines = []
        if self.has_causes:
            all_of_them = Tally(
                sum(tally.right for tally in by_plant.values()), sum(tally.all for tally in by_plant.values())
            )
            lines = [tally.row(f"D3 {name}", "named first", 0.95) for name, tally in by_plant.items()]
            lines.append(all_of_them.row("D3 all causes", "95 % named first", 0.95))
            lines.append(alarms.row("D3 nothing planted, nothing found", "at most 2 % false alarms", 0.98))
        return lines + (self.advice(results) if self.is_verified else [])

    def advice(self, results):
        """The rows of D4."""
        kept, worse = Tally(), Tally()
        for (plant, _), result in zip(self.runs, results, strict=True):
            if not plant.has_advice or result.failure:
                continue
            where, tried = f"D4 {result.name}", result.examination.document["verified"]
            if tried is None:
                kept.add(False, where, "no change was tried")
                continue
            before, after, promised = (tried[f"{key}_bps"] / 1e6 for key in ("before", "with", "promised"))
            words = (
                f"{tried['set']}: {before:.2f} Mbit/s before, {after:.2f} with it, {promised:.2f} promised"
            )
            gain, promise = after - before, promised - before
            kept.add(abs(gain - promise) <= PROMISE * abs(promise), where, words)
            worse.add(after >= (1 - WORSE) * before, where, words)
        return [
            kept.row("D4 gain of the advice", "within a third of the promise", 0.95),
            worse.row("D4 not worse with the advice", "never more than 2 % worse", 1.0),
        ]


class Light:
    """D5: networks that are examined with ``--light``."""

    def __init__(self, arguments):
        self.drawn = networks(arguments.networks, arguments.seed)

    def jobs(self):
        """What is to be run."""
        return [lambda network=network: trials.of_network(network, is_light=True) for network in self.drawn]

    def rows(self, results):
        """The rows of all results."""
        rates, bytes_of_links = Tally(), Tally()
        for result in results:
            where = f"D5 {result.name}"
            if result.failure:
                rates.add(False, where, result.failure)
                continue
            for one in result.judged:
                rates.add(one.is_right, where, one.line)
            for path, carried in enumerate(result.examination.carried, start=1):
                words = f"p{path} carried {carried / 1e6:.2f} MB"
                bytes_of_links.add(carried <= trials.LIGHT_BYTES, where, words)
        seconds = [result.examination.seconds for result in results if not result.failure]
        time = f", median {median(seconds):.0f} s" if seconds else ""
        return [
            rates.row("D5 rate with --light", "± 20 % in 95 %", 0.95, time),
            bytes_of_links.row("D5 bytes of a link with --light", "at most 2 MB", 1.0),
        ]


def said(result):
    """The findings, in words."""
    document = result.examination.document
    pairs = zip(result.examination.causes, document["sentences"], strict=True)
    return [f"{cause}: {sentence}" for cause, sentence in pairs]


def parts(arguments):
    """The parts that ``--only`` chooses."""
    chosen = set(arguments.only.split(",") if arguments.only else PARTS)
    made = []
    if chosen & {"D1", "D2"}:
        made.append(Drawn(arguments, "D2" in chosen))
    if chosen & {"D3", "D4"}:
        made.append(Planted(arguments, "D4" in chosen, "D3" in chosen))
    if "D5" in chosen:
        made.append(Light(arguments))
    return made
