"""The rows: their names, their goals, and what measures each."""

from functools import partial

import bulk
import costs
import latency
import real
import rebinding
import strict
import survival
import transparent
import turbulence
from bulk import downloads
from networks import LOSSY, MODEMS, PLAIN, THREE

BULK, LOST = "97 % of bench", "90 % of the ceiling"
PAUSED, ECHO = "others lose 2 %, memory within the credit", "p99 + 15 ms, bulk 95 %"
DATAGRAMS = "gap 150 ms, 1 % lost"
CALL = "gap 150 ms, 1 % lost, jitter 30 ms"
CAP, WITHIN = "50 MB ± 0.5, sessions go on", "within 50 MB, sessions go on"

ROWS = [
    ("F1 20+8, one flow", BULK, downloads(MODEMS, 1, is_beside=True)),
    ("F1 20+8, eight flows", BULK, downloads(MODEMS, 8)),
    ("F1 50+10, one flow", BULK, downloads(PLAIN, 1, is_beside=True)),
    ("F1 50+10, eight flows", BULK, downloads(PLAIN, 8)),
    ("F1 20+8+5, one flow", BULK, downloads(THREE, 1)),
    ("F1 20+8+5, eight flows", BULK, downloads(THREE, 8)),
    ("F1 20+8, 1 % lost, one flow", LOST, downloads(LOSSY, 1, is_beside=True, loss=0.01)),
    ("F1 20+8, 1 % lost, eight flows", LOST, downloads(LOSSY, 8, loss=0.01)),
    ("F1 50+10, curl by SOCKS5", BULK, real.downloads(PLAIN, real.curl)),
    ("F1 50+10, ssh by SOCKS5", BULK, real.downloads(PLAIN, real.ssh)),
    ("F1 50+10, rsync over ssh by a port", BULK, real.downloads(PLAIN, real.rsync)),
    ("F1 50+10, iperf3 by a port", BULK, real.downloads(PLAIN, real.iperf3)),
    ("F1 published-16", "none below its best link", bulk.published),
    ("F2 64 flows, one reader pauses for 60 s", PAUSED, latency.paused),
    ("F3 echo beside bulk, 100+10", ECHO, latency.echo),
    ("F4 datagrams, a link cut", DATAGRAMS, latency.datagrams),
    ("F4 a call beside bulk, 20+8", CALL, latency.call),
    ("F5 all links away for 60 s", "ssh lives", survival.away),
    ("F5 server's addresses changed", "ssh lives", survival.renumbered),
    ("F5 laptop stopped", "ssh lives", survival.asleep),
    ("F6 backup at rest", "1 kB a minute", costs.backup),
    ("F6 a link with a limit", CAP, costs.limited),
    ("F7 cost of a download", "1.3 times bench", costs.bulk),
    ("F7 cost of 20 Mbit/s and at rest", "3 %; 0.3 %, 10 MB", costs.paced),
    ("a name of the server itself the second time", "refused", rebinding.elsewhere),
    ("F8 connections", "all right, nothing left", turbulence.many),
    ("F8 chaos", "no fault, nothing left", turbulence.chaos),
]

HOST = [
    ("F1 20+8, one flow", BULK, transparent.downloads(MODEMS, 1)),
    ("F1 20+8, eight flows", BULK, transparent.downloads(MODEMS, 8)),
    ("F1 50+10, one flow", BULK, transparent.downloads(PLAIN, 1)),
    ("F1 20+8, 1 % lost, one flow", LOST, transparent.downloads(LOSSY, 1, loss=0.01)),
    ("F1 50+10, curl", BULK, transparent.curl(PLAIN)),
    ("dig, of a private name server", "the server's own answers", transparent.names),
    ("F2 64 flows, one reader pauses for 60 s", PAUSED, partial(latency.paused, by=transparent.BY)),
    ("F3 echo beside bulk, 100+10", ECHO, partial(latency.echo, by=transparent.BY)),
    ("F4 datagrams, a link cut", DATAGRAMS, partial(latency.datagrams, by=transparent.BY)),
    ("F4 a call beside bulk, 20+8", CALL, partial(latency.call, by=transparent.BY)),
    ("F5 all links away for 60 s", "ssh lives", partial(survival.away, by=transparent.BY)),
    ("F5 server's addresses changed", "ssh lives", partial(survival.renumbered, by=transparent.BY)),
    ("F5 laptop stopped", "ssh lives", partial(survival.asleep, by=transparent.BY)),
    ("F6 backup at rest", "1 kB a minute", partial(costs.backup, by=transparent.BY)),
    ("F6 a link with a limit", WITHIN, partial(costs.limited, by=transparent.BY, allowed=(1, costs.CAP))),
    ("F8 chaos with `--strict`", "no fault, nothing left", partial(turbulence.chaos, use=strict.Strict)),
    ("what leaves beside the bond", "nothing while it runs", strict.beside(is_strict=False)),
    ("what leaves with `--strict`", "nothing until it is released", strict.beside(is_strict=True)),
]
"""By ``--transparent``."""
