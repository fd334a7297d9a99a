"""The rules, routes and tables of a host, to be compared with those of another time."""

from subprocess import run

from interop.packages import unpack_nft
from real import PROGRAMS

TABLE = "6385250"
"""The routing table of our routes (crates/transparent/src/marks.rs)."""


def configuration(side):
    """The rules of nftables, the ip rules, the main routes, and those that are ours."""
    nft, libraries = unpack_nft(PROGRAMS)
    ruleset = ["env", f"LD_LIBRARY_PATH={libraries}", str(nft), "list", "ruleset"]
    routes = [["ip", "route"], *(["ip", family, "route", "show", "table", TABLE] for family in ("-4", "-6"))]
    lines = []
    for words in (["ip", "rule"], ["ip", "-6", "rule"], *routes, ruleset):
        said = run(side.command(*words), capture_output=True, text=True, check=False).stdout
        lines += [line.strip() for line in said.splitlines()]
    # Ports and counts differ from run to run.
    return sorted(
        line for line in lines if not any(word in line for word in ("counter", "tproxy", "redirect"))
    )


def differences(side, before):
    """The lines that are there now and were not before, or the other way round."""
    return sorted(set(configuration(side)) ^ set(before))
