"""One transfer from the traveller to the server, its events, and whether the result is as it should be."""

import hashlib
import os
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from moving.traveller import SERVER, Traveller
from ours import SECONDS, Failed, document_of, started

BYTES = 10_000_000
"""Of the file: some four seconds."""

MORE_BYTES = 18_000_000
"""Of a file that is still on its way when an address has come and gone five times."""

CARRIES = 50_000
"""Bytes that no probes and acknowledgements come to: the link carries data."""

SOON = 1.0
"""Seconds within which an address that appears carries data, and after one vanishes data arrives again."""

ONLY_AWAY = "only address away"
SERVER_LOSES = "server's address removed"
SERVER_REGAINS = "server's address returns"

AWAY = 1.0
"""Seconds for which the only address is away."""

VERIFIED = 2.0
"""Seconds that a system may take to check that a new IPv6 address is unique."""


@dataclass(frozen=True)
class Row:
    """One transfer."""

    what: str
    is_sealed: bool
    version: int = 4

    @property
    def is_servers(self):
        """True if the server loses an address."""
        return self.what in (SERVER_LOSES, SERVER_REGAINS)

    @property
    def links(self):
        """The links on which the sender has addresses from the beginning."""
        return (1, 2) if self.is_servers else (1,)

    @property
    def returns(self):
        """True if the address that vanishes is there again at the end."""
        return self.what in ("address returns", "address flaps", ONLY_AWAY, SERVER_REGAINS)

    @property
    def name(self):
        """The row in words, which no other has."""
        return f"{self.what}, {'sealed' if self.is_sealed else 'plain'}, IPv{self.version}"


def transfer(row, program, folder):
    """One transfer in a network of its own: the cells of the row's line."""
    traveller = Traveller(row.version, row.links)
    try:
        return Transfer(row, program, folder, traveller).run()
    finally:
        traveller.close()


