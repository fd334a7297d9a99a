"""One transfer from the client to the server, and whether the result is as it should be."""

import hashlib
import random
import time
from dataclasses import dataclass

from ours import SECONDS, Failed, document_of, started
from uplinks.arrivals import Arrivals
from uplinks.household import CHANGED, OUTER, SERVER

BYTES = 16_000_000
"""Of the file: some four seconds over both uplinks."""

CHANGE_AT = 1.2
"""Seconds after the first data, when an outer address changes."""


@dataclass(frozen=True)
class Row:
    """One transfer."""

    routers: int
    is_sealed: bool
    changes: bool
    fetches: bool = False

    @property
    def name(self):
        """The row in words, which no other has."""
        translators = "one translator" if self.routers == 1 else "a translator each"
        return ", ".join(
            [
                "sealed" if self.is_sealed else "plain",
                translators,
                *["outer address changes"] * self.changes,
                *["fetched"] * self.fetches,
            ]
        )


def transfer(row, program, household, folder):
    """One transfer: the cells of the row's line."""
    content = random.Random(1).randbytes(BYTES)
    file, stored = folder / "file", folder / "stored"
    file.write_bytes(content)
    stored.mkdir()
    manner = ["--json", *["--insecure"] * (not row.is_sealed)]
    listening = ["recv", "--listen", SERVER, "--dir", str(stored), *manner]
    sending = ["send", str(file), "--to", SERVER, *manner]
    if row.fetches:
        listening = ["send", str(file), "--listen", SERVER, *manner]
        sending = ["recv", "--from", SERVER, "--dir", str(stored), *manner]
    with started(household.server, program, listening) as server:
        server.stderr.readline()  # It says that it is ready.
        arrivals = Arrivals(household.server, household.ways_in())
        try:
            arrivals.start()
            with started(household.client, program, sending) as client:
                changed_at = change(household, arrivals) if row.changes else None
                dialled = document_of(client)
        finally:
            arrivals.close()
        listened = document_of(server)
    if hashlib.sha256((stored / "file").read_bytes()).digest() != hashlib.sha256(content).digest():
        raise Failed("the file is not what was sent")
    return judged(row, dialled, listened, arrivals, changed_at)


def change(household, arrivals):
    """Waits for the middle of the transfer and changes the outer address. When that was."""
    arrivals.wait_for(50_000, time.monotonic() + SECONDS)
    time.sleep(CHANGE_AT)
    now = time.monotonic()
    household.change_outer_address()
    return now


def judged(row, dialled, listened, arrivals, changed_at):
    """The cells of a row's line, if it is as it should be."""
    sent = listened if row.fetches else dialled
    shares = [
        100 * path["sent_bytes"] / sum(each["sent_bytes"] for each in sent["paths"]) for path in sent["paths"]
    ]
    carried = " + ".join(f"{share:.0f}" for share in shares)
    if sum(share >= 25 for share in shares) < 2:
        raise Failed(f"the uplinks carried {carried} % of the data")
    remotes = [path["remote"].rsplit(":", 1)[0] for path in listened["paths"]]
    expected = CHANGED if row.changes else OUTER
    if expected not in remotes:
        raise Failed(f"the server knows {', '.join(remotes)} and not {expected}")
    back = arrivals.back_after(changed_at) if row.changes and row.routers == 2 else None
    return [
        row.name,
        f"{sent['goodput_bps'] / 1e6:.1f}",
        carried,
        milliseconds(back),
        milliseconds(arrivals.longest_silence() if row.changes else None),
    ]


def milliseconds(seconds):
    """A cell that may be empty."""
    return "" if seconds is None else f"{1000 * seconds:.0f}"
