"""The matrix as it is printed, and as docs/interop.md has it."""

COLUMNS = [(paths, versions) for versions in ((4,), (6,), (4, 6)) for paths in (1, 2, 3)]
"""Which paths, in the order of the table for the documentation."""


def print_row(row, result):
    """One line at once, for those who wait."""
    versions = "+".join(f"IPv{version}" for version in row.versions)
    verdict = "passed" if result.failure is None else f"failed: {result.failure}"
    cells = [row.meeting, str(row.paths), versions, what(row), row.fault, goodput(result), verdict]
    widths = (15, 2, 10, 18, 30, 7, 0)
    text = " ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    print(f"{text}  {result.seconds:.1f} s", flush=True)


def print_summary(results):
    """How many went as they should."""
    passed = sum(result.failure is None for result in results)
    print(f"{passed} of {len(results)} rows passed in {sum(result.seconds for result in results):.0f} s")


def print_markdown(rows, results):
    """A line for all paths of a meeting: Mbit/s where it passed."""
    head = ["meeting", "messages", "special", *("+".join(f"v{v}" for v in vs) + f" {n}" for n, vs in COLUMNS)]
    lines = {}
    for row, result in zip(rows, results, strict=True):
        line = lines.setdefault((row.meeting, what(row), row.fault), {})
        line[row.paths, row.versions] = goodput(result) if result.failure is None else "failed"
    print(markdown(head))
    print(markdown(["---"] * 3 + ["--:"] * len(COLUMNS)))
    for key, line in lines.items():
        print(markdown([*key, *(line.get(column, "") for column in COLUMNS)]))


def what(row):
    """How many messages, and how large."""
    return f"{row.sent.messages} x {row.sent.size:,} B"


def goodput(result):
    """User data in Mbit/s, where it was measured."""
    return "" if result.goodput_mbps is None else f"{result.goodput_mbps:.2f}"


def markdown(cells):
    """A line of a table."""
    return f"| {' | '.join(cells)} |"
