"""Replications of a scenario, and what they say together."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from anabranch import _native
from anabranch.scenario import Scenario, ScenarioLike, scenario_of
from anabranch.table import ArrowStream, Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Estimate:
    """A quantity over several runs.

    Attributes
    ----------
    mean : float
        The mean of the runs.
    sd : float
        Their standard deviation; NaN for fewer than two runs.
    ci95 : float
        Half the width of the 95 % confidence interval of the mean, by Student's t; NaN for fewer than two
        runs.
    n : int
        How many runs had a value.
    """

    mean: float
    sd: float
    ci95: float
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Estimate:
        """The estimate from values, without those that are NaN.

        Examples
        --------
        >>> from anabranch import Estimate
        >>> print(Estimate.of([9.0, 10.0, 11.0]))
        10 ± 2.48 (3 runs)
        """
        found = _native.estimate([float(value) for value in values if not math.isnan(value)])
        if found is None:
            return cls(math.nan, math.nan, math.nan, 0)
        n, mean, sd, ci95 = found
        return cls(mean, _or_nan(sd), _or_nan(ci95), n)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the 95 % confidence interval."""
        return (self.mean - self.ci95, self.mean + self.ci95)

    def __str__(self) -> str:
        return f"{self.mean:.6g} ± {self.ci95:.3g} ({self.n} runs)"

    def _repr_html_(self) -> str:
        return f"<b>{self.mean:.6g}</b> ± {self.ci95:.3g} ({self.n} runs)"


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def ratio_of_means(a: pd.Series[float], b: pd.Series[float]) -> Estimate:
    """The ratio of the mean of `a` to the mean of `b`, from pairs of runs.

    Parameters
    ----------
    a, b : pandas.Series
        Their values with the same index; a pair counts where both have one.

    Returns
    -------
    Estimate
        Its interval is that of the mean of b - R a, R being the ratio, over the mean of a: the ratio
        estimator of survey sampling [1]_. ``sd`` is NaN.

    References
    ----------
    .. [1] W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, chapter 6.

    Examples
    --------
    >>> import pandas as pd
    >>> from anabranch.results import ratio_of_means
    >>> ratio_of_means(pd.Series([1.0, 3.0]), pd.Series([2.0, 6.0])).mean
    2.0
    """
    both = a.notna() & b.notna()
    a, b = a[both].astype(float), b[both].astype(float)
    mean = float(a.mean())
    if not mean:
        return Estimate(math.nan, math.nan, math.nan, len(a))
    ratio = float(b.mean()) / mean
    return Estimate(ratio, math.nan, Estimate.of(b - ratio * a).ci95 / abs(mean), len(a))


class _Runs(Protocol):
    """The interface of the core's runs."""

    def __len__(self) -> int: ...
    def document(self) -> str: ...
    def table(self) -> ArrowStream: ...


@dataclass(frozen=True)
class _KeptRuns:
    """The same from a pickle, in a process that may never have run them."""

    count: int
    text: str
    arrow: ArrowStream

    def __len__(self) -> int:
        return self.count

    def document(self) -> str:
        return self.text

    def table(self) -> ArrowStream:
        return self.arrow


