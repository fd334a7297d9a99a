"""A copy of the sources in which one mutant after another is built and tested.

The sources are copied once, without lints, and built in a target directory of their own, without debug
information: from one mutant to the next little has to be built again. The integration tests of a crate become
modules of one program, which is linked once and not forty times; but those that count every allocation need a
program of their own.
"""

import fcntl
import json
import os
import re
import subprocess
from pathlib import Path

from .results import CAUGHT, MISSED, TIMEOUT, UNVIABLE
from .trial import Trial

SLOW = [
    "failover::a_path_that_heals_carries_data_again_within_a_second_however_long_it_was_cut",
    "hostile_bytes::a_peer_that_sends_whatever_it_likes_in_every_state",
    "mtu::whatever_sizes_links_have_everything_arrives_once_and_in_order",
    "other_stacks::dcsctp_and_ours_understand_each_other",
    "random_walks::",
    "receive_growth::a_buffer_that_holds_the_sender_back_grows_and_slow_start_goes_on",
    "receive_growth::on_paths_of_unlike_delay_it_grows_for_what_the_fast_one_brings",
    "slow_reader::",
]
"""Nine tenths of the time of all integration tests of sctp."""

SLOW_UNIT = "window_update::the_right_to_grow_is_what_the_flag_form_says"
"""Nine tenths of the time of its unit tests."""

GROUPS = {
    "anabranch-sctp": [
        (["--lib"], ["--skip", SLOW_UNIT]),
        (["--test", "every"], [word for test in SLOW for word in ("--skip", test)]),
        (["--test", "every"], SLOW),
        (["--lib"], [SLOW_UNIT]),
        (["--test", "allocations", "--test", "bounded_memory"], []),
    ],
    "anabranch-net": [
        (["--lib"], ["seal"]),
        (["--test", "sockets", "--test", "hostile_datagrams"], []),
        (["--lib"], []),
        (["--test", "allocations", "--test", "comings", "--test", "interfaces", "--test", "public"], []),
    ],
    "anabranch-transfer": [
        (["--lib"], ["protocol"]),
        (["--lib", "--example", "directory"], []),
    ],
}
"""For each package groups of tests in the order of their runs: what is built, and which of its tests."""

EVERY = {"anabranch-sctp": "crates/sctp/tests"}
"""Where a program `every` is made of all integration tests."""

FLAGS = ["profile.dev.opt-level=1", "profile.dev.debug=0", 'profile.dev.package."*".opt-level=2']


class Workshop:
    """The copy, and the change that is in it."""

    def __init__(self, root, folder):
        self.root, self.tree, self.target = root, folder / "tree", folder / "build"
        self.lock = folder / "lock"
        self.changed = None
        self.baselines = {}

    def __enter__(self):
        self.lock.parent.mkdir(parents=True, exist_ok=True)
        self.lock = self.lock.open("w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit("another run is under way") from None
        self.copy()
        return self

    def __exit__(self, *_):
        self.undo()
        self.lock.close()

    def copy(self):
        """Brings the copy up to date. Equal files keep their times, and are not built again."""
        ask = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        told = subprocess.run(ask, cwd=self.root, check=True, stdout=subprocess.PIPE, text=True)
        names = told.stdout.split("\0")
        wanted = {name: (self.root / name).read_bytes() for name in names if (self.root / name).is_file()}
        manifest = wanted["Cargo.toml"].decode()
        wanted["Cargo.toml"] = re.sub(r'"(?:deny|warn)"', '"allow"', manifest).encode()
        for folder in EVERY.values():
            wanted |= combined(folder, wanted)
        for name in self.present() - wanted.keys():
            (self.tree / name).unlink()
        for name, content in wanted.items():
            self.write(name, content)

    def present(self):
        """The files of the copy."""
        files = (path for path in self.tree.rglob("*") if path.is_file())
        return {str(path.relative_to(self.tree)) for path in files}

    def write(self, name, content):
        """Writes a file if that changes it."""
        path = self.tree / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if os.access(self.root / name, os.X_OK):
            path.chmod(0o755)

    def undo(self):
        """Takes the last change back."""
        if self.changed is not None:
            name, content = self.changed
            self.write(name, content)
            self.changed = None

    def try_out(self, mutant):
        """The outcome of a mutant, and the test that says so."""
        for number in range(len(GROUPS[mutant.package])):
            if (mutant.package, number) not in self.baselines:
                self.undo()
                self.measure(mutant.package, number)
        self.undo()
        path = self.tree / mutant.file
        original = path.read_bytes()
        self.changed = mutant.file, original
        self.write(mutant.file, mutant.applied(original.decode()).encode())
        for number in range(len(GROUPS[mutant.package])):
            programs = self.build(mutant.package, number)
            if programs is None:
                return UNVIABLE, ""
            for program, patience in zip(programs, self.baselines[mutant.package, number], strict=True):
                trial = self.run(mutant.package, number, program, patience)
                if trial.is_hung:
                    return TIMEOUT, f"{program.name}: {trial.last}"
                if trial.failed is not None:
                    return CAUGHT, f"{program.name}: {trial.failed}"
        return MISSED, ""

    def measure(self, package, number):
        """Runs a group without a mutant: all must pass; how long may no test end?"""
        programs = self.build(package, number)
        if programs is None:
            raise SystemExit(f"{package} does not compile")
        patiences = []
        for program in programs:
            trial = self.run(package, number, program, 600)
            if trial.failed is not None:
                raise SystemExit(f"{program.name} fails without a mutant: {trial.failed}")
            patiences.append(20 + 5 * trial.longest)
        self.baselines[package, number] = patiences

    def run(self, package, number, program, patience):
        """Runs the tests of a group that are in this program, where cargo would."""
        folder = self.tree / "crates" / package.removeprefix("anabranch-")
        trial = Trial(program, GROUPS[package][number][1], folder, patience)
        trial.run()
        return trial

    def build(self, package, number):
        """The programs of a group, in order; `None` if they do not compile."""
        command = ["cargo", "test", "--no-run", "--quiet", "--offline", "--package", package]
        command += ["--message-format", "json", *GROUPS[package][number][0]]
        for flag in FLAGS:
            command += ["--config", flag]
        environment = os.environ | {"CARGO_TARGET_DIR": str(self.target), "CARGO_INCREMENTAL": "1"}
        built = subprocess.run(command, cwd=self.tree, env=environment, capture_output=True, text=True)
        if built.returncode != 0:
            return None
        messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
        tests = [told for told in messages if told.get("executable") and told["profile"]["test"]]
        return [Path(test["executable"]) for test in sorted(tests, key=lambda test: test["target"]["name"])]


def combined(folder, files):
    """The integration tests of a crate, changed into modules of one program that share what they use."""
    is_own = re.compile(rf"{folder}/(\w+)\.rs")
    tests = {name: files[name].decode() for name in files if is_own.fullmatch(name)}
    tests = {name: text for name, text in tests.items() if "#[global_allocator]" not in text}
    is_part = re.compile(r"^mod (\w+);$", re.MULTILINE)
    parts = sorted({part for text in tests.values() for part in is_part.findall(text)})
    modules = sorted(is_own.fullmatch(name)[1] for name in tests)
    changed = {name: is_part.sub(r"use crate::\1;", text).encode() for name, text in tests.items()}
    every = "//! All integration tests.\n\n" + "".join(f"mod {name};\n" for name in parts + modules)
    return changed | {f"{folder}/every.rs": every.encode()}
