"""Causes that are planted, each in a scene drawn from a seed."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import scenes
from drawing import between
from examination import ALIKE, Ends
from hosts import table
from scenes import emulated, event
from truth import PACKET, Link, Way


@dataclass(frozen=True)
class Plant:
    """A cause, the findings that name it, and its scene from a source of chance and a number."""

    name: str
    causes: tuple[str, ...]
    scene: Callable
    has_advice: bool = False
    """True if a setting of the end that examines brings more."""

    def drawn(self, seed, number):
        """The scene of this number."""
        return self.scene(random.Random(f"{self.name} {seed} {number}"), number % 2 == 1)


def healthy(draw):
    """Two links with queues of a round trip and a bit."""
    return [plain(draw, (15e6, 40e6), (0.020, 0.050)), plain(draw, (8e6, 20e6), (0.030, 0.070))]


def plain(draw, rates, trips):
    """A link without losses, the same both ways."""
    rate, trip = between(draw, *rates), between(draw, *trips)
    queue = max(25 * 8 * PACKET / rate, trip * draw.uniform(1.0, 1.5))
    way = Way(rate, trip / 2, queue)
    return Link(way, way)


def changed(link, is_reverse, **keys):
    """The link with one direction changed."""
    if is_reverse:
        return Link(link.forward, replace(link.reverse, **keys))
    return Link(replace(link.forward, **keys), link.reverse)


def nothing(draw, _):
    """Healthy links."""
    return emulated(healthy(draw))


def small_buffer(draw, is_sender):
    """A buffer of a part of what is under way: the receiver's, or the sender's."""
    links = healthy(draw)
    under_way = sum(link.forward.rate for link in links) * max(link.delay for link in links) / 8
    size = f"{under_way * draw.uniform(0.15, 0.35):.0f} B"
    if is_sender:
        return emulated(links, ends=ALIKE.with_settings(client=[f"sctp.send_buffer={size}"]))
    return emulated(links, ends=ALIKE.with_settings(server=[f"sctp.receive_buffer={size}"]))


def chance_loss(draw, is_reverse):
    """Losses on the first link, with windows that halve."""
    first, second = healthy(draw)
    first = changed(first, is_reverse, loss=draw.uniform(0.01, 0.02))
    return emulated([first, second], ends=reno(is_reverse))


def reno(is_reverse):
    """Windows of one direction that halve at each loss."""
    settings = ["sctp.congestion_control=reno"]
    return ALIKE.with_settings(**{"server" if is_reverse else "client": settings})


def deep_queue(draw, is_reverse):
    """A queue of a second on the first link."""
    first, second = healthy(draw)
    return emulated([changed(first, is_reverse, queue=draw.uniform(0.6, 2.0)), second])


def shallow_queue(draw, is_reverse):
    """Queues of a few packets and long round trips, with windows that halve."""
    links = [plain(draw, (15e6, 40e6), (0.060, 0.100)), plain(draw, (8e6, 20e6), (0.060, 0.100))]
    packets = draw.randint(3, 6)
    shallow = [changed(link, is_reverse, queue=packets * 8 * PACKET / link.forward.rate) for link in links]
    return emulated(shallow, ends=reno(is_reverse))


def policer(draw, _):
    """A policer at half of the first link's rate."""
    links = healthy(draw)
    return scenes.policed(links, links[0].forward.rate / 2, draw.randint(8_000, 20_000))


def shared_link(draw, _):
    """Both paths through one link."""
    access = [Link(way, way) for way in (Way(200e6, draw.uniform(0.002, 0.02), 0.1) for _ in range(2))]
    return scenes.one_bottleneck(access, plain(draw, (15e6, 40e6), (0.020, 0.050)))


def dead_path(draw, is_one_way):
    """The second path carries nothing, or nothing back."""
    first, second = healthy(draw)
    if is_one_way:
        return emulated([first, changed(second, True, loss=1.0)])
    return emulated([first, second], event("p2", state='"down"'))


def mtu_hole(draw, is_back):
    """Packets of full size vanish on the first path, both ways or back alone, and no one looks for it."""
    largest = draw.choice([1300, 1400, 1452])
    settings = ["sctp.mtu_discovery=off"]
    ends = ALIKE.with_settings(settings, settings)
    way = {"direction": '"reverse"'} if is_back else {}
    return emulated(healthy(draw), event("p1", mtu=f'"{largest} B"', **way), ends=ends)


def slow_processor(draw, is_client):
    """An end with a twentieth of a core."""
    links = [plain(draw, (60e6, 100e6), (0.010, 0.030)) for _ in range(2)]
    slow = scenes.throttled(draw.uniform(0.04, 0.07))
    return emulated(links, ends=Ends(before_client=slow) if is_client else Ends(before_server=slow))


def varying_rate(draw, _):
    """The first link's rate steps every few round trips, further than its queue reaches."""
    links = [plain(draw, (15e6, 40e6), (0.080, 0.120)), healthy(draw)[1]]
    links[0] = changed(links[0], False, queue=0.03)
    steps = [f'["{0.4 * step:.1f} s", "{between(draw, 2e6, 40e6):.0f} bit/s"]' for step in range(500)]
    first = table("p1", links[0], rate=f"{{ steps = [{', '.join(steps)}] }}")
    return emulated(links, tables=[first, table("p2", links[1])])


def one_interface(draw, _):
    """Both sockets leave by one interface, which has two addresses."""
    return scenes.one_interface(healthy(draw)[0])


def forgetful_nat(draw, _):
    """A translator that forgets in 20 s, and heartbeats that come later.

    Those of either end keep it awake, so both ends have the setting.
    """
    late = ["sctp.failover.heartbeat=40 s"]
    ends = ALIKE.with_settings(late, late)
    return scenes.translated(healthy(draw), 20, ends)


def starved_acknowledgements(draw, _):
    """Links back that carry a hundredth and less."""
    links = []
    for link in healthy(draw):
        rate = link.forward.rate / draw.uniform(100, 160)
        links.append(changed(link, True, rate=rate, queue=20 * 8 * PACKET / rate))
    return emulated(links)


PLANTS = [
    Plant("small buffer", ("small-receive-buffer", "small-send-buffer"), small_buffer, True),
    Plant("chance loss", ("chance-loss",), chance_loss, True),
    Plant("deep queue", ("deep-queue",), deep_queue),
    Plant("shallow queue", ("shallow-queue",), shallow_queue, True),
    Plant("policer", ("policer",), policer),
    Plant("shared link", ("shared-link",), shared_link),
    Plant("dead path", ("dead-path",), dead_path),
    Plant("MTU hole", ("mtu-hole",), mtu_hole),
    Plant("slow processor", ("slow-processor",), slow_processor),
    Plant("varying rate", ("varying-rate",), varying_rate),
    Plant("one interface", ("one-interface",), one_interface),
    Plant("forgetful NAT", ("forgetful-nat",), forgetful_nat),
    Plant("starved acknowledgements", ("starved-acknowledgements",), starved_acknowledgements),
    Plant("nothing", (), nothing),
]
