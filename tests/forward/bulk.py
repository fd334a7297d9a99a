"""F1: how much of the bond bulk flows get, beside Multipath TCP and the kernel's TCP on each link."""

import json
import sys
from subprocess import DEVNULL

import networks
import subflows
from bond import FAR, TO, WAYS, bench, bond
from failed import Failed
from interop.packages import unpack_program
from outcome import Outcome
from real import PROGRAMS

MOST = 100_000_000
"""Bytes of a row."""

PROXY = 1081


def downloads(network, count, is_beside=False, loss=None):
    """Measures flows by SOCKS5, CONNECT and a port beside ``bench``; all bytes are compared."""

    def measure(conditions):
        rate, _ = bench(network, conditions.seconds)
        mptcp, tcp = beside(network, conditions.seconds) if is_beside else (None, ())
        size = int(min(MOST, rate * 1e6 / 8 * conditions.seconds)) // count
        mine = {name: download(network, way, count, size) for name, way in WAYS.items()}
        least = min(mine.values())
        measured = ", ".join(f"{name} {one:.1f}" for name, one in mine.items())
        measured += f" Mbit/s; least {least / rate:.0%} of bench"
        is_met = least >= 0.97 * rate
        if loss is not None:
            share = least / networks.ceiling(network, loss)
            measured, is_met = f"{measured}, {share:.0%} of the ceiling", share >= 0.9
        return Outcome(measured, is_met, rate, mptcp, tcp)

    return measure


def download(network, way, count, size):
    """The rate of flows by a way in Mbit/s, over a bond of its own."""
    with bond(network) as made:
        ends = json.loads(made.measured("fetch", way, TO, count, size, 0))
    return size * count * 8 / max(ends) / 1e6


def beside(network, seconds):
    """The rates of Multipath TCP, and of TCP on each link, by a SOCKS proxy at the server."""
    root, _ = unpack_program(PROGRAMS, "microsocks")
    wrapped, _ = unpack_program(PROGRAMS, "mptcpize")
    library = next(wrapped.glob("usr/lib/*/mptcpize/libmptcpwrap.so.*"))
    with bond(network) as made:
        subflows.prepare(made.hosts)
        proxy = ["env", f"LD_PRELOAD={library}", str(root / "usr/bin/microsocks"), "-p", str(PROXY)]
        made.run(FAR, proxy, stderr=DEVNULL)
        made.wait(FAR, "tcp", PROXY)
        addresses = made.hosts.addresses(2)
        mptcp = timed(made, f"mptcp:{addresses[0]}:{PROXY}", seconds)
        return mptcp, tuple(timed(made, f"socks:{address}:{PROXY}", seconds) for address in addresses)


def timed(made, way, seconds):
    """The rate of a download of some seconds in Mbit/s."""
    counts = [int(line) for line in made.measured("rate", way, TO, max(1, seconds)).split()]
    return sum(counts) * 8 / len(counts) / 1e6


def published(conditions):
    """Compares a flow over each of the published pairs with ``bench`` on its best link alone."""
    seconds = min(conditions.seconds, 15)
    shares = {}
    for pair, best in networks.published():
        try:
            alone, _ = bench(pair.each()[best], seconds)
            with bond(pair) as made:
                shares[pair.name] = timed(made, WAYS["SOCKS5"], seconds) / alone
            told = f"  {pair.name}: {shares[pair.name]:.0%} of the best link's {alone:.1f} Mbit/s"
        except Failed as failed:
            shares[pair.name], told = 0, f"  {pair.name}: failed: {failed}"
        print(told, file=sys.stderr, flush=True)
    good = sum(share >= 1 for share in shares.values())
    worst = min(shares, key=shares.get)
    measured = f"{good} of {len(shares)} pairs not below their best link; least {shares[worst]:.0%} ({worst})"
    return Outcome(measured, good == len(shares))
