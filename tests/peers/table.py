"""The table of what was measured: medians with the range of the repeats, as docs/performance.md has it."""

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


def markdown(results, reference):
    """The lines of the table; `reference` is the stack whose processor time is 1, with the same messages."""
    lines = [
        f"| stack | messages | Mbit/s | CPU s/GB, both ends | to {reference} | peak memory, both ends |",
        "|---|---|---|---|---|---|",
    ]
    others = {message: runs for (stack, message), runs in results.items() if stack.name == reference}
    for (stack, message), runs in results.items():
        turns = zip(runs, others.get(message, ()), strict=False)
        ratios = [run.seconds / other.seconds for run, other in turns]
        memory = [median(getattr(run, end) for run in runs) / 1000 for end in ("sender", "receiver")]
        cells = [
            stack.name,
            f"{message:,} B",
            spread([run.megabits for run in runs], "{:,.0f}"),
            spread([run.seconds for run in runs], "{:.2f}"),
            spread(ratios, "{:.2f}") if ratios else "-",
            f"{memory[0]:.1f} + {memory[1]:.1f} MB",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def markdown_slow(results):
    """The lines of the table of slow senders."""
    lines = [
        "| stack | sends | sender, of one core | receiver, of one core |",
        "|---|---|---|---|",
    ]
    for (stack, load), runs in results.items():
        ends = ([getattr(run, end) for run in runs] for end in ("sender", "receiver"))
        cells = [stack.name, load.name, *(spread(shares, "{:.3f} %") for shares in ends)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def spread(values, shape):
    """The median, and in brackets the least and the most."""
    least, most = shape.format(min(values)), shape.format(max(values))
    return f"{shape.format(median(values))} ({least} to {most})"


def put(page, lines):
    """Replaces what is between the marks of a page."""
    text = page.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    page.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]))
