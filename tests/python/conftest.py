"""The fixtures of the tests of Python: they run from the root of the repository, where the scenarios
are."""

import pathlib
import signal

import anabranch
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A shell starts what runs in the background with Ctrl-C ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def from_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def phone():
    """Wi-Fi and LTE, 8 MB: some 50 ms of work a run."""
    return anabranch.Scenario.load("scenarios/wifi-lte.toml")


@pytest.fixture
def quick():
    """Two lossy paths for a second: a run of a few milliseconds, whose result depends on the seed."""
    return anabranch.Scenario.parse(
        """
        run = { time = "1 s" }
        [[link]]
        name = "a"
        rate = "4 Mbit/s"
        delay = "10 ms"
        loss = 0.01
        [[link]]
        name = "b"
        rate = "2 Mbit/s"
        delay = "20 ms"
        loss = 0.01
        [[flow]]
        """
    )


@pytest.fixture
def endless():
    """A run that takes longer than any test waits."""
    return anabranch.Scenario.load("scenarios/dumbbell.toml").set("run.time", "1000000 s")
