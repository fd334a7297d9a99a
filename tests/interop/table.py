"""The matrix as it is printed, and as the CSV files beside docs/interop.md have it."""

import csv
import dataclasses
import sys

COLUMNS = [(paths, versions) for versions in ((4,), (6,), (4, 6)) for paths in (1, 2, 3)]
"""The paths, in the order of the table."""


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


def print_csv(rows, results):
    """The rows as tables: goodput, then marks."""
    pairs = list(zip(rows, results, strict=True))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows(goodput_table([(row, result) for row, result in pairs if row.marking is None]))
    print()
    writer.writerows(marks_table([(row, result) for row, result in pairs if row.marking is not None]))


def marks_table(pairs):
    """A row for each meeting with a queue that marks: the marks, and the answers to them."""
    head = ["data from", "queue", "our ecn", "opened by", "IP", "Mbit/s"]
    lines = [[*head, "packets with data", "marked", "ECNE", "CWR", "cuts", "lost", "sent again"]]
    for row, result in pairs:
        marking = row.marking
        form = f"{marking.ecn}, ecn_test" if marking.is_tested else marking.ecn
        words = [SENDERS[row.meeting], marking.queue, form, marking.opens, f"v{row.versions[0]}"]
        marks = ["failed"] if result.marks is None else dataclasses.astuple(result.marks)
        lines.append([*words, goodput(result), *marks])
    return lines


SENDERS = {"ecn_receiver": "ours", "ecn_sender": "usrsctp"}


def goodput_table(pairs):
    """A row for all paths of a meeting: Mbit/s where it passed."""
    head = ["meeting", "messages", "special", *("+".join(f"v{v}" for v in vs) + f" {n}" for n, vs in COLUMNS)]
    lines = {}
    for row, result in pairs:
        line = lines.setdefault((row.meeting, what(row), row.fault), {})
        line[row.paths, row.versions] = goodput(result) if result.failure is None else "failed"
    return [head, *([*key, *(line.get(column, "") for column in COLUMNS)] for key, line in lines.items())]


def what(row):
    """The number and the size of messages."""
    return f"{row.sent.messages} x {row.sent.size:,} B"


def goodput(result):
    """User data in Mbit/s, where it was measured."""
    return "" if result.goodput_mbps is None else f"{result.goodput_mbps:.2f}"
