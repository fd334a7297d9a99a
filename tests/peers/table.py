"""The table of what was measured: medians with the range of the repeats, as docs/performance.md has it."""

import dataclasses
from statistics import median

MESSAGES = (1_400, 65_536)


@dataclasses.dataclass(frozen=True)
class SlowLoad:
    """Messages of 1,400 bytes at a rate that leaves the machine idle most of the time."""

    name: str
    rate: float
    """Bits a second."""
    count: int
    """Bytes in all."""


SLOW = (
    SlowLoad("1,400 B, 20 Mbit/s", 20e6, 12_500_000),
    SlowLoad("1,400 B every 10 s", 1_120, 2 * 1_400),
)
BEGIN = "<!-- tests/peers/run writes from here -->"
END = "<!-- to here -->"


def markdown(results):
    """The lines of the table."""
    lines = [
        "| stack | messages | Mbit/s | CPU s/GB, both ends | to ours, plain | peak memory, both ends |",
        "|---|---|---|---|---|---|",
    ]
    first = {message: runs for (_, message), runs in reversed(results.items())}
    for (stack, message), runs in results.items():
        seconds = [run.seconds for run in runs]
        ratio = median(seconds) / median(run.seconds for run in first[message])
        memory = [median(getattr(run, end) for run in runs) / 1000 for end in ("sender", "receiver")]
        cells = [
            stack.name,
            f"{message:,} B",
            spread([run.megabits for run in runs], "{:,.0f}"),
            spread(seconds, "{:.2f}"),
            f"{ratio:.2f}",
            f"{memory[0]:.1f} + {memory[1]:.1f} MB",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def markdown_slow(results):
    """The lines of the table of slow senders."""
    lines = [
        "| stack | sends | processor time of both ends, of one core | CPU s/GB, both ends |",
        "|---|---|---|---|",
    ]
    for (stack, load), runs in results.items():
        share = spread([run.share for run in runs], "{:.2f} %")
        seconds = spread([run.seconds for run in runs], "{:.0f}") if load.rate > 1e6 else "-"
        lines.append(f"| {stack.name} | {load.name} | {share} | {seconds} |")
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
