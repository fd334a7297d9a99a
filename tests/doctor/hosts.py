"""Two hosts and the links between them, made by ``anabranch emulate``, or by the kernel's token buckets.

The kernel's links lead through two gateways. A gateway sends to its host by a veth device with a token bucket
(``tbf``), whose queue drops what exceeds it. Between the gateways a fast emulated link adds the delay and the
losses by chance: not every kernel has ``netem``.
"""

import json
import tempfile
import zlib
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run

from emulated import PROGRAM, EmulatedHosts, Entered
from failed import Failed
from interop.network import Namespace, unshare
from refusal import Forbidden

ETHERNET = 14
"""Bytes of a header that a veth device and its token bucket count beside an IP packet."""

PACKET = 1500 + ETHERNET
BURST = 2e-3
"""Seconds of its rate that a token bucket lets pass at once, if that is two packets: timers may be late."""

HOLD = 'echo "$ANABRANCH_NEAR_NET $ANABRANCH_FAR_NET"; exec cat'


def refusal():
    """Why the kernel's links cannot be made here, or None."""
    cable = "ip link add p1 type veth peer name p2"
    line = f"{cable} && tc qdisc add dev p1 root tbf rate 8mbit burst 4k limit 9k"
    tried = run([*unshare(), "sh", "-c", line], capture_output=True, text=True, check=False)
    if tried.returncode == 0:
        return None
    refused = f"token buckets are refused: {tried.stderr.strip()}"
    # 127 is the shell's status for a program that is not there.
    return refused if tried.returncode == 127 else Forbidden(refused)


class Emulation(EmulatedHosts):
    """The links of a scenario, and their lateness at the end."""

    def __init__(self, tables, paths):
        self.paths, self.late = paths, 0.0
        self.folder = tempfile.TemporaryDirectory()
        self.report = Path(self.folder.name) / "report.json"
        scenario = Path(self.folder.name) / "links.toml"
        # Networks with one seed would lose packets at the same times.
        seed = zlib.crc32("\n".join(tables).encode())
        scenario.write_text("\n".join([f'[run]\ntime = "3600 s"\nseed = {seed}\n', *tables]))
        words = ["emulate", str(scenario), "--report", str(self.report), "--quiet", "--", "sh", "-c", HOLD]
        self.program = Popen([str(PROGRAM), *words], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
        networks = self.program.stdout.readline().split()
        if len(networks) != 2:
            raise Failed(f"emulate says {self.program.communicate()[1].strip()}")
        self.sides = self.near, self.far = [Entered(network) for network in networks]

    def close(self):
        """Ends the program, and with it the links."""
        self.program.communicate()
        if self.report.exists():
            self.late = json.loads(self.report.read_text())["timing_error_s"]["p99"]
        self.folder.cleanup()


class EmulatedNetwork:
    """Links that ``anabranch emulate`` makes alone; ``tables`` follow those of the links."""

    header = 0

    def __init__(self, links, tables=None):
        made = tables or [table(f"p{number}", link) for number, link in enumerate(links, start=1)]
        self.emulation = Emulation(made, len(links))
        self.near, self.far = self.emulation.sides
        self.paths = len(links)

    def addresses(self, host):
        """The addresses of the host that examines (1) or of the other (2), path by path."""
        return self.emulation.addresses(host)

    def carried(self, path):
        """The bytes of IP packets that a path's interface has carried at the near host, both ways."""
        return carried(self.near, f"p{path}", self.header)

    def close(self):
        """Ends it; the lateness of 99 of 100 packets in seconds."""
        self.emulation.close()
        return self.emulation.late


class KernelNetwork(EmulatedNetwork):
    """Links of the kernel: behind each gateway a token bucket of the link's rate, with the link's queue."""

    header = ETHERNET

    def __init__(self, links):
        numbered = list(enumerate(links, start=1))
        self.emulation = Emulation([distance(f"p{number}", link) for number, link in numbered], len(links))
        self.near, self.far = Namespace(), Namespace()
        self.gateways = self.emulation.sides
        self.paths = len(links)
        for number, link in numbered:
            self.connect(number, link)
        for gateway in self.gateways:
            switch = ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]
            run(gateway.command(*switch), check=True)

    def connect(self, path, link):
        """Leads from each host to its gateway and on."""
        ends = [
            (self.near, self.gateways[0], 78, 1, 79, link.reverse),
            (self.far, self.gateways[1], 79, 2, 78, link.forward),
        ]
        for host, gateway, mine, last, theirs, way in ends:
            host.ip(
                "link set lo up",
                f"link add p{path} type veth peer name v{path} netns {gateway.network}",
                f"link set p{path} addrgenmode none up",
                f"addr add 10.{mine}.{path}.{last}/24 dev p{path}",
                f"route add 10.{theirs}.{path}.0/24 via 10.{mine}.{path}.254 dev p{path}",
            )
            gateway.ip(
                f"link set v{path} addrgenmode none up",
                f"addr add 10.{mine}.{path}.254/24 dev v{path}",
                f"route add 10.{theirs}.{path}.0/24 via 10.77.{path}.{3 - last} dev p{path}",
            )
            shape(gateway, f"v{path}", way)

    def addresses(self, host):
        """The addresses of the host that examines (1) or of the other (2), path by path."""
        return [f"10.{77 + host}.{path}.{host}" for path in range(1, self.paths + 1)]

    def close(self):
        """Ends it; the lateness of 99 of 100 packets in seconds."""
        for host in (self.near, self.far):
            host.close()
        return super().close()


def shape(side, device, way):
    """Gives a device a token bucket that carries full IP packets at the way's rate."""
    rate = way.rate * PACKET / (PACKET - ETHERNET)
    burst, limit = max(2 * PACKET, rate / 8 * BURST), max(2 * PACKET, way.queue * rate / 8)
    words = f"tc qdisc add dev {device} root tbf rate {rate:.0f}bit burst {burst:.0f} limit {limit:.0f}"
    run(side.command(*words.split()), check=True, stdout=DEVNULL)


def table(name, link, **more):
    """A link as a scenario has it; ``more`` has other values of keys on the way there."""
    return of_keys(name, {**keys(link.forward), **more}, keys(link.reverse))


def distance(name, link):
    """The delay and the losses of a link, without its rate and its queue."""
    fast = {"rate": '"1000 Mbit/s"', "queue": '"5000 packets"'}
    return of_keys(name, *({**keys(way), **fast} for _, way in link.ways))


def of_keys(name, forward, reverse):
    """The table of a link."""
    lines = [f"{key} = {value}" for key, value in forward.items()]
    back = ", ".join(f"{key} = {value}" for key, value in reverse.items())
    return "\n".join(["[[link]]", f'name = "{name}"', *lines, f"reverse = {{ {back} }}", ""])


def keys(way):
    """A direction as a scenario has it."""
    return {
        "rate": f'"{way.rate:.0f} bit/s"',
        "delay": f'"{1e3 * way.delay:.4f} ms"',
        "queue": f'"{way.packets} packets"',
        "loss": way.losses,
    }


def carried(side, device, header):
    """The bytes of IP packets that a device has carried both ways."""
    words = side.command("ip", "-s", "-j", "link", "show", "dev", device)
    counters = json.loads(run(words, capture_output=True, text=True, check=True).stdout)[0]["stats64"]
    return sum(counters[way]["bytes"] - header * counters[way]["packets"] for way in ("rx", "tx"))