class Results:
    """The runs of a scenario, in the order of their seeds. :func:`anabranch.run` gives them.

    They can be pickled and copied, as pools of processes and caches do.
    """

    __module__ = "anabranch"

    def __init__(self, scenario: Scenario, native: _Runs) -> None:
        self._native = native
        self.scenario = scenario

    def __len__(self) -> int:
        return len(self._native)

    @property
    def seeds(self) -> list[int]:
        """The seed of each run."""
        first = int(self.scenario["run.seed"])
        return list(range(first, first + len(self)))

    def table(self) -> Table:
        """One row a run: its seed, and each quantity of each flow, path and link.

        Columns are named as in the program's documents: ``main.goodput_bps``, ``main.wifi.timeouts``,
        ``link.lte.forward.lost``.

        Returns
        -------
        Table

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> anabranch.run(scenario, runs=2, seed=7).table()["seed"].tolist()
        [7, 8]
        """
        return Table(self._native.table())

    def flows(self) -> pd.DataFrame:
        """One row a run and flow: the table in the tidy form that plots by groups want.

        Returns
        -------
        pandas.DataFrame
            Columns ``seed``, ``flow``, and each quantity of a flow.

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> anabranch.run(scenario, runs=2).flows()[["seed", "flow", "protocol"]].values.tolist()
        [[1, 'main', 'sctp'], [2, 'main', 'sctp']]
        """
        frame = self.table().to_pandas()
        paths = tuple(f"{flow}.{path}." for flow, path in _paths_in(frame))
        return _stacked([_part(frame, f"{flow}.", {"flow": flow}, paths) for flow in _flows_in(frame)])

    def paths(self) -> pd.DataFrame:
        """One row a run, flow and path.

        Returns
        -------
        pandas.DataFrame
            Columns ``seed``, ``flow``, ``path``, and each quantity of a path.

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> anabranch.run(scenario, runs=2).paths()[["seed", "flow", "path"]].values.tolist()
        [[1, 'main', 'wifi'], [2, 'main', 'wifi'], [1, 'main', 'lte'], [2, 'main', 'lte']]
        """
        frame = self.table().to_pandas()
        names = _paths_in(frame)
        return _stacked(
            [_part(frame, f"{flow}.{path}.", {"flow": flow, "path": path}) for flow, path in names]
        )

    def summary(self) -> pd.DataFrame:
        """Mean, standard deviation and half the 95 % interval of each quantity, one row a column of
        :meth:`table`.

        Returns
        -------
        pandas.DataFrame
            Columns ``mean``, ``sd``, ``ci95``, ``n``, ``unit`` and ``meaning``.

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> summary = anabranch.run(scenario, runs=3).summary()
        >>> summary.loc["main.goodput_bps", "n"]
        np.int64(3)
        """
        import pandas as pd

        table = self.table()
        frame = table.to_pandas().select_dtypes("number").drop(columns="seed")
        rows = {name: vars(Estimate.of(frame[name])) for name in frame.columns}
        summary = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "sd", "ci95", "n"])
        summary["unit"] = [table.unit(name) for name in summary.index]
        summary["meaning"] = [table.meaning(name) for name in summary.index]
        return summary

    def estimate(self, column: str) -> Estimate:
        """The estimate of one column of :meth:`table`.

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> anabranch.run(scenario, runs=3).estimate("main.completion_s").n
        3
        """
        return Estimate.of(self.table()[column])

    def to_dict(self) -> dict[str, Any]:
        """The document that ``anabranch sim --json`` prints for the same scenario."""
        document: dict[str, Any] = json.loads(self._native.document())
        return document

    def __reduce__(self) -> tuple[Any, ...]:
        kept = _KeptRuns(len(self), self._native.document(), self.table().to_arrow())
        return (Results, (self.scenario, kept))

    def __repr__(self) -> str:
        of = f"{len(self)} run{'' if len(self) == 1 else 's'} of {self.scenario.file}"
        goodput = (f"{flow['name']} {flow['goodput_bps'] / 1e6:.2f} Mbit/s" for flow in self._flow_means())
        return f"<Results of {of}: {', '.join(goodput)}>"

    def _flow_means(self) -> list[dict[str, Any]]:
        summary = self.to_dict()["summary"]
        return [{"name": name, "goodput_bps": flow["goodput_bps"]["mean"]} for name, flow in summary.items()]

    def _repr_html_(self) -> str:
        return str(self.summary().to_html())


def _flows_in(frame: pd.DataFrame) -> list[str]:
    """The flows of a table: each has a protocol."""
    return [name.removesuffix(".protocol") for name in frame.columns if name.endswith(".protocol")]


def _paths_in(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """The flows and paths of a table: each path has a state."""
    states = [name.removesuffix(".state") for name in frame.columns if name.endswith(".state")]
    return [(flow, path) for flow, _, path in (name.partition(".") for name in states)]


def _part(
    frame: pd.DataFrame, prefix: str, names: dict[str, str], without: tuple[str, ...] = ()
) -> pd.DataFrame:
    """The seeds, columns with one name in all rows, and the columns with a prefix, which is taken away."""
    columns = [name for name in frame.columns if name.startswith(prefix) and not name.startswith(without)]
    part = frame[["seed", *columns]].rename(columns={name: name.removeprefix(prefix) for name in columns})
    for at, (column, name) in enumerate(names.items(), start=1):
        part.insert(at, column, name)
    return part


def _stacked(parts: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(parts, ignore_index=True)


def run(
    scenario: ScenarioLike,
    runs: int | None = None,
    seed: int | None = None,
    until: float | None = None,
    threads: int | None = None,
) -> Results:
    """Run a scenario in the simulator.

    The interpreter's lock is free while the runs last, and Ctrl-C raises KeyboardInterrupt within a second.

    Parameters
    ----------
    scenario : Scenario, str or path
        What is run: a scenario, or the path of its file.
    runs : int, optional
        How many replications, with seeds ``seed``, ``seed + 1``, …; by default what the scenario says. With
        `until`, the least number.
    seed : int, optional
        The seed of the first; by default what the scenario says. The same scenario and seed give the same
        result.
    until : float, optional
        Run until half the 95 % interval of every flow's goodput is within this fraction of its mean.
    threads : int, optional
        On how many threads; by default one a core. The results do not depend on it.

    Returns
    -------
    Results

    Raises
    ------
    ScenarioError
        Settings of the scenario contradict one another.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
    >>> results = anabranch.run(scenario, runs=5, seed=1)
    >>> results
    <Results of 5 runs of scenarios/wifi-lte.toml: main 22.59 Mbit/s>
    """
    scenario = scenario_of(scenario)
    for key, value in (("run.runs", runs), ("run.seed", seed)):
        scenario = scenario if value is None else scenario.set(key, value)
    return Results(scenario, _native.run(scenario._native, until, threads))
