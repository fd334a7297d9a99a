"""The papers' figures: which there are, their runs on any executor, their verdicts, tables and pictures.

>>> anabranch.figures.panels().loc["IY-F5a", "figure"]
'IY-F5'
>>> study = anabranch.figures.run("IY-F4", scale="quick")
>>> study["IY-F4"].verdict in ("REPRODUCED", "PARTIAL", "NOT REPRODUCED", "INCONCLUSIVE")
True
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anabranch import _native, plots
from anabranch.executors import kept_in, run_all
from anabranch.progress import progress_bar

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["Figure", "Figures", "Panel", "Stated", "panels", "read", "run"]

BATCH_S = 1.0
"""The length of a batch, in seconds of one processor."""


def panels() -> pd.DataFrame:
    """Every panel with results of the papers.

    Returns
    -------
    pandas.DataFrame
        By the panel's name: ``title``, the ``figure`` that runs it, and the ``verdict`` of the full scale.

    Examples
    --------
    >>> len(anabranch.figures.panels())
    61
    """
    import pandas as pd

    columns = ["panel", "title", "figure", "verdict"]
    return pd.DataFrame(_native.figure_panels(), columns=columns).set_index("panel")


NS2 = "ns-2"

FEW = 3
"""The number of curves that have their names within the picture."""

WIDE = (7.5, 3.4)
"""Inches of a picture with the names beside it."""

SOURCES: dict[str, dict[str, Any]] = {
    "model": {"linestyle": "--", "fillstyle": "none"},
    NS2: {"linestyle": ":", "linewidth": 0.9, "fillstyle": "none"},
    "paper": {"linestyle": "none", "marker": "x"},
}
"""The lines of curves that were not simulated here."""


@dataclass(frozen=True)
class Stated:
    """The range that a claim of a paper states for the values of a panel.

    Attributes
    ----------
    claim : str
        The claim.
    series : list of str
        Which curves.
    places : tuple of float
        From where to where along x.
    low, high : float or None
        The range, with its tolerance; None where an end is open.
    """

    claim: str
    series: list[str]
    places: tuple[float, float]
    low: float | None
    high: float | None

    def draw(self, axes: Axes, label: str | None = None) -> None:
        """Draw the range as a grey area, an open one as the line at its end."""
        left, right = self.places
        ends = [end for end in (self.low, self.high) if end is not None]
        if len(ends) == 1:
            at = "v" if self.low is None else "^"
            line = {"color": "0.4", "linewidth": 0.9, "linestyle": "-.", "marker": at}
            axes.plot([left, right], 2 * ends, label=label, **line)  # type: ignore[arg-type]
        elif left == right:
            bar = {"color": "0.3", "linewidth": 5, "alpha": 0.25, "solid_capstyle": "butt"}
            axes.plot([left, left], ends, label=label, **bar)  # type: ignore[arg-type]
        else:
            low, high = ends
            axes.fill_between([left, right], low, high, color="0.3", alpha=0.15, linewidth=0, label=label)


@dataclass(frozen=True)
class Panel:
    """A panel's curves.

    Attributes
    ----------
    title : str
        What it shows.
    file : str
        What its files are called, without an ending.
    curves : pandas.DataFrame
        A row a point: ``series``, ``source`` (``simulated``, ``computed`` from runs, a ``model``, runs of
        ``ns-2``, the ``paper``, ``timed`` on a machine), ``x``, ``mean``, ``ci95``, ``n``.
    x, y : str
        What the axes show.
    is_logarithmic : bool
        Whether the axis of x is.
    stated : list of Stated
        What claims of the paper ask of the values.
    """

    title: str
    file: str
    curves: pd.DataFrame
    x: str
    y: str
    is_logarithmic: bool
    stated: list[Stated] = field(default_factory=list)

    @classmethod
    def _of(cls, panel: dict[str, Any], curves: pd.DataFrame) -> Panel:
        return cls(
            title=panel["title"],
            file=panel["file"],
            curves=curves,
            x=panel["x"],
            y=panel["y"],
            is_logarithmic=panel["is_logarithmic"],
            stated=[
                Stated(one["claim"], one["series"], (one["from"], one["to"]), one["low"], one["high"])
                for one in panel["stated"]
            ],
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves with their 95 % intervals, and what the paper states of them.

        Simulated curves have full lines and bands; a model has dashed lines, ns-2 dotted ones with hollow
        markers and bars, the paper crosses. The range of a claim is a grey area.
        """
        axes = ax or plots.new_axes()
        lines: dict[str, Line2D] = {}
        for name, points in self.curves.groupby("series", sort=False):
            source = str(points["source"].iloc[0])
            # What others say of a curve has its colour.
            alike = lines.get(str(name).partition(f", {NS2}")[0].removesuffix(" stated"))
            marker = alike.get_marker() if alike else plots.MARKERS[len(lines) % len(plots.MARKERS)]
            colour = alike.get_color() if alike else f"C{len(lines)}"
            style = {"marker": marker, "color": colour, "label": str(name), **SOURCES.get(source, {})}
            points = points.sort_values("x")
            at, mean, half = points["x"], points["mean"], points["ci95"]
            if source == NS2 or len(points) == 1:
                lines[str(name)] = axes.errorbar(at, mean, half, capsize=2, elinewidth=0.8, **style).lines[0]
            else:
                lines[str(name)] = plots.line_with_band(axes, at, mean, half, **style)
        areas = {(stated.places, stated.low, stated.high): stated for stated in self.stated}
        for index, stated in enumerate(areas.values()):
            stated.draw(axes, label="asked by the claims" if index == 0 else None)
        if self.is_logarithmic:
            axes.set_xscale("log")
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        axes.set_title(self.title, fontsize="medium", loc="left")
        if len(axes.get_legend_handles_labels()[1]) > FEW:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
            if ax is None:
                axes.figure.set_size_inches(WIDE)  # type: ignore[union-attr]
        else:
            axes.legend()
        return axes

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Draw the panel into a folder, as SVG and as PDF.

        Returns
        -------
        list of pathlib.Path
            The two files.
        """
        import matplotlib.pyplot as plt

        with plots.style():
            axes = self.plot()
            files = plots.save(axes, Path(folder) / self.file)
            plt.close(axes.figure)  # type: ignore[arg-type]
        return files


@dataclass(frozen=True)
class Figure:
    """A figure that was run and judged.

    Attributes
    ----------
    id : str
        Its name.
    title : str
        What it shows.
    verdict : str or None
        ``REPRODUCED``, ``PARTIAL``, ``NOT REPRODUCED``, ``INCONCLUSIVE`` or ``NOT TESTABLE``; None for a
        figure that judges no paper.
    claims : pandas.DataFrame
        A row a claim: ``panel``, ``id``, ``core``, ``stated``, ``measured``, ``verdict``.
    panels : list of Panel
        Its panels.
    """

    id: str
    title: str
    verdict: str | None
    claims: pd.DataFrame
    panels: list[Panel]

    @classmethod
    def _of(cls, verdicts: str, curves: str) -> Figure:
        import pandas as pd

        said: dict[str, Any] = json.loads(verdicts)
        panels = [Panel._of(panel, pd.DataFrame(panel["rows"])) for panel in json.loads(curves)]
        return cls(said["figure"], said["title"], said["verdict"], pd.DataFrame(said["claims"]), panels)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Draw every panel into a folder, as SVG and as PDF.

        Returns
        -------
        list of pathlib.Path
            The files.
        """
        return [file for panel in self.panels for file in panel.save(folder)]

    def _repr_html_(self) -> str:
        return f"<p>{self.id}: {self.verdict}</p>{self.claims.to_html()}"


