"""Networks drawn from a seed: two or three links, emulated or of the kernel."""

import math
import random
from dataclasses import dataclass

from hosts import EmulatedNetwork, KernelNetwork
from truth import PACKET, Link, Way

SHIFT = 86_400
"""Seconds by which the clock of the other end is ahead, in half of the networks."""


@dataclass(frozen=True)
class Network:
    """A network with its truth."""

    name: str
    links: tuple[Link, ...]
    is_of_kernel: bool = False
    shift: int = 0

    def built(self):
        """The hosts, for one run."""
        return KernelNetwork(self.links) if self.is_of_kernel else EmulatedNetwork(self.links)

    def round_trip(self, link):
        """The least round trip of small packets: a token bucket lets the first ones pass at once."""
        return link.delay + (0 if self.is_of_kernel else link.sending)


def networks(count, seed):
    """So many networks, every second one of the kernel."""
    return [network(seed, number) for number in range(count)]


def network(seed, number):
    """The network of this number."""
    draw = random.Random(f"doctor {seed} {number}")
    is_of_kernel = number % 2 == 1
    links = tuple(link(draw) for _ in range(draw.choice([2, 3])))
    kind = "kernel" if is_of_kernel else "emulated"
    shift = SHIFT if number // 2 % 2 else 0
    return Network(f"{seed}/{number} {kind}", links, is_of_kernel, shift)


def plain_links(seed):
    """Two links of a few Mbit/s without losses."""
    draw = random.Random(f"doctor {seed} plain")
    ways = [
        Way(between(draw, 3e6, 12e6), between(draw, 0.005, 0.03), draw.uniform(0.06, 0.12)) for _ in range(4)
    ]
    return Link(*ways[:2]), Link(*ways[2:])


def link(draw):
    """A link of 1 to 100 Mbit/s with a round trip of 2 to 150 ms; every second one has uneven ways."""
    rate, trip = between(draw, 1e6, 100e6), between(draw, 0.002, 0.150)
    if draw.random() < 0.5:
        there, back, part = rate, rate, 0.5
    else:
        there, back = rate, max(1e6, rate * between(draw, 0.1, 1))
        part = draw.uniform(0.2, 0.8)
    return Link(way(draw, there, trip * part), way(draw, back, trip * (1 - part)))


def way(draw, rate, delay):
    """One direction, with a queue of 20 packets to 2 s."""
    queue = between(draw, 20 * 8 * PACKET / rate, 2)
    kind = draw.choices(["none", "single", "runs"], [4, 3, 3])[0]
    if kind == "none":
        return Way(rate, delay, queue)
    if kind == "single":
        return Way(rate, delay, queue, loss=between(draw, 0.001, 0.02))
    return Way(rate, delay, queue, between(draw, 0.001, 0.02), run=between(draw, 0.002, 0.030))


def between(draw, least, most):
    """A number whose logarithm is uniform."""
    return math.exp(draw.uniform(math.log(least), math.log(most)))
