"""A mobile link's rate over time, drawn by a rule from a seed, as a Mahimahi trace.

Each line of the trace is a whole millisecond at which 1,504 bytes may pass. The rate's logarithm wanders
every tenth of a second: a twentieth of the way back to 12 Mbit/s, and a normal step of 0.25; it stays
between 1 and 40 Mbit/s. One second in twenty begins with a fade: three tenths at half a Mbit/s.
"""

import math
import random

SECONDS = 10
MIDDLE, LEAST, MOST, FADED = 12.0, 1.0, 40.0, 0.5
OPPORTUNITY = 1504 * 8e-6
"""Mbit that one line lets pass."""


def rates(seed):
    """Mbit/s in each tenth of a second."""
    draw = random.Random(seed)
    logarithm, fades = math.log(MIDDLE), 0
    for tenth in range(10 * SECONDS):
        logarithm += 0.05 * (math.log(MIDDLE) - logarithm) + draw.gauss(0, 0.25)
        logarithm = min(math.log(MOST), max(math.log(LEAST), logarithm))
        if tenth % 10 == 0 and draw.random() < 0.05:
            fades = 3
        yield FADED if fades > 0 else math.exp(logarithm)
        fades -= 1


def opportunities(seed):
    """The milliseconds at which a packet may pass, from 1 on."""
    credit, times = 0.0, []
    for tenth, rate in enumerate(rates(seed)):
        for millisecond in range(1, 101):
            credit += rate / 1000
            while credit >= OPPORTUNITY:
                credit -= OPPORTUNITY
                times.append(100 * tenth + millisecond)
    return times


def mean(seed):
    """The mean rate, Mbit/s."""
    times = opportunities(seed)
    return len(times) * OPPORTUNITY / times[-1] * 1000
