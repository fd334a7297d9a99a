"""The matrix as it is printed, and as docs/interop.md has it."""

import dataclasses

COLUMNS = [(paths, versions) for versions in ((4,), (6,), (4, 6)) for paths in (1, 2, 3)]
"""Which paths, in the order of the table for the documentation."""


def print_row(row, result):
    """One line at once, for those who wait."""
    versions = "+".join(f"IPv{version}" for version in row.versions)
    verdict = "passed" if result.failure is None else f"failed: {result.failure}"
    cells = [row.meeting, str(row.paths), versions, what(row), row.fault, goodput(result), verdict]
    widths = (15, 2, 10, 18, 46 if row.marking else 30, 7, 0)
    text = " ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    print(f"{text}  {result.seconds:.1f} s", flush=True)


def print_summary(results):
    """The number of rows as expected."""
    passed = sum(result.failure is None for result in results)
    print(f"{passed} of {len(results)} rows passed in {sum(result.seconds for result in results):.0f} s")


def print_markdown(rows, results):
    """The rows as tables."""
    pairs = list(zip(rows, results, strict=True))
    print_goodput([(row, result) for row, result in pairs if row.marking is None])
    print()
    print_marks([(row, result) for row, result in pairs if row.marking is not None])


def print_marks(pairs):
    """A line for each meeting with a queue that marks: what was marked, and what came of it."""
    head = ["data from", "queue", "our `ecn`", "opened by", "IP", "Mbit/s"]
    counts = ["packets with data", "marked", "ECNE", "CWR", "cuts", "lost", "sent again"]
    print(markdown([*head, *counts]))
    print(markdown(["---"] * 5 + ["--:"] * (1 + len(counts))))
    for row, result in pairs:
        marking = row.marking
        form = f"{marking.ecn}, `ecn_test`" if marking.is_tested else marking.ecn
        words = [SENDERS[row.meeting], marking.queue, form, marking.opens, f"v{row.versions[0]}"]
        marks = ["failed"] if result.marks is None else [f"{n:,}" for n in dataclasses.astuple(result.marks)]
        print(markdown([*words, goodput(result), *marks]))


SENDERS = {"ecn_receiver": "ours", "ecn_sender": "usrsctp"}


def print_goodput(pairs):
    """A line for all paths of a meeting: Mbit/s where it passed."""
    head = ["meeting", "messages", "special", *("+".join(f"v{v}" for v in vs) + f" {n}" for n, vs in COLUMNS)]
    lines = {}
    for row, result in pairs:
        line = lines.setdefault((row.meeting, what(row), row.fault), {})
        line[row.paths, row.versions] = goodput(result) if result.failure is None else "failed"
    print(markdown(head))
    print(markdown(["---"] * 3 + ["--:"] * len(COLUMNS)))
    for key, line in lines.items():
        print(markdown([*key, *(line.get(column, "") for column in COLUMNS)]))


def what(row):
    """The number and the size of messages."""
    return f"{row.sent.messages} x {row.sent.size:,} B"


def goodput(result):
    """User data in Mbit/s, where it was measured."""
    return "" if result.goodput_mbps is None else f"{result.goodput_mbps:.2f}"


def markdown(cells):
    """A line of a table."""
    return f"| {' | '.join(cells)} |"
