#!/usr/bin/env python3
"""Simulated and emulated goodput of twelve scenarios, side by side.

Two paths of {10 + 10, 21 + 10, 50 + 10 Mbit/s}, {10, 80 ms} round trip and {0, 1 %} loss, all together. Each
is simulated, and really transferred through the emulated links twice by ``anabranch compare --together``:
over loopback through the relay, and with ``--tun`` between the interfaces of two network namespaces, which is
left out where the system refuses them. A real transfer whose p99 timing error exceeds 2 ms is void and
repeated at most three times; all are reported.

Loss is drawn anew in the real transfer: packets reach the links at other times, so a seed loses other ones.
The simulator's word is therefore the mean of twenty seeds; what chance alone does to a single run, real or
simulated, is shown beside it (95 of 100 runs are within). Where that is more than the difference that is
allowed, the real word is a mean, too: of as many transfers as make it less, at most four. Simulated packets
are late by up to 0.1 ms, as the relay's are.

    tests/agree.py [--seconds 20] [--program target/release/anabranch]
"""

import argparse
import itertools
import json
import math
import subprocess
import sys
from statistics import mean

RATES = [(10, 10), (21, 10), (50, 10)]
ROUND_TRIPS_MS = [10, 80]
LOSSES = [0.0, 0.01]
ALLOWED = 0.05
MOST_RUNS = 4


def scenario(rates, round_trip_ms, loss, seconds):
    """The scenario file of one of the twelve."""
    links = "".join(
        f"""
[[link]]
name = "{name}"
rate = "{rate} Mbit/s"
delay = "{round_trip_ms / 2} ms"
loss = {loss}
queue = "100 packets"
"""
        for name, rate in zip("ab", rates, strict=True)
    )
    return f"""
[run]
time = "{seconds} s"
warmup = "2 s"
{links}
[flow.sctp]
encapsulation = "udp"
missing_reports = 30
rto = {{ initial = "500 ms", min = "200 ms" }}
receive_buffer = "4 MiB"
send_buffer = "8 MiB"
"""


def run(program, command, text):
    """The document that a command prints for a scenario."""
    line = [program, *command, "--json"]
    ended = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stderr}")
    return json.loads(ended.stdout)


def refusal(program):
    """Why this system refuses namespaces with interfaces, or None."""
    line = [program, "emulate", "-", "--quiet", "--", "true"]
    text = scenario(RATES[0], ROUND_TRIPS_MS[0], LOSSES[0], 3)
    ended = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
    if ended.returncode == 0:
        return None
    if not any(reason in ended.stderr for reason in ("network namespace", "TUN interface", "iproute2")):
        sys.exit(f"emulate ended with {ended.returncode}:\n{ended.stderr}")
    return ended.stderr.strip()


def compared(program, more, text):
    """A real transfer, beside the simulator's word."""
    return run(program, ["compare", "-", "--together", *more], text)["rows"][0]


def transferred(program, more, text):
    """As many real transfers as chance asks for: the simulator's word, cells, and how far off they are."""
    rows = [compared(program, more, text)]
    simulated = rows[0]["sim"]
    runs = min(MOST_RUNS, max(1, math.ceil((simulated["by_chance"] / ALLOWED) ** 2)))
    rows += [compared(program, more, text) for _ in range(runs - 1)]
    void = sum(attempt["void"] for row in rows for attempt in row["attempts"])
    if any(row["real"] is None for row in rows):
        return simulated, f"{'void: the machine was too busy':>39} {void:>4}", float("inf")
    timing_ms = max(row["real"]["timing_error_s"]["p99"] for row in rows) * 1e3
    goodput = mean(row["real"]["goodput_bps"] for row in rows)
    difference = goodput / simulated["goodput_bps"] - 1
    cells = f"{goodput / 1e6:>10.2f} {runs:>4} {difference:>+11.1%} {timing_ms:>8.2f} ms {void:>4}"
    return simulated, cells, abs(difference)


def main():
    """Runs the twelve and prints a line for each; the exit status says whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/anabranch")
    parser.add_argument("--seconds", type=int, default=20)
    arguments = parser.parse_args()
    cannot = refusal(arguments.program)
    if cannot:
        print(f"Without the transfers between interfaces: {cannot}\n")
    ways = [("relay", [])] if cannot else [("relay", []), ("interfaces", ["--tun"])]
    heads = "".join(f" {name:>10} runs  difference  timing p99 void" for name, _ in ways)
    print(f"{'scenario':<18} simulated  by chance{heads}")
    worst = 0.0
    for rates, round_trip_ms, loss in itertools.product(RATES, ROUND_TRIPS_MS, LOSSES):
        text = scenario(rates, round_trip_ms, loss, arguments.seconds)
        found = [transferred(arguments.program, more, text) for _, more in ways]
        simulated = found[0][0]
        worst = max(worst, *(off for _, _, off in found))
        name = f"{rates[0]} + {rates[1]}, {round_trip_ms} ms, {loss:.0%}"
        cells = " ".join(cells for _, cells, _ in found)
        print(
            f"{name:<18} {simulated['goodput_bps'] / 1e6:>9.2f} {simulated['by_chance']:>10.1%} {cells}",
            flush=True,
        )
    print(f"\nMbit/s of user data after 2 s. Largest difference: {worst:.1%}; {ALLOWED:.0%} are allowed.")
    sys.exit(worst > ALLOWED)


if __name__ == "__main__":
    main()
