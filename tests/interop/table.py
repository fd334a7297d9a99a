"""The matrix as it is printed, and as docs/interop.md has it. It knows columns, and not how a row is run."""


def cells(row, result):
    """A row's columns as text."""
    goodput = "" if result.goodput_mbps is None else f"{result.goodput_mbps:.2f}"
    versions = "+".join(f"IPv{version}" for version in row.versions)
    verdict = "passed" if result.failure is None else f"failed: {result.failure}"
    sent = f"{row.sent.messages} x {row.sent.size:,} B"
    return [row.meeting, str(row.paths), versions, sent, row.fault, goodput, verdict]


def print_row(row, result):
    """One line at once, for those who wait."""
    widths = (15, 2, 10, 18, 24, 7, 0)
    text = " ".join(cell.ljust(width) for cell, width in zip(cells(row, result), widths, strict=True))
    print(f"{text}  {result.seconds:.1f} s", flush=True)


def print_summary(results):
    """How many went as they should."""
    passed = sum(result.failure is None for result in results)
    print(f"{passed} of {len(results)} rows passed in {sum(result.seconds for result in results):.0f} s")


def written(rows, results):
    """The table in Markdown."""
    head = ["meeting", "paths", "IP", "messages", "faults", "Mbit/s", "verdict"]
    lines = [head, ["---"] * len(head), *(cells(*pair) for pair in zip(rows, results, strict=True))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
