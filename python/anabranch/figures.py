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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anabranch import _native, plots
from anabranch.executors import run_all
from anabranch.progress import progress_bar

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BATCH = 4
"""How many runs a batch has: a second or so of most figures."""


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
        A row a point: ``series``, ``source`` (``simulated``, ``computed``, ``given`` by a model, a paper or
        another program, ``timed``), ``x``, ``mean``, ``ci95``, ``n``.
    x, y : str
        What the axes show.
    is_logarithmic : bool
        Whether the axis of x is.
    """

    title: str
    file: str
    curves: pd.DataFrame
    x: str
    y: str
    is_logarithmic: bool

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves: what was simulated with its 95 % interval, what is given as dashed lines."""
        axes = ax or plots.new_axes()
        for index, (name, points) in enumerate(self.curves.groupby("series", sort=False)):
            points = points.sort_values("x")
            is_given = bool((points["source"] == "given").all())
            marker = plots.MARKERS[index % len(plots.MARKERS)]
            style: dict[str, Any] = {"linestyle": "--", "fillstyle": "none"} if is_given else {}
            (line,) = axes.plot(points["x"], points["mean"], marker=marker, label=str(name), **style)
            low, high = points["mean"] - points["ci95"], points["mean"] + points["ci95"]
            axes.fill_between(points["x"], low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        if self.is_logarithmic:
            axes.set_xscale("log")
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        axes.set_title(self.title, fontsize="medium", loc="left")
        axes.legend()
        return axes


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
        panels = [
            Panel(
                title=panel["title"],
                file=panel["file"],
                curves=pd.DataFrame(panel["rows"]),
                x=panel["x"],
                y=panel["y"],
                is_logarithmic=panel["is_logarithmic"],
            )
            for panel in json.loads(curves)
        ]
        return cls(said["figure"], said["title"], said["verdict"], pd.DataFrame(said["claims"]), panels)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Draw every panel into a folder, as SVG and as PDF.

        Returns
        -------
        list of pathlib.Path
            The files.
        """
        import matplotlib.pyplot as plt

        files = []
        for panel in self.panels:
            with plots.style():
                axes = panel.plot()
                files += plots.save(axes, Path(folder) / panel.file)
                plt.close(axes.figure)  # type: ignore[arg-type]
        return files

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
        Figures or panels, such as ``"IY-F5"`` and ``"WS-F13"``; the figure of a panel is run as a whole.
    executor : concurrent.futures.Executor, optional
        What runs the batches; by default the cores of this machine, in this process. Verdicts and curves do
        not depend on it. What is read from runs on their way, and what a machine takes for a computation, is
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
    with progress_bar("runs") as show:
        if executor is not None:
            run_all(executor, run_batch, study.batches(BATCH), study.accept, retries, show)
        return Figures(Figure._of(*judged) for judged in study.judge(show))


def run_batch(batch: bytes) -> str:
    """Run a batch of a figure; any process with this package can."""
    return _native.run_figure_batch(batch)