class Figures(Mapping[str, Figure]):
    """Figures by their names. :func:`anabranch.figures.run` gives them."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._figures = {figure.id: figure for figure in figures}

    def __getitem__(self, id: str) -> Figure:
        return self._figures[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __repr__(self) -> str:
        return "\n".join(f"{figure.id}: {figure.verdict}" for figure in self.values())


def run(
    ids: str | Iterable[str],
    executor: Executor | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    scale: Literal["full", "quick"] = "full",
    seeds: int | None = None,
    retries: int = 3,
) -> Figures:
    """Run figures of the papers and judge them.

    Parameters
    ----------
    ids : str or list of str
        Figures or panels, such as ``"IY-F5"`` and ``"WS-F13"``; of a panel's figure, what decides about the
        panel is run.
    executor : concurrent.futures.Executor, optional
        What runs the batches; by default the cores of this machine, in this process. Verdicts and curves do
        not depend on it. Values from runs in progress, and times of a machine, are
        always made in this process.
    out : str or path, optional
        A folder that keeps finished runs, the same as that of ``anabranch figures run --out``. The same call
        continues where the last one ended.
    scale : {"full", "quick"}, optional
        Verdicts on the papers come from the full scale; the quick one finds what broke.
    seeds : int, optional
        At most so many a point, at least two.
    retries : int, optional
        How often a batch is sent again because its worker died.

    Returns
    -------
    Figures

    Raises
    ------
    ValueError
        There is no such figure.
    """
    if scale not in ("full", "quick"):
        raise ValueError(f"scale is 'full' or 'quick', not {scale!r}")
    if seeds is not None and seeds < 2:
        raise ValueError(f"seeds is at least 2, not {seeds}")
    names = [ids] if isinstance(ids, str) else list(ids)
    folder = None if out is None else os.fspath(out)
    study = _native.FigureStudy(names, folder, scale == "quick", seeds)
    with kept_in(folder), progress_bar("runs") as show:
        if executor is not None:
            run_all(executor, run_batch, study.batches(BATCH_S), study.accept, retries, show)
        return Figures(Figure._of(*judged) for judged in study.judge(show))


def read(folder: str | os.PathLike[str], ids: Iterable[str] = ()) -> dict[str, list[Panel]]:
    """Read the curves of figures at full scale from a folder, without running anything.

    Parameters
    ----------
    folder : str or path
        Where ``anabranch figures run`` wrote tables, ``DIR/full``, or ``docs/figures`` of the repository.
    ids : list of str, optional
        Figures or panels; by default all that the folder has.

    Returns
    -------
    dict of str to list of Panel
        The panels of each figure whose tables are there.

    Examples
    --------
    >>> curves = anabranch.figures.read("docs/figures", ["YE-F30"])
    >>> curves["YE-F30"][0].curves["source"].unique().tolist()
    ['model']
    """
    import pandas as pd

    found = {}
    for name, outline in _native.figure_outlines([ids] if isinstance(ids, str) else list(ids)):
        panels = [(panel, Path(folder) / f"{panel['file']}.csv") for panel in json.loads(outline)]
        there = [Panel._of(panel, pd.read_csv(file)) for panel, file in panels if file.exists()]
        if there:
            found[name] = there
    return found


def run_batch(batch: bytes) -> str:
    """Run a batch of a figure; any process with this package can."""
    return _native.run_figure_batch(batch)
