"""Multipath TCP's paths in the two hosts, and the kernel's counters of them and of each interface."""

import subprocess


def prepare(hosts):
    """Lets the kernel use all paths for Multipath TCP, as Debian's manual page of ``ip mptcp`` has it."""
    for number, side in enumerate(hosts.sides, start=1):
        side.ip("mptcp limits set subflows 8 add_addr_accepted 8")
        for path in range(2, hosts.paths + 1):
            manner = "subflow" if number == 1 else "signal"
            side.ip(f"mptcp endpoint add 10.77.{path}.{number} dev p{path} {manner}")


def joined(hosts):
    """The number of paths that Multipath TCP used beyond the first, as the receiver's kernel counts them."""
    table = table_of(hosts.receiver, "netstat")
    names, values = (line.split()[1:] for line in table if line.startswith("MPTcpExt:"))
    return int(dict(zip(names, values, strict=True))["MPJoinAckRx"])


def arrived(hosts):
    """Bytes that have arrived at the receiver by each path."""
    counters = {}
    for line in table_of(hosts.receiver, "dev"):
        name, colon, rest = line.partition(":")
        if colon:
            counters[name.strip()] = int(rest.split()[0])
    return [counters[f"p{path}"] for path in range(1, hosts.paths + 1)]


def table_of(side, name):
    """The lines of a table in /proc/net, as a host sees it."""
    told = subprocess.run(
        side.command("cat", f"/proc/net/{name}"), capture_output=True, text=True, check=True
    )
    return told.stdout.splitlines()
