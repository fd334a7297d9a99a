"""The events of one run, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anabranch import _native, markup
from anabranch.scenario import ScenarioLike, scenario_of
from anabranch.table import Table


class Trace(Mapping[str, Table]):
    """The tables of one run. :func:`anabranch.trace` gives them.

    Attributes
    ----------
    paths : Table
        A row at each change of a path: windows, times, state.
    links : Table
        A row at each change of a queue.
    packets : Table
        A row at each step of a packet: sent, arrived or lost.
    frames : Table
        A row for each frame of a radio station; empty without a mesh.
    """

    __module__ = "anabranch"

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = dict(tables)
        self.paths = self._tables["paths"]
        self.links = self._tables["links"]
        self.packets = self._tables["packets"]
        self.frames = self._tables["frames"]

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<Trace: {', '.join(f'{len(table)} {name}' for name, table in self.items())}>"

    def _repr_html_(self) -> str:
        rows = ((name, f"{len(table):,}", ", ".join(table.columns)) for name, table in self.items())
        return markup.table(("table", "rows", "columns"), rows)


def trace(scenario: ScenarioLike, seed: int | None = None) -> Trace:
    """Run a scenario once and keep what happens.

    Parameters
    ----------
    scenario : Scenario, str or path
        What is run: a scenario, or the path of its file. A second at 10 Mbit/s makes some 5,000 rows of
        packets.
    seed : int, optional
        By default what the scenario says.

    Returns
    -------
    Trace
        The tables have the columns of ``anabranch sim --trace``, and words as categories.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
    >>> paths = anabranch.trace(scenario).paths.to_pandas()
    >>> wifi = paths[paths["path"] == "wifi"]
    >>> wifi["cwnd_bytes"].max() > wifi["cwnd_bytes"].iloc[0]
    np.True_
    """
    found = scenario_of(scenario)
    found = found if seed is None else found.set("run.seed", seed)
    return Trace({name: Table(batches) for name, batches in _native.trace(found._native)})
