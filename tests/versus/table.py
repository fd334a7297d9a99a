"""The tables of the comparison, as docs/performance.md has them."""

from statistics import median

from messages import delays


def of_part(tables, results):
    """The tables of a part, each with its title: the goodput of one path, then of all."""
    lines = []
    for title, rows in tables.items():
        lines += ["", f"**{title}**", ""]
        if any(row.together.traffic for row in rows):
            lines += of_messages([row.together for row in rows], results)
        else:
            lines += [*of_paths(rows, results), "", *of_rows(rows, results)]
    return lines[1:]


def of_rows(rows, results):
    """A line for each system on each network: how much, and how it stands to what is possible."""
    lines = [
        "| links, Mbit/s | system | Mbit/s | of the ceiling | of the sum of its paths alone "
        "| of its best path alone | by each path, % |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        job = row.together
        runs = results[job]
        if not all(results[each] for each in row.jobs()):
            lines.append(failed(job.network.name, job.system.name))
            continue
        got = megabits(runs)
        alone = [megabits(results[path]) for path in row.alone]
        cells = [
            job.network.name,
            job.system.name,
            spread([run.megabits for run in runs]) + void(runs),
            f"{got / job.system.ceiling(job.network):.1%}",
            f"{got / sum(alone):.2f}",
            f"{got / max(alone):.2f}",
            carried(sorted(runs, key=lambda run: run.megabits)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


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


def of_paths(rows, results):
    """The goodput of each system over each path alone."""
    jobs = list(dict.fromkeys(job for row in rows for job in row.alone))
    systems = list(dict.fromkeys(job.system for job in jobs))
    networks = list(dict.fromkeys(job.network for job in jobs))
    lines = [
        f"| one path, Mbit/s | {' | '.join(system.name for system in systems)} |",
        f"|---|{'--:|' * len(systems)}",
    ]
    for network in networks:
        here = {job.system: results[job] for job in jobs if job.network == network}
        cells = [spread([run.megabits for run in here[system]]) + void(here[system]) for system in systems]
        lines.append(f"| {network.name} | {' | '.join(cells)} |")
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
