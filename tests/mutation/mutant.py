"""The mutants that there are, and which of them a seed chooses."""

import hashlib
import json
import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass

VERSION = "27.1.0"
"""Of cargo-mutants."""


@dataclass(frozen=True)
class Mutant:
    """One change of one place in a function."""

    package: str
    file: str
    name: str
    """The name by cargo-mutants, with file and line."""
    key: str
    """A hash of the change and of the function around it, wherever that stands in the file."""
    span: tuple[int, int]
    """The replaced text, as offsets into the file."""
    replacement: str

    def applied(self, source):
        """The source with the change."""
        start, end = self.span
        return source[:start] + self.replacement + source[end:]


def listed(root, tools, areas):
    """Every mutant, in the order of the areas. cargo-mutants is installed if it is missing."""
    environment = os.environ | {"PATH": f"{tools}/bin:{os.environ['PATH']}"}
    if not (tools / "bin/cargo-mutants").exists():
        install = ["cargo", "install", "cargo-mutants", "--version", VERSION, "--locked"]
        subprocess.run([*install, "--root", str(tools)], check=True)
    command = ["cargo", "mutants", "--list", "--json", "--no-config", "--dir", str(root)]
    for area in areas:
        command += ["--file", f"{area}/**/*.rs"]
    found = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    mutants = distinct(read(root, json.loads(found)))

    def area_of(mutant):
        return next(number for number, area in enumerate(areas) if mutant.file.startswith(f"{area}/"))

    return sorted(mutants, key=area_of)


def read(root, entries):
    """The mutants that cargo-mutants lists."""
    sources = {}
    for entry in entries:
        file = entry["file"]
        if file not in sources:
            text = (root / file).read_text(encoding="utf-8")
            sources[file] = text, line_offsets(text)
        text, lines = sources[file]
        start, end = span(entry["span"], lines)
        first, last = span(entry["function"]["span"], lines) if entry["function"] else (0, len(text))
        words = (file, text[first:last], str(start - first), str(end - first), entry["replacement"])
        key = hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]
        yield Mutant(entry["package"], file, entry["name"], key, (start, end), entry["replacement"])


def line_offsets(text):
    """Where each line begins."""
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    return offsets


def span(places, lines):
    """Lines and columns, both counted from 1, as offsets."""
    return tuple(lines[places[edge]["line"] - 1] + places[edge]["column"] - 1 for edge in ("start", "end"))


def distinct(mutants):
    """Each once: two functions of a file may have the same text."""
    return list({mutant.key: mutant for mutant in mutants}.values())


def sample(mutants, count, seed):
    """A sample of them: each file has a share by its number, at least one, and a hash chooses which.

    So a change in a file does not alter the choices in others, and few of its own. The order is by package,
    and then spreads each file's part evenly: a run that is stopped has seen something of every file.
    """
    by_file = defaultdict(list)
    for mutant in mutants:
        by_file[mutant.file].append(mutant)
    chosen = []
    for file, part in shares({file: len(all_) for file, all_ in by_file.items()}, count).items():
        ranked = sorted(by_file[file], key=lambda mutant: rank(mutant, seed))[:part]
        chosen += [((place + 0.5) / part, mutant) for place, mutant in enumerate(ranked)]
    packages = list(dict.fromkeys(mutant.package for mutant in mutants))
    chosen.sort(key=lambda placed: (packages.index(placed[1].package), placed[0], rank(placed[1], seed)))
    return [mutant for _, mutant in chosen]


def rank(mutant, seed):
    """A number that has nothing to do with what the mutant is."""
    return hashlib.sha256(f"{seed}/{mutant.key}".encode()).digest()


def shares(sizes, count):
    """The share of each file: in proportion, by largest remainders, at least one and at most all."""
    total = sum(sizes.values())
    exact = {file: min(size, max(1, count * size / total)) for file, size in sizes.items()}
    parts = {file: int(part) for file, part in exact.items()}
    by_remainder = sorted(exact, key=lambda file: (parts[file] - exact[file], file))
    for file in by_remainder[: max(0, count - sum(parts.values()))]:
        parts[file] = min(sizes[file], parts[file] + 1)
    return parts
