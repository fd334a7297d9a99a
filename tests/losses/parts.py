"""The runs of each part, and its table."""

from dataclasses import dataclass
from statistics import median

from emulated import Emulated, Link, OneBottleneck, link
from emulated import table as link_table
from systems import kernel, ours
from trials import Alone, Beside, OneBeside, TwoBeside

RATE = 20
"""Of each link, Mbit/s; a round trip takes 20 ms without queues."""

RED = 'kind = "red", min = 17, max = 50, max_probability = 0.1, limit = "100 packets", ecn = true'
QUEUES = {
    "drop-tail": '"100 packets"',
    "RED, marks": f"{{{{ {RED} }}}}",
    "CoDel, marks": '{{ kind = "codel", ecn = true }}',
}
"""RED's least threshold is half of the bandwidth-delay product; CoDel has the values of RFC 8289."""

LOSSES = {
    "none": None,
    "0.1 %": "0.001",
    "1 %": "0.01",
    "3 %": "0.03",
    "0.1 % in bursts": "burst 99.9 s",
    "1 % in bursts": "burst 9.9 s",
    "3 % in bursts": "burst 3.23 s",
}
"""At random; or all packets in bad states of 100 ms on average, between good ones of this length."""

MARKING = ("ecn=echo",)
RESPONSES = {
    "standard": (),
    "wireless-aware": ("loss_response=wireless-aware",),
    "wireless-aware, amap": ("loss_response=wireless-aware", "wireless.resend=amap"),
    "bbr": ("congestion_control=bbr",),
}


@dataclass(frozen=True)
class Part:
    """Runs, and what shows them."""

    runs: list
    table: object


def network(queue, loss, links):
    """That many equal links."""
    keys = {"delay": '"10 ms"', "queue": QUEUES[queue]}
    words = LOSSES[loss]
    if words is not None and words.startswith("burst "):
        good = words.removeprefix("burst ")
        states = f'good = "{good}", bad = "100 ms", loss_good = 0, loss_bad = 1'
        keys["loss"] = f'{{{{ kind = "gilbert-elliott", {states} }}}}'
    elif words is not None:
        keys["loss"] = words
    return Emulated(f"{queue}, loss {loss}", (link("20", RATE, **keys),) * links)


def contenders(target):
    """Ours with each response, and the kernel's, with the number of links that each uses."""
    for name, settings in RESPONSES.items():
        yield f"anabranch, {name}", ours(target, *MARKING, *settings), 2
    for congestion in ("cubic", "bbr"):
        yield f"kernel {congestion.upper()}, one path", kernel(congestion), 1
        yield f"kernel {congestion.upper()}, Multipath TCP", kernel(congestion), 2


def losses(target, seconds):
    """One transfer at a time: a line for each system, a column for each loss."""
    seconds = seconds or 10.0
    rows = list(contenders(target))
    queues = ("drop-tail", "CoDel, marks")
    runs = {
        (queue, name, loss): Alone(network(queue, loss, links), system, seconds)
        for queue in queues
        for name, system, links in rows
        for loss in LOSSES
    }

    def table(results):
        lines = []
        for queue in queues:
            for what, value in (
                ("Share of the ceiling, %", share),
                ("95 % of round trips wait less, ms", wait),
            ):
                lines += ["", f"**{queue}. {what}**", "", f"| system | {' | '.join(LOSSES)} |"]
                lines.append(f"|---|{'--:|' * len(LOSSES)}")
                for name, _, _ in rows:
                    cells = [value(runs[queue, name, loss], results) for loss in LOSSES]
                    lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines[1:]

    return Part(list(runs.values()), table)


def shares(target, seconds):
    """A transfer beside one of the kernel's Reno and CUBIC on one link."""
    seconds = seconds or 30.0
    rows = [row for row in contenders(target) if "Multipath" not in row[0]]
    rows.append(("anabranch, cubic", ours(target, *MARKING, "congestion_control=cubic"), 1))
    rows.append(("kernel RENO, one path", kernel("reno"), 1))
    tiny = "drop-tail of 5 packets, 1 %"
    networks = {queue: network(queue, "none", 1) for queue in QUEUES}
    short = link("20", RATE, delay='"10 ms"', queue='"5 packets"', loss=0.01)
    networks[tiny] = Emulated(tiny, (short,))
    runs = {
        (other, queue, name): Beside(each, system, seconds, kernel(other))
        for other in ("cubic", "reno")
        for queue, each in networks.items()
        for name, system, _ in rows
    }

    def table(results):
        lines = []
        for other in ("cubic", "reno"):
            lines += [
                "",
                f"**Share beside one flow of the kernel's {other.upper()}, % (and what both carry, Mbit/s)**",
                "",
                f"| system | {' | '.join(networks)} |",
                f"|---|{'--:|' * len(networks)}",
            ]
            for name, _, _ in rows:
                cells = [contest(results.get(runs[other, queue, name])) for queue in networks]
                lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines[1:]

    return Part(list(runs.values()), table)


