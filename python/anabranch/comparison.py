"""Two scenarios beside one another, run by run with the same seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from anabranch.names import unknown
from anabranch.results import Estimate, Results, ratio_of_means, run
from anabranch.scenario import ScenarioLike, scenario_of

if TYPE_CHECKING:
    import pandas as pd

QUANTITIES = (
    "goodput_bps",
    "completion_s",
    "delay_s.p50",
    "delay_s.p95",
    "delay_s.p99",
    "longest_stall_s",
    "blocked_s",
    "reorder_bytes_max",
)
"""The columns of each flow that are compared by default."""


class Comparison:
    """Differences and ratios of two scenarios. :func:`anabranch.compare` gives it.

    Attributes
    ----------
    a, b : Results
        The runs of both, with the same seeds in the same order.
    """

    __module__ = "anabranch"

    def __init__(self, a: Results, b: Results, columns: Iterable[str] | None = None) -> None:
        self.a = a
        self.b = b
        self._columns = None if columns is None else tuple(columns)

    def table(self) -> pd.DataFrame:
        """One row a quantity: both means, their difference and their ratio with 95 % intervals.

        Returns
        -------
        pandas.DataFrame
            Columns ``a`` and ``b`` (means), ``difference`` (of b from a), ``difference_ci95``, ``ratio`` (b
            to a), ``ratio_ci95``, ``n`` (pairs) and ``unit``. ``fairness`` is Jain's index of the flows'
            goodput, for several flows.

        Notes
        -----
        Runs of equal seeds are pairs, and intervals are of the mean of the pairs' differences, by Student's
        t. The interval of the ratio R is that of the mean of b - R a over that of a: the estimator of survey
        sampling [1]_. A pair counts where both runs have a value.

        References
        ----------
        .. [1] W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, chapter 6.
        """
        import pandas as pd

        a, b = self.a.table(), self.b.table()
        frames = a.to_pandas(), b.to_pandas()
        for frame in frames:
            frame[FAIRNESS] = fairness(frame, self.a.scenario.flows)
        names = [name for name in self._wanted(list(frames[0].columns)) if name in frames[1].columns]
        rows = {name: _row(frames[0][name], frames[1][name]) for name in names}
        rows = {name: row for name, row in rows.items() if self._columns is not None or row["n"] > 0}
        table = pd.DataFrame.from_dict(rows, orient="index")
        table["unit"] = [a.unit(name) if name in a.columns else "" for name in table.index]
        return table

    def _wanted(self, columns: list[str]) -> list[str]:
        if self._columns is not None:
            for name in self._columns:
                if name not in columns:
                    raise unknown("column", name, columns)
            return list(self._columns)
        flows = [name for name in self.a.scenario.flows if name in self.b.scenario.flows]
        wanted = [f"{flow}.{quantity}" for flow in flows for quantity in QUANTITIES]
        both_ways = [f"{flow}/reverse.{quantity}" for flow in flows for quantity in QUANTITIES]
        return [name for name in [*wanted, *both_ways, FAIRNESS] if name in columns]

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.a)} pairs of runs>\n{self.table()}"

    def _repr_html_(self) -> str:
        return str(self.table().to_html())


FAIRNESS = "fairness"


def fairness(frame: pd.DataFrame, flows: list[str]) -> pd.Series[float]:
    """Jain's index of the goodput of flows, run by run: 1 where all have the same, 1 / n where one has all.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows as :meth:`Results.table` has them.
    flows : list of str
        The flows' names.

    Returns
    -------
    pandas.Series
        NaN for fewer than two flows.

    References
    ----------
    R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301, 1984.
    """
    import pandas as pd

    names = [f"{flow}.goodput_bps" for flow in flows if f"{flow}.goodput_bps" in frame.columns]
    if len(names) < 2:
        return pd.Series(math.nan, index=frame.index)
    goodput = frame[names]
    return goodput.sum(axis=1) ** 2 / (len(names) * (goodput**2).sum(axis=1))


def compare(
    a: ScenarioLike | Results,
    b: ScenarioLike | Results,
    runs: int = 20,
    seed: int | None = None,
    columns: Iterable[str] | None = None,
    threads: int | None = None,
) -> Comparison:
    """Compare two scenarios, run by run with the same seeds.

    Parameters
    ----------
    a, b : Scenario, str, path or Results
        What is compared: b with a; a scenario, the path of its file, or its runs. Results must have the
        same seeds.
    runs : int, optional
        How many pairs of runs.
    seed : int, optional
        The seed of the first pair; by default what `a` says.
    columns : list of str, optional
        Which columns of :meth:`Results.table` are compared; by default goodput, completion, delays, stalls,
        blocking and reordering of each flow, and the flows' fairness.
    threads : int, optional
        On how many threads.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> a = anabranch.Scenario.load("scenarios/wifi-lte.toml").set("link.wifi.loss", 0.01)
    >>> b = a.set("flow.main.sctp.scheduler", "ecf")
    >>> table = anabranch.compare(a, b, runs=5).table()
    >>> table.loc["main.goodput_bps", "n"]
    np.int64(5)
    """
    if seed is None:
        seed = int((a.scenario if isinstance(a, Results) else scenario_of(a))["run.seed"])
    first = a if isinstance(a, Results) else run(a, runs=runs, seed=seed, threads=threads)
    second = b if isinstance(b, Results) else run(b, runs=len(first), seed=first.seeds[0], threads=threads)
    if first.seeds != second.seeds:
        raise ValueError("results are compared in pairs: both need the same seeds in the same order")
    return Comparison(first, second, columns)


def _row(a: pd.Series[float], b: pd.Series[float]) -> dict[str, float]:
    both = a.notna() & b.notna()
    a, b = a[both].astype(float), b[both].astype(float)
    first, second, difference = Estimate.of(a), Estimate.of(b), Estimate.of(b - a)
    ratio = ratio_of_means(a, b)
    return {
        "a": first.mean,
        "b": second.mean,
        "difference": difference.mean,
        "difference_ci95": difference.ci95,
        "ratio": ratio.mean,
        "ratio_ci95": ratio.ci95,
        "n": first.n,
    }
