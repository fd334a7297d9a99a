"""What a service may do and see, with and without `transparent`."""

import secrets
import time

from machine import AWAY
from points import LAPTOP, STOP, answers, from_head

EXPOSED, EXPOSED_TRANSPARENT = 1.1, 1.6
"""The scores in docs/service.md."""


def hardening(points, unit, capabilities="0" * 16, exposed=EXPOSED):
    """The rights of a service's process, and what it sees of the system."""
    machine, process = points.machine, points.process(unit)
    status = dict(
        line.split(":\t", 1)
        for line in machine.said("cat", f"/proc/{process}/status").splitlines()
        if ":\t" in line
    )
    user = int(status["Uid"].split()[0])
    points.point(f"{unit}: user", user, "61184 to 65519", 61184 <= user <= 65519)
    rights = [status[name] for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")]
    points.point(f"{unit}: capabilities", sorted(set(rights)), [capabilities])
    points.point(f"{unit}: NoNewPrivs, Seccomp", (status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
    inside = ["nsenter", "--target", process, "--mount", "--"]
    refused = [
        place
        for place in ("/usr/x", "/etc/x", "/var/x", "/x", "/sys/fs/cgroup/x", "/proc/sys/kernel/x")
        if machine.run(*inside, "touch", place).returncode != 0
    ]
    points.point(f"{unit}: places of six that are read-only inside", len(refused), 6)
    hidden = machine.run(*inside, "ls", "-A", "/home", "/root", "/tmp").stdout.split()
    points.point(f"{unit}: what it sees in /home, /root, /tmp", hidden, ["/home:", "/root:", "/tmp:"])
    devices = machine.run(*inside, "ls", "/dev").stdout.split()
    points.point(
        f"{unit}: kmsg, mem, net or tty1 in its /dev",
        sorted({"kmsg", "mem", "net", "tty1"} & set(devices)),
        [],
    )
    score = points.exposure(unit)
    points.point(f"{unit}: exposure from the manager", score, exposed, score <= exposed)


def transparent(points):
    """The laptop's end with the head's settings, over a server on the host beside the system."""
    machine = points.machine
    key = secrets.token_hex(16)
    points.issued.add(key)
    words = ["forward", "--serve", "--allow", f"{AWAY}:8080"]
    process = machine.beside(points.program, *words, environment={"ANABRANCH_KEY": key})
    try:
        (settings,) = from_head(LAPTOP)
        points.drop_in(LAPTOP, settings)
        machine.said("sh", "-c", "umask 077; cat >/etc/anabranch/forward.key", text=f"{key}\n")
        points.edit("/etc/anabranch/forward.toml", 'to = ["192.0.2.1"]', 'to = ["192.0.2.2"]')
        points.edit("/etc/anabranch/forward.toml", "#transparent = true", "transparent = true")
        machine.said("systemctl", "restart", LAPTOP)
        carried(points)
        strict(points)
    finally:
        process.kill()
        process.wait()


def carried(points):
    machine = points.machine
    machine.wait(20, lambda: machine.property(LAPTOP, "StatusText").startswith("connected"), "the bond")
    points.point("transparent: tables while it runs", points.tables(), ["inet anabranch"])
    opened = totals(points)
    points.point("transparent: curl without a proxy", points.fetched(), "whole")
    points.point(
        "transparent: flows of the bond by it", totals(points) - opened, "1 or more", totals(points) > opened
    )
    hardening(points, LAPTOP, f"{0x3000:016x}", EXPOSED_TRANSPARENT)
    start = time.monotonic()
    machine.said("systemctl", "stop", LAPTOP)
    seconds = time.monotonic() - start
    points.point("transparent: stop", f"{seconds:.1f} s", f"below {STOP} s", seconds < STOP)
    points.point("transparent: tables after it", points.tables(), "none")
    rules = [line for line in machine.said("ip", "rule").splitlines() if "6385250" in line]
    points.point("transparent: routing rules after it", rules, [])


def totals(points):
    (answer,) = answers(points, "--pid", points.process(LAPTOP))
    return answer["totals"]["flows_opened"]


def strict(points):
    machine = points.machine
    points.edit("/etc/anabranch/forward.toml", "transparent = true", "transparent = true\nstrict = true")
    machine.said("systemctl", "start", LAPTOP)
    points.point("strict: curl", points.fetched(), "whole")
    both = ["inet anabranch", "inet anabranch_strict"]
    points.point("strict: tables while it runs", sorted(points.tables()), both)
    before = points.process(LAPTOP)
    machine.said("systemctl", "kill", "-s", "KILL", LAPTOP)
    machine.wait(3, lambda: points.process(LAPTOP) == "0", "the end after KILL")
    points.point("strict: tables after KILL", points.tables(), ["inet anabranch_strict"])
    outcome = points.curl(seconds=2)
    points.point("strict: curl after KILL", outcome, "none of the file", outcome.startswith("curl ended"))
    machine.wait(10, lambda: points.process(LAPTOP) not in ("0", before), "a restart")
    points.point("strict: curl after the restart", points.fetched(), "whole")
    machine.said("systemctl", "stop", LAPTOP)
    points.point("strict: tables after stop", points.tables(), ["inet anabranch_strict"])
    machine.said("anabranch", "forward", "--release")
    points.point("strict: tables after --release", points.tables(), "none")
