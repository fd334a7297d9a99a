"""One examination: both ends of our program between two hosts, and what the one that examines says."""

import json
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired, run

from emulated import PROGRAM
from failed import Failed

KEY = "5ec1e700000000000000000000000001"

PORT = ":9899 "
"""Of our program, as ``ss`` lists it."""

HEALTHY, FINDINGS = 0, 3
"""Exit statuses of an examination that succeeded."""

PATIENCE = 240
"""Seconds after which an examination has failed."""

WARM = 5.0
"""Seconds of a test that are left out, as a scenario of ``--write`` leaves them out."""


@dataclass(frozen=True)
class Ends:
    """The words of both ends beside their addresses, and the commands before them."""

    client: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    before_client: tuple[str, ...] = ()
    before_server: tuple[str, ...] = ()
    to: str = ""
    """The addresses of the other end, where they are not one a path."""

    def with_settings(self, client=(), server=()):
        """The same ends with more settings."""
        sets = [tuple(word for one in more for word in ("--set", one)) for more in (client, server)]
        return Ends(
            self.client + sets[0], self.server + sets[1], self.before_client, self.before_server, self.to
        )


ALIKE = Ends()
"""Both as they are."""


@dataclass(frozen=True)
class Examination:
    """What an examination said, and what it cost."""

    document: dict
    seconds: float
    carried: tuple[int, ...]
    """The bytes of IP packets that each path carried, both ways."""
    late: float = 0.0
    """The lateness of 99 of 100 packets of the emulation, in seconds."""

    @property
    def causes(self):
        """The causes of the findings, the dearest first."""
        return [finding["cause"] for finding in self.document["findings"]]

    @property
    def latest(self):
        """The lateness of both ends and of the emulation, in seconds."""
        ends = [self.document[end]["lateness_p99_s"] for end in ("here", "there")]
        return max(self.late, *ends)


def shifted(seconds):
    """The command before another whose clocks are ahead by so many seconds, or none."""
    if not seconds:
        return ()
    clocks = ("--monotonic", str(seconds), "--boottime", str(seconds))
    return ("unshare", "--time", *clocks, "--fork", "--kill-child", "--")


def examined(hosts, ends=ALIKE, words=()):
    """Examines the paths between two hosts."""
    with served(hosts, ends):
        before = [hosts.carried(path) for path in range(1, hosts.paths + 1)]
        begun = time.monotonic()
        command = [str(PROGRAM), "doctor", "--json", "--quiet", "--to", target(hosts, ends)]
        client = started(hosts.near, [*ends.before_client, *command, *ends.client, *words])
        document = document_of(client, (HEALTHY, FINDINGS))
        seconds = time.monotonic() - begun
        after = [hosts.carried(path) for path in range(1, hosts.paths + 1)]
    carried = tuple(end - begin for begin, end in zip(before, after, strict=True))
    return Examination(document, seconds, carried)


def tested(hosts, ends=ALIKE, seconds=20, is_reverse=False):
    """The goodput of ``anabranch bench`` to the far host, or back, in bit/s, with grown windows."""
    with served(hosts, ends):
        command = [str(PROGRAM), "bench", "--json", "--quiet", "--to", target(hosts, ends)]
        words = [*ends.client, "-t", str(seconds + WARM), *["--reverse"] * is_reverse]
        client = started(hosts.near, [*ends.before_client, *command, *words])
        document = document_of(client, (0,))
    bins, every = document["delivered_bytes"], document["delivered_interval_s"]
    settled = bins[round(WARM / every) : round((WARM + seconds) / every)]
    if not settled:
        raise Failed(f"bench: {len(bins)} bins of {every} s")
    return 8 * sum(settled) / (len(settled) * every)


@contextmanager
def served(hosts, ends):
    """The other end, which serves."""
    listen = ",".join(hosts.addresses(2))
    words = ["bench", "--serve", "--quiet", "--listen", ends.to or listen]
    server = started(hosts.far, [*ends.before_server, str(PROGRAM), *words, *ends.server], stdout=DEVNULL)
    try:
        await_port(hosts.far, server)
        yield
        if server.poll() is not None:
            raise Failed(f"bench --serve ended with {server.returncode}: {last(server.stderr.read())}")
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


def await_port(side, server):
    """Waits until the other end listens."""
    for _ in range(100):
        listing = run(side.command("ss", "-Hlnu"), capture_output=True, text=True, check=False)
        if PORT in listing.stdout:
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    server.kill()
    raise Failed(f"bench --serve does not listen: {last(server.stderr.read())}")


def target(hosts, ends):
    """The addresses of the other end, as a client is told them."""
    return ends.to or ",".join(hosts.addresses(2))


def started(side, command, stdout=PIPE):
    """A program on one side, with the key."""
    environment = {**os.environ, "ANABRANCH_KEY": KEY}
    return Popen(side.command(*command), env=environment, stdout=stdout, stderr=PIPE, text=True)


def document_of(process, statuses):
    """The document that a program prints before it ends with one of these statuses."""
    try:
        said, complaint = process.communicate(timeout=PATIENCE)
    except TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failed(f"no end after {PATIENCE} s") from None
    if process.returncode not in statuses:
        raise Failed(f"ended with {process.returncode}: {last(complaint)}")
    return json.loads(said)


def last(text):
    """The last line of what a program said, or that it said nothing."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "nothing said"
