"""One run of a test program, up to the first test that fails."""

import contextlib
import os
import re
import resource
import selectors
import signal
import subprocess
import time

MEMORY = 4 << 30
"""A mutant that allocates without end must not take the machine with it."""

HASTE = {"RUST_BACKTRACE": "0", "PROPTEST_MAX_SHRINK_ITERS": "0", "INSTA_UPDATE": "no"}
"""That a test failed is enough."""

LINE = re.compile(r"^test (.+?) \.\.\. (ok|FAILED|ignored)", re.MULTILINE)


class Trial:
    """The outcome of a run of a program. It is hung if no test ends for `patience` seconds."""

    def __init__(self, program, words, folder, patience):
        self.program, self.words, self.folder, self.patience = program, words, folder, patience
        self.failed = None
        self.is_hung = False
        self.last = "the first test"
        self.longest = 0.0

    def run(self):
        """Runs it, and ends it as soon as its outcome is known."""
        with subprocess.Popen(
            [self.program, *self.words],
            cwd=self.folder,
            env=os.environ | HASTE | {"CARGO_MANIFEST_DIR": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        ) as process:
            try:
                self.watch(process)
            finally:
                # Its children too, if there are any left.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        if self.failed is None and not self.is_hung and process.returncode != 0:
            self.failed = f"status {process.returncode} after {self.last}"

    def watch(self, process):
        """Reads what it says."""
        text, since = "", time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while self.failed is None:
                now = time.monotonic()
                if not selector.select(self.patience - (now - since)):
                    self.is_hung = True
                    return
                piece = os.read(process.stdout.fileno(), 1 << 16)
                if not piece:
                    process.wait()
                    return
                text += piece.decode(errors="replace")
                *whole, text = text.split("\n")
                for found in filter(None, map(LINE.match, whole)):
                    self.longest = max(self.longest, time.monotonic() - since)
                    since, self.last = time.monotonic(), found[1]
                    if found[2] == "FAILED":
                        self.failed = found[1]
                        return
