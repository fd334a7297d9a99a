"""Sweeps over grids of settings: on the cores of this machine, or on whatever an executor reaches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor

from anabranch import _native
from anabranch.executors import drive, kept_in
from anabranch.progress import Show, progress_bar
from anabranch.scenario import ScenarioLike, scenario_of
from anabranch.table import Table
from anabranch.values import Value, text_of


def sweep(
    scenario: ScenarioLike,
    values: Mapping[str, Iterable[Value] | str],
    runs: int | None = None,
    until: float | None = None,
    out: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    *,
    seed: int | None = None,
    zip: bool = False,
    threads: int | None = None,
    retries: int = 3,
) -> Table:
    """Run a scenario at every point of a grid.

    Every point has the same seeds, so that points compare in pairs. The table is the same to the byte
    whatever runs it: one thread, all cores, or many machines of which some die.

    Parameters
    ----------
    scenario : Scenario, str or path
        What is run: a scenario, or the path of its file.
    values : dict of str to list
        The values of each key. A text is taken as by the program: ``"1 ms..80 ms:5"`` are five values in
        equal steps, ``"0.0001..0.01:3 log"`` three in equal ratios.
    runs : int, optional
        How many replications a point has; by default what the scenario says. With `until`, the least number.
    until : float, optional
        Run each point until half the 95 % interval of every flow's goodput is within this fraction of its
        mean.
    out : str or path, optional
        A folder that keeps finished runs and the table. The same call again continues where the last one
        ended, and a larger grid makes only the runs that are missing.
    executor : concurrent.futures.Executor, optional
        What runs the batches, each about a second of work: a pool of processes, or Dask's
        ``client.get_executor()`` for many machines. By default the cores of this machine, in this process.
    seed : int, optional
        The seed of each point's first run; by default what the scenario says.
    zip : bool, optional
        Take the first values of all keys, then the second ones, and so on, in place of every combination.
    threads : int, optional
        On how many threads of this machine, without `executor`; by default one a core.
    retries : int, optional
        How often a batch is sent again because its worker died.

    Returns
    -------
    Table
        One row a run: ``point``, the keys of `values`, ``seed``, ``program``, and the columns of
        :meth:`Results.table`.

    Raises
    ------
    ScenarioError
        The scenario is wrong at some point. Nothing was run.
    WorkerError
        A batch lost its worker more than `retries` times.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml").set("flow.main.transfer", "500 kB")
    >>> table = anabranch.sweep(
    ...     scenario,
    ...     {"link.wifi.loss": [0, 0.01], "flow.main.sctp.scheduler": ["round-robin", "ecf"]},
    ...     runs=2,
    ... )
    >>> frame = table.to_pandas()
    >>> frame.groupby(["link.wifi.loss", "flow.main.sctp.scheduler"])["main.completion_s"].count().tolist()
    [2, 2, 2, 2]
    """
    for key in {"run.seed", "run.runs"} & set(values):
        raise ValueError(f"{key} is the same for all points of a sweep: use {key.removeprefix('run.')}=")
    base = {"run.runs": runs, "run.seed": seed}
    scenario = scenario_of(scenario).set({key: value for key, value in base.items() if value is not None})
    axes = [(key, _axis(each)) for key, each in values.items()]
    folder = None if out is None else os.fspath(out)
    native = _native.Sweep(scenario._native, axes, zip, until, folder)
    with kept_in(folder), progress_bar("runs") as show:
        _run(native, executor, threads, retries, show)
        native.write()
    return Table(native.table())


def _axis(values: Iterable[Value] | str) -> str | list[str]:
    return values if isinstance(values, str) else [text_of(value) for value in values]


def _run(
    native: _native.Sweep, executor: Executor | None, threads: int | None, retries: int, show: Show
) -> None:
    if executor is None:
        native.run_here(threads, show)
    else:
        drive(native, executor, retries, show)
