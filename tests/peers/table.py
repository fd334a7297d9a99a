"""The tables of docs/performance.md: medians, and beside the page CSV files with the range of the repeats."""

import csv
import dataclasses
from statistics import median

MESSAGES = (1_400, 65_536)


@dataclasses.dataclass(frozen=True)
class SlowLoad:
    """Messages of 1,400 bytes that leave the machine idle most of the time."""

    name: str
    rate: float
    """Bits a second."""
    count: int
    """Bytes in all."""
    seconds: float
    """From the first message to the last."""
    message: int = 1_400


SLOW = (
    SlowLoad("1,400 B, 20 Mbit/s", 20e6, 12_500_000, 5),
    SlowLoad("nothing", 1_120, 2 * 1_400, 10),
)
BEGIN = "<!-- tests/peers/run writes from here -->"
END = "<!-- to here -->"


BULK_COLUMNS = ["stack", "messages", "mbps", "cpu_s_per_gb", "to_tcp", "sender_mb", "receiver_mb"]
SLOW_COLUMNS = ["stack", "sends", "sender_percent", "receiver_percent"]


def bulk(results, reference):
    """A record for each row; `reference` is the stack whose processor time is 1, with the same messages."""
    others = {message: runs for (stack, message), runs in results.items() if stack.name == reference}
    records = []
    for (stack, message), runs in results.items():
        turns = zip(runs, others.get(message, ()), strict=False)
        ratios = [run.seconds / other.seconds for run, other in turns]
        memory = [median(getattr(run, end) for run in runs) / 1000 for end in ("sender", "receiver")]
        values = [
            stack.name,
            f"{message:,} B",
            spread([run.megabits for run in runs], "{:.0f}"),
            spread([run.seconds for run in runs], "{:.2f}"),
            spread(ratios, "{:.2f}") if ratios else "",
            *(f"{megabytes:.1f}" for megabytes in memory),
        ]
        records.append(dict(zip(BULK_COLUMNS, values, strict=True)))
    return records


def slow(results):
    """A record for each slow sender: the share of a core at both ends."""
    records = []
    for (stack, load), runs in results.items():
        ends = ([getattr(run, end) for run in runs] for end in ("sender", "receiver"))
        values = [stack.name, load.name, *(spread(shares, "{:.3f}") for shares in ends)]
        records.append(dict(zip(SLOW_COLUMNS, values, strict=True)))
    return records


def markdown(records):
    """The lines of the table: medians."""
    lines = [
        "| stack | messages | Mbit/s | CPU s/GB, both ends | to TCP | peak memory, MB, both ends |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for record in records:
        cells = [middle(record[column]) for column in ("cpu_s_per_gb", "to_tcp")]
        rate = f"{int(middle(record['mbps'])):,}"
        memory = f"{record['sender_mb']} + {record['receiver_mb']}"
        lines.append(f"| {' | '.join([record['stack'], record['messages'], rate, *cells, memory])} |")
    return lines


def markdown_slow(records):
    """The lines of the table of slow senders: a line for each stack, both ends by what it sends."""
    loads = list(dict.fromkeys(record["sends"] for record in records))
    lines = [
        f"| share of a core, sender + receiver | {' | '.join(loads)} |",
        f"|---|{'--:|' * len(loads)}",
    ]
    for stack in dict.fromkeys(record["stack"] for record in records):
        here = {record["sends"]: record for record in records if record["stack"] == stack}
        cells = [both_ends(here[load]) if load in here else "" for load in loads]
        lines.append(f"| {stack} | {' | '.join(cells)} |")
    return lines


def both_ends(record):
    """The medians of a slow sender and its receiver."""
    return f"{middle(record['sender_percent'])} + {middle(record['receiver_percent'])} %"


def spread(values, shape):
    """The median, and in brackets the least and the most."""
    least, most = shape.format(min(values)), shape.format(max(values))
    return f"{shape.format(median(values))} ({least} to {most})"


def middle(text):
    """The median of `spread`."""
    return text.split(" ")[0] or "-"


def write(path, records):
    """Writes records as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


def put(page, lines):
    """Replaces what is between the marks of a page."""
    text = page.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    page.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]))