CONTROLS = ("reno", "cubic", "lia", "olia", "balia", "berp", "bbr")


def bottleneck(target, seconds):
    """Two paths of one transfer beside one of the kernel's TCP, all through one drop-tail queue."""
    seconds = seconds or 60.0
    one = OneBottleneck("one bottleneck", link("20", RATE, delay='"9 ms"', queue='"100 packets"'), 3)
    rows = {f"anabranch, {control}": ours(target, f"congestion_control={control}") for control in CONTROLS}
    rows["kernel CUBIC, Multipath TCP"] = kernel("cubic")
    rows["kernel RENO, Multipath TCP"] = kernel("reno")
    runs = {
        (other, name): TwoBeside(one, system, seconds, kernel(other))
        for other in ("reno", "cubic")
        for name, system in rows.items()
    }

    def table(results):
        others = ("reno", "cubic")
        lines = [
            "**Share of two paths beside one flow of the kernel's TCP, % (and what both carry, Mbit/s)**",
            "",
            f"| system | {' | '.join(f'beside {other.upper()}' for other in others)} |",
            f"|---|{'--:|' * len(others)}",
        ]
        for name in rows:
            cells = [contest(results.get(runs[other, name])) for other in others]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines

    return Part(list(runs.values()), table)


SHARED = {
    "half a BDP": '"33 packets"',
    "one": '"66 packets"',
    "four": '"264 packets"',
    "RED": '{{ kind = "red", limit = "132 packets", min = 11, max = 33 }}',
    "FQ-CoDel": '{{ kind = "fq-codel" }}',
}
"""Of a link of 20 Mbit/s with a round trip of 40 ms; drop-tail queues in bandwidth-delay products."""


def queues(target, seconds):
    """One and two paths of the default control beside one flow of the kernel's TCP, by their common queue."""
    seconds = seconds or 30.0
    networks = {
        name: OneBottleneck(
            name, Link("20", RATE, link_table(rate='"20 Mbit/s"', delay='"19 ms"', queue=queue)), 3
        )
        for name, queue in SHARED.items()
    }
    rows = {
        "anabranch, one path": (OneBeside, ours(target)),
        "anabranch, two paths": (TwoBeside, ours(target)),
        "anabranch, two paths, not coupled": (TwoBeside, ours(target, "coupled=off")),
        "kernel CUBIC, one path": (OneBeside, kernel("cubic")),
        "kernel RENO, one path": (OneBeside, kernel("reno")),
    }
    runs = {
        (other, queue, name): kind(network, system, seconds, kernel(other))
        for other in ("cubic", "reno", "bbr")
        for queue, network in networks.items()
        for name, (kind, system) in rows.items()
    }

    def shown(results):
        lines = []
        for other in ("cubic", "reno", "bbr"):
            lines += [
                "",
                f"**Share beside one flow of the kernel's {other.upper()}, % (and what both carry, Mbit/s)**",
                "",
                f"| system | {' | '.join(SHARED)} |",
                f"|---|{'--:|' * len(SHARED)}",
            ]
            for name in rows:
                cells = [contest(results.get(runs[other, queue, name])) for queue in SHARED]
                lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines[1:]

    return Part(list(runs.values()), shown)


def share(run, results):
    """The goodput of a run, of what its links could carry."""
    found = results.get(run)
    if not found:
        return "failed" if found == [] else "-"
    values = [100 * each.megabits / run.system.ceiling(run.network) for each in found]
    return f"{median(values):.0f}" + doubt(found)


def wait(run, results):
    """The time in queues that 95 % of round trips stay below."""
    found = results.get(run)
    if not found:
        return "failed" if found == [] else "-"
    return f"{median(each.waited(95) for each in found):.1f}" + doubt(found)


def contest(found):
    """The share of a transfer beside another."""
    if not found:
        return "failed" if found == [] else "-"
    together = median(sum(each.megabits) for each in found)
    return f"{median(each.share for each in found):.0f} ({together:.1f})" + doubt(found)


def doubt(found):
    """A mark where the machine was too busy for one of the runs, however often it was tried."""
    return " †" if any(each.is_void for each in found) else ""


PARTS = {"losses": losses, "shares": shares, "bottleneck": bottleneck, "queues": queues}
