"""Faults, the journal, and stop."""

import json
import re
import time

from points import LAPTOP, RECV, RECV_PORT, SEND, SERVER, STOP, UNITS

RESTART, WATCHDOG = 5, 30
"""Seconds of RestartSec and WatchdogSec."""


def faults(points):
    """Invalid input, a kill, and programs that are stopped, all at once."""
    machine, began = points.machine, time.monotonic()
    stopped = {unit: points.process(unit) for unit in (SERVER, SEND)}
    for process in stopped.values():
        machine.said("kill", "-STOP", process)
    machine.write("/etc/anabranch/recv.conf", "OPTIONS=--listen nowhere:x:y\n")
    machine.run("systemctl", "restart", RECV)
    points.becomes(RECV, "failed (failed)", 10)
    before = points.process(LAPTOP)
    machine.said("systemctl", "kill", "-s", "KILL", LAPTOP)
    seconds = machine.wait(20, lambda: points.process(LAPTOP) not in ("0", before), "a restart after KILL")
    points.point(
        "restart after KILL", f"{seconds:.1f} s", f"{RESTART} s", RESTART - 0.5 < seconds < RESTART + 2
    )
    points.becomes(LAPTOP, "active (running)", 10)
    points.point("restarts counted", machine.property(LAPTOP, "NRestarts"), "1")
    time.sleep(2)
    exits = [machine.property(RECV, name) for name in ("ActiveState", "ExecMainStatus", "NRestarts")]
    points.point("invalid input, 7 s later", exits, ["failed", "2", "0"])
    yield
    for unit, process in stopped.items():
        restarted(points, unit, process, began)
    status = machine.run("systemctl", "is-active", *stopped).stdout.split()
    points.point("both again", status, ["active", "active"])


def restarted(points, unit, process, began):
    """The restart of a unit whose process was stopped, up to half a period after its latest answer."""
    machine = points.machine
    machine.wait(60, lambda: points.process(unit) not in ("0", process), f"a restart of stopped {unit}")
    started = int(machine.property(unit, "ExecMainStartTimestampMonotonic")) / 1e6
    seconds, earliest, latest = started - began, WATCHDOG / 2 + RESTART - 1, WATCHDOG + RESTART + 3
    expected = f"{earliest:.0f} to {latest} s"
    points.point(
        f"restart of {unit} after SIGSTOP", f"{seconds:.1f} s", expected, earliest < seconds < latest
    )
    points.becomes(unit, "active (running)", 10)
    said = machine.said("journalctl", "-o", "cat", "-u", unit)
    points.point(
        "the journal's reason", re.search("Watchdog timeout", said) and "Watchdog timeout", "Watchdog timeout"
    )


def journal(points):
    """The priorities of the journal's lines by the program itself."""
    wanted = {LAPTOP: {"6", "4"}, RECV: {"6", "3"}, SERVER: {"6"}}
    for unit, priorities in wanted.items():
        lines = points.machine.said("journalctl", "-o", "json", "-u", unit).splitlines()
        entries = [json.loads(line) for line in lines]
        own = [entry for entry in entries if entry.get("SYSLOG_IDENTIFIER") == "anabranch"]
        found = {entry["PRIORITY"] for entry in own}
        points.point(
            f"{unit}: priorities in the journal",
            sorted(found),
            f"with {sorted(priorities)}",
            found >= priorities,
        )
        strange = [entry["MESSAGE"] for entry in own if re.match(r"<\d>|\d{4}-\d\d-", str(entry["MESSAGE"]))]
        points.point(f"{unit}: lines with a second level or time", strange, [])
    everything = points.machine.said("journalctl", "-o", "export")
    keys = {points.key(name) for name in ("forward-server", "recv", "send")} | points.issued
    points.point("keys in the journal", sum(key in everything for key in keys), 0)


def stops(points):
    """Reload is not offered, and stop leaves nothing that runs."""
    machine = points.machine
    machine.write("/etc/anabranch/recv.conf", f"OPTIONS=--listen 192.0.2.1:{RECV_PORT}\n")
    machine.said("systemctl", "restart", LAPTOP, RECV)
    points.point("CanReload", machine.property(LAPTOP, "CanReload"), "no")
    before = points.process(LAPTOP)
    ended = machine.run("systemctl", "reload", LAPTOP).returncode
    points.point("`systemctl reload`", (ended != 0, points.process(LAPTOP) == before), (True, True))
    points.point("sockets of status", len(points.sockets()), 2)
    machine.said("systemctl", "stop", SERVER)
    points.point("sockets after the server's stop", points.sockets(), [f"forward-{before}.sock"])
    for unit in (LAPTOP, SEND, RECV):
        start = time.monotonic()
        machine.said("systemctl", "stop", unit)
        seconds = time.monotonic() - start
        points.point(f"{unit}: stop", f"{seconds:.1f} s", f"below {STOP} s", seconds < STOP)
    for unit in UNITS:
        latest = machine.said("journalctl", "-o", "cat", "-u", unit).rpartition("Stopping ")[2]
        ended = (points.state(unit), "Deactivated successfully." in latest)
        points.point(f"{unit}: ends without a failure", ended, ("inactive (dead)", True))
    points.point("in /run/anabranch after stop", machine.said("ls", "-A", "/run/anabranch/").split(), [])
    left = machine.said("ls", "-A", "/run/credentials").split()
    points.point("credentials after stop", [name for name in left if "anabranch" in name], [])
    programs = machine.run("pgrep", "-x", "anabranch").stdout.split()
    points.point("programs after stop", programs, [])
