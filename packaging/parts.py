"""The crates that are part of the program, as cargo tells them."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "anabranch-cli"
DRAWING = "plotly"
"""Our build script takes a library for report pages out of it."""


@dataclass(frozen=True)
class Parts:
    """Crates by name and version, ours among them, and the ids of those that each one needs."""

    program: dict
    crates: list
    needs: dict


def of_program():
    """The program with all crates that it needs when it runs."""
    packages, needs = read()
    program = next(key for key, package in packages.items() if package["name"] == PROGRAM)
    # The metadata also has what features of tests alone ask for.
    tree = said("cargo", "tree", "--locked", "--edges=normal", "--prefix=none", "--format={p}", "-p", PROGRAM)
    built = {tuple(line.split()[:2]) for line in tree.splitlines()}
    crates = [packages[key] for key in reached(program, needs)]
    crates = [crate for crate in crates if is_built(crate, built)]
    crates.sort(key=lambda crate: (crate["name"], crate["version"]))
    return Parts(packages[program], crates, needs)


def is_built(crate, built):
    """Whether the program of this machine has the crate."""
    return crate["name"] == DRAWING or (crate["name"], f"v{crate['version']}") in built


def read():
    """Every package by its id, and what each of them needs when it runs."""
    host = said("rustc", "-vV").split("host: ")[1].split("\n")[0]
    told = said("cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", host)
    metadata = json.loads(told)
    needs = {
        node["id"]: [need["pkg"] for need in node["deps"] if is_part(need)]
        for node in metadata["resolve"]["nodes"]
    }
    return {package["id"]: package for package in metadata["packages"]}, needs


def is_part(need):
    """Not what only tests or build scripts need, save what they put into the program."""
    return need["name"] == DRAWING or any(kind["kind"] is None for kind in need["dep_kinds"])


def reached(program, needs):
    found, left = {program}, [program]
    while left:
        fresh = [key for key in needs[left.pop()] if key not in found]
        found.update(fresh)
        left.extend(fresh)
    return found


def said(*command):
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if ended.returncode != 0:
        sys.exit(f"packaging: {' '.join(command)} ended with {ended.returncode}: {ended.stderr.strip()}")
    return ended.stdout
