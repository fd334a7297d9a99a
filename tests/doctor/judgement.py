"""Estimates beside the truth: which are right, and a line for each that is not."""

from dataclasses import dataclass

RATE, TRIP, LEAST_TRIP, DEPTH, LIGHT = 0.03, 0.03, 0.001, 0.15, 0.20
"""The shares by which an estimate may differ, and the seconds by which a round trip may."""

WIDTH, FROM = 0.5, 0.005
"""The part of a loss that its interval may be wide, from this loss on."""

QUANTITIES = ["rate", "round trip", "depth", "loss", "width", "width of runs"]


@dataclass(frozen=True)
class Judged:
    """One quantity of one link."""

    link: str
    quantity: str
    is_right: bool
    line: str
    """The truth and the estimate, in words."""


def of_network(network, document):
    """Every quantity of every link of a drawn network."""
    judged = []
    for name, link, estimate in paired(network, document):
        trip = network.round_trip(link)
        judged.append(of_trip(name, trip, estimate))
        for direction, way in link.ways:
            judged += of_way(name, direction, way, estimate[direction] if estimate else None)
    return judged


def of_rates(network, document, tolerance):
    """The rates alone."""
    return [
        near(name, direction, "rate", way.rate, value(estimate, direction, "rate_bps"), tolerance)
        for name, link, estimate in paired(network, document)
        for direction, way in link.ways
    ]


def paired(network, document):
    """Each link with its name and its estimate, which is ``None`` where the link was not measured."""
    found = {link["name"]: link for link in document["links"] if link["status"] == "measured"}
    names = [f"p{number}" for number in range(1, len(network.links) + 1)]
    return [(name, link, found.get(name)) for name, link in zip(names, network.links, strict=True)]


def of_trip(name, truth, estimate):
    """The round trip."""
    found = estimate and estimate["round_trip_s"]
    is_right = bool(found) and abs(found["value"] - truth) <= max(LEAST_TRIP, TRIP * truth)
    return Judged(name, "round trip", is_right, line(name, "round trip", truth, found))


def of_way(name, direction, way, estimate):
    """Rate, depth and loss of a direction."""
    estimate = estimate or {}
    queue = estimate.get("queue") or {}
    depth = None if queue.get("is_policer") or queue.get("is_at_least") else queue.get("depth_s")
    loss = estimate.get("chance_loss")
    is_inside = bool(loss) and loss["low"] <= way.loss <= loss["high"]
    judged = [
        near(name, direction, "rate", way.rate, estimate.get("rate_bps"), RATE),
        near(name, direction, "depth", way.queue, depth, DEPTH, queue.get("depth_s")),
        Judged(name, "loss", is_inside, line(name, f"{direction} loss", way.loss, loss) + runs(way)),
    ]
    if way.loss >= FROM:
        is_narrow = bool(loss) and loss["high"] - loss["low"] <= WIDTH * way.loss
        words = line(name, f"{direction} width of loss", way.loss, loss) + runs(way)
        judged.append(Judged(name, "width of runs" if way.run else "width", is_narrow, words))
    return judged


def near(name, direction, quantity, truth, found, tolerance, shown=None):
    """A value that may differ by a share of the truth."""
    is_right = bool(found) and abs(found["value"] - truth) <= tolerance * truth
    return Judged(name, quantity, is_right, line(name, f"{direction} {quantity}", truth, found or shown))


def value(estimate, direction, key):
    """An estimate of a direction, if there is one."""
    return estimate[direction][key] if estimate else None


def line(name, what, truth, found):
    """The truth beside the estimate and its interval."""
    said = "nothing"
    if found:
        ends = f"{found['low']:.5g} to {found['high']:.5g}, {found['samples']} samples"
        said = f"{found['value']:.5g} ({ends})"
    return f"{name} {what}: {truth:.5g} is found as {said}"


def runs(way):
    """The runs of the losses, in words."""
    return f", runs of {1e3 * way.run:.1f} ms" if way.run else ""
