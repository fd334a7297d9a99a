"""The outcome of each mutant, kept in a file, and the score."""

import hashlib
import json
import math
from collections import Counter, defaultdict
from pathlib import Path

CAUGHT, TIMEOUT, MISSED, UNVIABLE = "caught", "timeout", "missed", "unviable"


FOUND = Path(__file__).parent / "found.jsonl"
"""The earlier outcomes, so that a run elsewhere goes on from there."""


class Results:
    """A line a trial; the last one of a mutant counts."""

    def __init__(self, file, root):
        self.file, self.root, self.of, self.tests = file, root, {}, {}
        for source in filter(Path.exists, (FOUND, file)):
            for line in source.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self.of[entry["key"]] = entry

    def has(self, mutant):
        """True if its outcome is known. Missed mutants may be caught by tests that have changed since."""
        tests, entry = self.tests_of(mutant), self.of.get(mutant.key)
        return entry is not None and (entry["outcome"] != MISSED or entry["tests"] == tests)

    def add(self, mutant, outcome, detail, seconds):
        """Keeps an outcome."""
        entry = {
            "key": mutant.key,
            "name": mutant.name,
            "outcome": outcome,
            "detail": detail,
            "seconds": round(seconds, 1),
            "tests": self.tests_of(mutant),
        }
        self.of[mutant.key] = entry
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry) + "\n")

    def tests_of(self, mutant):
        """A hash of the tests that judge it: the crate's, and the file's own."""
        if mutant.file not in self.tests:
            crate = "/".join(mutant.file.split("/")[:2])
            digest = hashlib.sha256((self.root / mutant.file).read_bytes())
            for file in sorted((self.root / crate / "tests").rglob("*.rs")):
                digest.update(file.read_bytes())
            self.tests[mutant.file] = digest.hexdigest()[:24]
        return self.tests[mutant.file]

    def print_score(self, chosen):
        """The score by folder and of all, and who survived."""
        by_folder = defaultdict(Counter)
        for mutant in chosen:
            outcome = self.of[mutant.key]["outcome"] if mutant.key in self.of else "untried"
            parts = mutant.file.split("/")
            folder = "/".join(parts[1:2] + parts[3:4])
            by_folder[folder][outcome] += 1
            by_folder["all"][outcome] += 1
        outcomes = (CAUGHT, TIMEOUT, MISSED, UNVIABLE, "untried")
        print(f"{'':20}" + "".join(f"{outcome:>10}" for outcome in outcomes) + "     score, 95 % interval")
        for folder in [*sorted(by_folder.keys() - {"all"}), "all"]:
            counts = by_folder[folder]
            caught = counts[CAUGHT] + counts[TIMEOUT]
            row = "".join(f"{counts[outcome]:10}" for outcome in outcomes)
            print(f"{folder:20}{row}     {score(caught, caught + counts[MISSED])}")
        missed = [mutant for mutant in chosen if self.of.get(mutant.key, {}).get("outcome") == MISSED]
        print(f"{len(missed)} survived" + ":" * bool(missed))
        for mutant in sorted(missed, key=lambda mutant: (mutant.file, mutant.span)):
            print(f"    {mutant.name}")


def score(caught, tried):
    """The part that was caught, with its interval (Wilson)."""
    if tried == 0:
        return "-"
    z, part = 1.959964, caught / tried
    middle = (part + z * z / (2 * tried)) / (1 + z * z / tried)
    half = z / (1 + z * z / tried) * math.sqrt(part * (1 - part) / tried + z * z / (4 * tried * tried))
    return f"{100 * part:.1f} %, {100 * (middle - half):.1f} to {100 * (middle + half):.1f}"
