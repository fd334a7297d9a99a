"""The links that are measured, and the changes that may happen to them while flows run."""

import json
from pathlib import Path
from subprocess import DEVNULL, run

from emulated import Emulated, link

ORACLE = Path(__file__).resolve().parents[1] / "oracle/tournament/published-16.json"


def network(name, *links):
    """Links of (Mbit/s, ms of delay one way, share lost, packets of queue)."""
    made = [
        link(f"p{number}", rate, delay=f'"{delay} ms"', loss=loss, queue=f'"{queue} packets"')
        for number, (rate, delay, loss, queue) in enumerate(links, start=1)
    ]
    return Emulated(name, tuple(made))


MODEMS = network("20+8", (20, 15, 0, 100), (8, 35, 0, 60))
PLAIN = network("50+10", (50, 10, 0, 150), (10, 30, 0, 60))
THREE = network("20+8+5", (20, 15, 0, 100), (8, 35, 0, 60), (5, 60, 0, 60))
LOSSY = network("20+8, 1 % lost", (20, 15, 0.01, 100), (8, 35, 0.01, 60))
UNEVEN = network("100+10", (100, 5, 0, 200), (10, 50, 0, 100))
EQUAL = network("50+50", (50, 10, 0, 150), (50, 10, 0, 150))

PACKET, PAYLOAD = 1500, 1412
"""Bytes of a full packet, and of user data in it (tests/versus/systems.py)."""


def ceiling(network, loss):
    """The Mbit/s that a network could carry: less what is lost, less headers."""
    return network.megabits * (1 - loss) * PAYLOAD / PACKET


def published():
    """The published pairs, each with the index of its best link as it was published."""
    for profile in json.loads(ORACLE.read_text())["profiles"]:
        links = [one_published(number, values) for number, values in enumerate(profile["links"], start=1)]
        alone = profile["published"]["alone"]
        yield Emulated(profile["name"], tuple(links)), alone.index(max(alone))


def one_published(number, values):
    """A link of a published pair, as crates/comparisons/src/tournament/published.rs has it."""
    keys = {"delay": f'"{values["delay_ms"]} ms"', "loss": values["loss"], "queue": '"1000 packets"'}
    if values["jitter_ms"] > 0:
        keys["jitter"] = f'{{{{ kind = "normal", deviation = "{values["jitter_ms"]} ms" }}}}'
    return link(f"p{number}", values["rate_mbps"], reverse='{{ queue = "1000 packets" }}', **keys)


def cut(side, *names):
    """Switches interfaces of a host off."""
    for name in names:
        run(side.command("ip", "link", "set", name, "down"), check=True)


def restore(side, host, *names):
    """Switches interfaces of a host (1 near, 2 far) on, with their addresses."""
    for name in names:
        run(side.command("ip", "link", "set", name, "up"), check=True)
        give(side, name, host)


def lead(side, *names):
    """Gives a host a default route by each interface, as one has that gets its addresses by DHCP."""
    for number, name in enumerate(names, start=1):
        words = ("ip", "route", "replace", "default", "dev", name, "metric", str(100 * number))
        run(side.command(*words), check=True)


def promote(side):
    """Lets an interface keep its second address when the first is taken, as most systems have it."""
    setting = "/proc/sys/net/ipv4/conf/all/promote_secondaries"
    run(side.command("sh", "-c", f"echo 1 > {setting}"), check=True)


def give(side, name, host):
    """Gives an interface an address."""
    run(side.command("ip", "addr", "replace", f"10.77.{name[1:]}.{host}/24", "dev", name), check=True)


def take(side, name, host):
    """Takes an address from an interface, if it has it."""
    words = ("ip", "addr", "del", f"10.77.{name[1:]}.{host}/24", "dev", name)
    run(side.command(*words), check=False, stderr=DEVNULL)


def carried(side, name):
    """The bytes of an interface in both directions."""
    words = side.command("ip", "-s", "-j", "link", "show", "dev", name)
    counters = json.loads(run(words, capture_output=True, text=True, check=True).stdout)[0]["stats64"]
    return counters["rx"]["bytes"] + counters["tx"]["bytes"]
