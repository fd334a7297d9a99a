"""Two hosts, the links between them, and the settings of both ends: where one cause is planted."""

import itertools
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import run

from examination import ALIKE, Ends
from hosts import EmulatedNetwork, KernelNetwork, table
from interop.packages import unpack_nft

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target")).resolve()
GROUPS = [Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")]
"""Where control groups of processors are: version 1, and version 2."""

PERIOD = 100_000
"""Microseconds of which a control group may use a part."""

SERVER = "203.0.113.1"
"""The only address of a server that has one."""


@dataclass(frozen=True)
class Scene:
    """The hosts of a run, made anew, and the words of both ends."""

    build: Callable
    ends: Ends = ALIKE


def emulated(links, *events, tables=None, ends=ALIKE):
    """Emulated links with events."""
    made = tables or [table(f"p{number}", link) for number, link in enumerate(links, start=1)]
    return Scene(lambda: EmulatedNetwork(links, [*made, *events]), ends)


def event(link, **keys):
    """An event at the beginning."""
    words = [f"{key} = {value}" for key, value in keys.items()]
    return "\n".join(["[[event]]", 'at = "0 s"', f'link = "{link}"', *words, ""])


def one_bottleneck(links, bottleneck):
    """Paths that cross one link, each behind a link of its own."""
    numbers = range(1, len(links) + 1)
    tables = [table(f"access-{number}", link) for number, link in zip(numbers, links, strict=True)]
    tables.append(table("bottleneck", bottleneck))
    for number in numbers:
        tables.append(f'[[path]]\nname = "p{number}"\nlinks = ["access-{number}", "bottleneck"]\n')
    return emulated(links, tables=tables)


def policed(links, rate, burst):
    """Links of the kernel, of which the first drops what exceeds a rate on the way there."""

    def build():
        hosts = KernelNetwork(links)
        # A train that is split late would count as one packet.
        hosts.near.ip("link set p1 gso_max_segs 1")
        limit = f"limit rate over {rate / 8:.0f} bytes/second burst {burst} bytes"
        filtered(hosts.gateways[0], "forward", "filter hook forward", f"oifname p1 {limit} drop")
        return hosts

    return Scene(build)


def translated(links, seconds, ends):
    """Links of the kernel, of which the first is behind a translator that forgets in so many seconds.

    From outside only the translated address is reached, and only by answers.
    """

    def build():
        hosts = KernelNetwork(links)
        gateway = hosts.gateways[0]
        hosts.far.ip("route add 10.77.1.0/24 via 10.79.1.254 dev p1")
        filtered(gateway, "post", "nat hook postrouting", "oifname p1 masquerade")
        filtered(gateway, "outside", "filter hook forward", "iifname p1 ct state new drop")
        for name in ("udp_timeout", "udp_timeout_stream"):
            file = f"/proc/sys/net/netfilter/nf_conntrack_{name}"
            run(gateway.command("sh", "-c", f"echo {seconds} > {file}"), check=True)
        return hosts

    return Scene(build, ends)


def one_interface(link):
    """A link of the kernel to a server with one address, from an interface with two."""

    def build():
        hosts = KernelNetwork([link])
        hosts.near.ip("addr add 10.78.1.3/24 dev p1", f"route add {SERVER}/32 via 10.78.1.254 dev p1")
        hosts.gateways[0].ip(f"route add {SERVER}/32 via 10.77.1.2 dev p1")
        hosts.gateways[1].ip(f"route add {SERVER}/32 via 10.79.1.2 dev v1")
        hosts.far.ip(f"addr add {SERVER}/32 dev lo")
        return hosts

    return Scene(build, Ends(client=("--via", "10.78.1.1", "--via", "10.78.1.3"), to=SERVER))


def filtered(side, name, hook, rule):
    """Gives a side a rule of nftables."""
    program, environment = "nft", dict(os.environ)
    if shutil.which(program) is None:
        program, libraries = unpack_nft(TARGET)
        environment["LD_LIBRARY_PATH"] = str(libraries)
    lines = [
        "add table ip doctor",
        f"add chain ip doctor {name} {{ type {hook} priority 0 ; }}",
        f"add rule ip doctor {name} {rule}",
    ]
    command = side.command(str(program), "-f", "-")
    run(command, input="\n".join(lines), text=True, check=True, env=environment)


numbers = itertools.count(1)


def throttled(share):
    """The command before another that may use this share of a core, by a control group."""
    group = next(group for group in GROUPS if (group / "cgroup.procs").exists())
    mine = group / f"anabranch-doctor-{os.getpid()}-{next(numbers)}"
    mine.mkdir()
    quota = round(PERIOD * share)
    if (mine / "cpu.cfs_quota_us").exists():
        (mine / "cpu.cfs_period_us").write_text(str(PERIOD))
        (mine / "cpu.cfs_quota_us").write_text(str(quota))
    elif (mine / "cpu.max").exists():
        (mine / "cpu.max").write_text(f"{quota} {PERIOD}")
    else:
        mine.rmdir()
        raise OSError("this machine has no control groups of processors")
    return ("sh", "-c", f'echo $$ > {mine}/cgroup.procs && exec "$@"', "sh")


def remove_groups():
    """Removes the control groups of this program, which are empty when their programs have ended."""
    for group in GROUPS:
        for mine in group.glob(f"anabranch-doctor-{os.getpid()}-*"):
            mine.rmdir()
