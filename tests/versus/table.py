"""The tables of the comparison, as docs/performance.md has them, and the CSV files beside them."""

import csv
from statistics import median

from messages import delays

COLUMNS = [
    "buffers",
    "links",
    "system",
    "mbps",
    "least_mbps",
    "most_mbps",
    "of_the_ceiling",
    "of_the_sum_alone",
    "of_the_best_alone",
    "by_path_percent",
    "is_void",
]
"""Of a measurement: medians and extremes of the repeats, and shares of what the links can carry."""


def of_part(tables, results):
    """The lines of a part, each table with its title, and the records for its file."""
    lines, records = [], []
    for title, rows in tables.items():
        lines += ["", f"**{title}**", ""]
        if any(row.together.traffic for row in rows):
            lines += of_messages([row.together for row in rows], results)
        else:
            measured = [*of_paths(title, rows, results), *of_rows(title, rows, results)]
            lines += of_records(measured)
            records += measured
    return lines[1:], records


def of_records(records):
    """A line for each network, a column for each system: Mbit/s, and the share of the ceiling."""
    systems = list(dict.fromkeys(record["system"] for record in records))
    lines = [f"| links, Mbit/s | {' | '.join(systems)} |", f"|---|{'--:|' * len(systems)}"]
    for links in dict.fromkeys(record["links"] for record in records):
        here = {record["system"]: record for record in records if record["links"] == links}
        cells = [cell(here[system]) if system in here else "" for system in systems]
        lines.append(f"| {links} | {' | '.join(cells)} |")
    return lines


def cell(record):
    """A measurement in a table."""
    if record["mbps"] == "":
        return "failed"
    share = f" ({float(record['of_the_ceiling']):.0%})" if record["of_the_ceiling"] else ""
    return f"{record['mbps']}{share}{' †' if record['is_void'] == 'yes' else ''}"


def of_rows(title, rows, results):
    """A record for each system on each network: how much, and how it stands to what is possible."""
    records = []
    for row in rows:
        job = row.together
        record = of_runs(title, job, results[job])
        if all(results[each] for each in row.jobs()):
            got = megabits(results[job])
            alone = [megabits(results[path]) for path in row.alone]
            record["of_the_ceiling"] = f"{got / job.system.ceiling(job.network):.3f}"
            record["of_the_sum_alone"] = f"{got / sum(alone):.2f}"
            record["of_the_best_alone"] = f"{got / max(alone):.2f}"
            record["by_path_percent"] = carried(sorted(results[job], key=lambda run: run.megabits))
        records.append(record)
    return records


def of_paths(title, rows, results):
    """A record for each system over each path alone."""
    jobs = dict.fromkeys(job for row in rows for job in row.alone)
    return [of_runs(title, job, results[job]) for job in jobs]


def of_runs(title, job, runs):
    """The record of a measurement, without shares; without rates if it failed."""
    record = dict.fromkeys(COLUMNS, "")
    record.update(buffers=title, links=job.network.name, system=job.system.name)
    if runs:
        values = [run.megabits for run in runs]
        record.update(mbps=f"{median(values):.1f}", least_mbps=f"{min(values):.1f}")
        record.update(most_mbps=f"{max(values):.1f}", is_void="yes" if void(runs) else "")
    return record


def of_messages(jobs, results):
    """A line for each system and what happened: how late messages were delivered."""
    lines = [
        "| what happens | system | half within, ms | 99 % within, ms | longest stall, ms | by each path, % |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for job in jobs:
        runs = results[job]
        if not runs:
            lines.append(failed(job.traffic.name, job.system.name))
            continue
        late = [delays(run.document, job.seconds, job.traffic) for run in runs]
        missing = sum(one.missing for one in late)
        cells = [
            job.traffic.name,
            job.system.name + void(runs),
            spread([one.percentile(50) for one in late]),
            spread([one.percentile(99) for one in late]),
            spread([one.stall / 1000 for one in late]) + (f", {missing} never came" if missing else ""),
            carried(sorted(runs, key=lambda run: run.carried[0])),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def megabits(runs):
    """The median of the repeats."""
    return median(run.megabits for run in runs)


def failed(what, system):
    """The line of what could not be measured."""
    return f"| {what} | {system} | failed |"


def spread(values):
    """The median, and in brackets the least and the most."""
    if not values:
        return "failed"
    reach = f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else ""
    return f"{median(values):.1f}{reach}"


def void(runs):
    """A mark where the machine was too busy for one of the runs, however often it was tried."""
    return " †" if any(run.is_void for run in runs) else ""


def carried(runs):
    """The goodput of each path in the middle one of runs that are in order."""
    middle = runs[len(runs) // 2]
    return " + ".join(f"{share:.0f}" for share in middle.shares())


def put(page, part, lines, by="tests/versus/run"):
    """Replaces what is between the marks of a part on a page, which name the script."""
    begin, end = (f"<!-- {by}: {part} {mark} -->" for mark in ("begins", "ends"))
    before, rest = page.read_text().split(begin)
    _, after = rest.split(end)
    page.write_text("\n".join([before + begin, "", *lines, "", end + after]))


def write_records(path, records):
    """Writes the records of a part beside the page."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
