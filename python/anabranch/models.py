"""The predictions of analytic models for a scenario, and the window limits that the planner chooses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anabranch import _native, markup
from anabranch.scenario import Scenario, ScenarioLike, scenario_of


@dataclass(frozen=True)
class PathRate:
    """The prediction of a model for one path.

    Attributes
    ----------
    name : str
        The path.
    throughput_bps, goodput_bps : float
        Bits a second of whole packets, and of user data.
    """

    name: str
    throughput_bps: float
    goodput_bps: float


@dataclass(frozen=True)
class ModelRate:
    """The prediction of a model for a flow.

    Attributes
    ----------
    total_bps, goodput_bps : float
        Bits a second of all paths together: whole packets, and user data.
    paths : tuple of PathRate
        Each path.
    """

    total_bps: float
    goodput_bps: float
    paths: tuple[PathRate, ...]


class Prediction:
    """The predictions for the first flow that the models cover. :func:`anabranch.predict` gives it.

    Attributes
    ----------
    flow : str
        The flow's name.
    models : dict of str to ModelRate
        What each model says, by its name.
    skipped : dict of str to str
        Why other models say nothing.
    limits_packets : list of int or None
        The largest windows, in packets, one a path.
    notes : list of str
        What is left out or supposed.
    """

    __module__ = "anabranch"

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.flow: str = document["flow"]
        self.models: Mapping[str, ModelRate] = {
            name: _model_rate(model) for name, model in document["models"].items()
        }
        self.skipped: Mapping[str, str] = document["skipped"]
        self.limits_packets: list[int] | None = document["limits_packets"]
        self.notes: list[str] = document["notes"]

    @property
    def flows(self) -> list[Prediction]:
        """The predictions for all flows, this one among them."""
        others: list[dict[str, Any]] = self._document.get("flows", [])
        return [Prediction(flow) for flow in others] or [self]

    def to_dict(self) -> dict[str, Any]:
        """The document that ``anabranch predict --json`` prints."""
        return self._document

    def __repr__(self) -> str:
        rates = (f"{name} {model.goodput_bps / 1e6:.2f} Mbit/s" for name, model in self.models.items())
        return f"<Prediction for {self.flow}: {', '.join(rates) or 'none'}>"

    def _repr_html_(self) -> str:
        said = ((name, f"{model.goodput_bps / 1e6:.2f}", "") for name, model in self.models.items())
        unsaid = ((name, "", why) for name, why in self.skipped.items())
        return markup.table(("model", "goodput (Mbit/s)", "why not"), [*said, *unsaid])


class Plan:
    """A limit for each path's window in the receive buffer that they share. :func:`anabranch.plan` gives it.

    Attributes
    ----------
    flow : str
        The flow's name.
    limits_packets : list of int
        The largest windows, in packets, one a path.
    receive_buffer_packets : int
        The buffer that they share.
    throughput_bps, goodput_bps : float
        Bits a second of all paths together: whole packets, and user data.
    upper_bound_bps : float
        The throughput that no limits exceed.
    notes : list of str
        What is left out or supposed.
    """

    __module__ = "anabranch"

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.flow: str = document["flow"]
        self.limits_packets: list[int] = document["limits_packets"]
        self.receive_buffer_packets: int = document["receive_buffer_packets"]
        self.throughput_bps: float = document["throughput_bps"]
        self.goodput_bps: float = document["goodput_bps"]
        self.upper_bound_bps: float = document["certificate"]["upper_bound_bps"]
        self.notes: list[str] = document["notes"]

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with these limits for the flow that was planned.

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> scenario = scenario.set("flow.main.sctp.receive_buffer", "128 KiB")
        >>> limited = anabranch.plan(scenario).apply(scenario)
        >>> limited["flow.main.sctp.window_management"]
        [71, 16]
        """
        return scenario.set(f"flow.{self.flow}.sctp.window_management", self.limits_packets)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``anabranch plan --json`` prints."""
        return self._document

    def __repr__(self) -> str:
        limits = " + ".join(map(str, self.limits_packets))
        return f"<Plan for {self.flow}: {limits} packets, {self.throughput_bps / 1e6:.2f} Mbit/s>"

    def _repr_html_(self) -> str:
        limits = [
            (f"limit of path {number} (packets)", str(limit))
            for number, limit in enumerate(self.limits_packets, 1)
        ]
        rates = [
            ("throughput", self.throughput_bps),
            ("goodput", self.goodput_bps),
            ("upper bound", self.upper_bound_bps),
        ]
        said = [(f"{name} (Mbit/s)", f"{rate / 1e6:.2f}") for name, rate in rates]
        return markup.table((f"plan for {self.flow}", ""), limits + said)


def predict(
    scenario: ScenarioLike, models: str | Iterable[str] | None = None, *, loss_model: str = "independent"
) -> Prediction:
    """Predict throughput with analytic models.

    Parameters
    ----------
    scenario : Scenario, str or path
        Its rates, delays, mean losses and receive buffer count; queues, the start and the end of a transfer
        do not.
    models : str or list of str, optional
        ``markov``, ``renewal``, ``pftk``, ``mptcp``; by default all.
    loss_model : str, optional
        Within one round, for the Markov model: ``independent`` or ``correlated``.

    Returns
    -------
    Prediction

    References
    ----------
    The equations of each model are named in docs/papers.md.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml").set("link.wifi.loss", 0.01)
    >>> prediction = anabranch.predict(scenario, "markov")
    >>> [path.name for path in prediction.models["markov"].paths]
    ['wifi', 'lte']
    """
    wanted = [models] if isinstance(models, str) else list(models or [])
    return Prediction(json.loads(_native.predict(scenario_of(scenario)._native, wanted, loss_model)))


def plan(
    scenario: ScenarioLike,
    *,
    method: str = "exact",
    step: int | None = None,
    model: str = "markov",
    loss_model: str = "independent",
) -> Plan:
    """Choose a window limit for each path of a shared receive buffer.

    Parameters
    ----------
    scenario : Scenario, str or path
        Its first SCTP flow is planned for.
    method : str, optional
        ``exact``, ``brute-force``, ``step`` or ``hull``.
    step : int, optional
        With method ``step``, every how many packets a limit is tried.
    model : str, optional
        What gives the throughput of a path at a limit: ``markov`` or ``renewal``.
    loss_model : str, optional
        Within one round, for the Markov model: ``independent`` or ``correlated``.

    Returns
    -------
    Plan

    Raises
    ------
    ModelError
        The models have no place for the flow, or the method has no answer.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
    >>> anabranch.plan(scenario.set("flow.main.sctp.receive_buffer", "128 KiB"))
    <Plan for main: 71 + 16 packets, 23.36 Mbit/s>
    """
    return Plan(json.loads(_native.plan(scenario_of(scenario)._native, method, step, model, loss_model)))


def _model_rate(model: dict[str, Any]) -> ModelRate:
    return ModelRate(
        model["total_bps"], model["goodput_bps"], tuple(PathRate(**path) for path in model["paths"])
    )