class Transfer:
    """A transfer that runs."""

    def __init__(self, row, program, folder, traveller):
        self.row, self.program, self.folder, self.traveller = row, program, folder, traveller
        self.deadline = time.monotonic() + SECONDS
        self.growth = Growth(folder / f".anabranch-partial-{os.geteuid()}" / "file.part")
        self.sender, self.used_after = None, 0.0

    def run(self):
        """Starts both ends, lets happen what the row says, and judges."""
        content = random.Random(1).randbytes(MORE_BYTES if self.row.what == "address flaps" else BYTES)
        source = self.folder / "source"
        source.mkdir()
        (source / "file").write_bytes(content)
        manner = ["--json", *["--insecure"] * (not self.row.is_sealed)]
        listening = ["recv", "--dir", str(self.folder), *manner]
        sending = ["send", str(source / "file"), "--to", self.to(), *manner]
        with started(self.traveller.server, self.program, listening) as receiver:
            receiver.stderr.readline()  # It says that it is ready.
            with started(self.traveller.host, self.program, sending) as self.sender, self.growth:
                happened = self.happen()
                sent = document_of(self.sender)
            got = document_of(receiver)
        stored = (self.folder / "file").read_bytes()
        if hashlib.sha256(stored).digest() != hashlib.sha256(content).digest():
            raise Failed("the file is not what was sent")
        return self.judged(sent, got, happened)

    def happen(self):
        """The events of the row. Returns the time when the address vanished, or the last of them."""
        traveller = self.traveller
        self.wait_for(1, "nothing arrives")
        time.sleep(1)
        if self.row.what == "narrow interface":
            traveller.narrow(2)
        if self.row.what != ONLY_AWAY and not self.row.is_servers:
            self.used_after = self.used_once(traveller.gain, 2)
            time.sleep(0.5)
        at = time.monotonic()
        match self.row.what:
            case "address removed" | "narrow interface":
                traveller.lose(1)
            case "interface down":
                traveller.switch_off(1)
            case "no carrier":
                traveller.pull(1)
            case "another address":
                traveller.lose(1)
                traveller.gain(1, number=3)
                self.wait_for(1, "the new address carries nothing")
            case "address returns":
                traveller.lose(1)
                time.sleep(0.5)
                self.used_once(traveller.gain, 1)
            case "address flaps":
                self.flap()
            case "only address away":
                traveller.lose(1)
                time.sleep(AWAY)
                self.used_after = self.used_once(traveller.gain, 1)
            case "server's address removed":
                traveller.lose_server(1)
            case "server's address returns":
                traveller.lose_server(1)
                time.sleep(0.5)
                self.used_after = self.used_once(traveller.gain_server, 1)
        return at

    def to(self):
        """The server's address behind both links, or that on each of them."""
        if not self.row.is_servers:
            return SERVER[self.row.version]
        return ",".join(self.traveller.address(link, 1) for link in (1, 2))

    def flap(self):
        """The first address vanishes and returns, again and again; nothing is left of that."""
        before = sockets_of(self.sender)
        for _ in range(5):
            self.traveller.lose(1)
            time.sleep(0.2)
            self.traveller.gain(1)
            time.sleep(0.2)
        self.wait_for(1, "the address that came back carries nothing")
        if sockets_of(self.sender) > before:
            raise Failed(f"{sockets_of(self.sender)} sockets instead of {before}")

    def used_once(self, gain, link):
        """An address appears on a link. After how many seconds it carries data."""
        at = time.monotonic()
        gain(link)
        self.wait_for(link, f"the new address on link {link} carries nothing")
        return time.monotonic() - at

    def wait_for(self, link, complaint):
        """Waits until a link has carried data from now."""
        before = self.traveller.arrived(link)
        while self.traveller.arrived(link) - before < CARRIES:
            if time.monotonic() > self.deadline or self.sender.poll() is not None:
                raise Failed(complaint)
            time.sleep(0.005)

    def judged(self, sent, got, happened):
        """The cells of the row's line, if it is as it should be."""
        by_server = self.row.is_servers
        paths = [f"{path['local']} {path['state']}" for path in (got if by_server else sent)["paths"]]
        most = 3 if self.row.what == "another address" else 2
        if len(paths) > most:
            raise Failed(f"there are {len(paths)} paths: {', '.join(paths)}")
        lost = self.traveller.address(1, 1 if by_server else 2)
        is_gone = any(lost in path and path.endswith("removed") for path in paths)
        if is_gone == self.row.returns:
            raise Failed(f"the paths are {', '.join(paths)}")
        stall = self.growth.longest_pause(happened)
        verified = VERIFIED if self.row.version == 6 else 0
        away = AWAY if self.row.what == ONLY_AWAY else 0
        if self.used_after > SOON + verified or stall > SOON + away:
            raise Failed(f"data after {self.used_after:.3f} s, then a stall of {stall:.3f} s")
        carried = " + ".join(f"{100 * path['share']:.0f}" for path in sent["paths"])
        return [
            self.row.name,
            f"{1000 * self.used_after:.0f}" if self.used_after else "",
            f"{1000 * stall:.0f}",
            carried,
            f"{sent['goodput_bps'] / 1e6:.1f}",
        ]


class Growth(threading.Thread):
    """The growth of a file while it is received: an application's view of a stall."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.is_over, self.times = path, False, []

    def __enter__(self):
        self.start()

    def __exit__(self, *_):
        self.is_over = True
        self.join()

    def run(self):
        """Notes the times at which it has grown."""
        size = 0
        while not self.is_over:
            try:
                found = self.path.stat().st_size
            except FileNotFoundError:
                found = size
            if found > size:
                size = found
                self.times.append(time.monotonic())
            time.sleep(0.002)

    def longest_pause(self, since):
        """The longest time between two growths of which the second came after a moment."""
        pairs = zip(self.times, self.times[1:], strict=False)
        return max((later - earlier for earlier, later in pairs if later > since), default=0.0)


def sockets_of(process):
    """The number of sockets of a process."""
    links = (os.readlink(link) for link in Path(f"/proc/{process.pid}/fd").iterdir())
    return sum(link.startswith("socket:") for link in links)
