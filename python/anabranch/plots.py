"""Pictures by matplotlib, of many runs and of one: means with bands, distributions, ratios, boxes, traces.

Every function but :func:`trace` takes a table of :func:`anabranch.sweep` or :meth:`Results.table`, or a frame
of pandas, draws into an axes and returns it. Axes of tables are labelled in words, with the unit. Colours and
markers are those that readers of every colour vision tell apart.

>>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml").set("flow.main.transfer", "500 kB")
>>> table = anabranch.sweep(scenario, {"link.lte.loss": [0.001, 0.01]}, runs=3)
>>> axes = anabranch.plots.mean_band(table, "link.lte.loss", "main.goodput_bps", logx=True)
>>> axes.get_ylabel()
'goodput of main (Mbit/s)'
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anabranch.labels import with_unit, words
from anabranch.names import unknown
from anabranch.results import Estimate, ratio_of_means
from anabranch.table import Table
from anabranch.traces import Trace

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

__all__ = [
    "STYLE",
    "box",
    "cdf",
    "line_with_band",
    "mean_band",
    "new_axes",
    "paired_ratio",
    "save",
    "style",
    "trace",
]

STYLE = Path(__file__).with_name("anabranch.mplstyle")
"""The one style of all pictures, a file that ``matplotlib.pyplot.style.use`` takes too."""

MARKERS = "osD^vPX*"

SCALES = {"bit/s": (1e6, "Mbit/s"), "B": (1e3, "kB")}
"""By what a unit is divided to be read, and what it is called then."""

TIMES = (1e-3, "ms")
"""The same for times of a path."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of this package: ``with anabranch.plots.style(): …``.

    Examples
    --------
    >>> with anabranch.plots.style():
    ...     axes = anabranch.plots.new_axes()
    >>> axes.figure.get_size_inches().tolist()
    [5.5, 3.4]
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with plt.style.context(STYLE):
        yield
        is_interactive = mpl.is_interactive()
    # The first figure of a notebook switches it on; it does not belong to a style.
    mpl.interactive(is_interactive)


def new_axes() -> Axes:
    """An axes on a figure of its own, in the style of this package."""
    import matplotlib.pyplot as plt

    with style():
        axes: Axes = plt.subplots()[1]
    return axes


def mean_band(
    data: Table | pd.DataFrame,
    x: str,
    y: str,
    by: str | None = None,
    ax: Axes | None = None,
    *,
    logx: bool = False,
) -> Axes:
    """The mean of a column over another, with its 95 % interval as a band.

    Parameters
    ----------
    data : Table or pandas.DataFrame
        One row a run.
    x : str
        A column of numbers or of quantities such as ``"20 ms"``, often one of the settings of a sweep.
    y : str
        What is drawn.
    by : str, optional
        A column whose values are curves of their own.
    ax : matplotlib.axes.Axes, optional
        Where it is drawn; by default on a figure of its own.
    logx : bool, optional
        Whether the axis of `x` is logarithmic.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"loss": [0.1, 0.1, 0.2, 0.2], "goodput": [9.0, 11.0, 4.0, 6.0]})
    >>> axes = anabranch.plots.mean_band(runs, "loss", "goodput")
    >>> axes.lines[0].get_ydata().tolist()
    [10.0, 5.0]
    """
    frame, scale, label = _of(data, y)
    axes = ax or new_axes()
    place = _Places(frame[x], data.unit(x) if isinstance(data, Table) else "")
    for index, (name, part) in enumerate(_curves(frame, by)):
        estimates = {
            place[value]: Estimate.of(rows[y] / scale) for value, rows in part.groupby(x, sort=False)
        }
        at = np.array(sorted(estimates))
        mean = np.array([estimates[each].mean for each in at])
        half = np.nan_to_num([estimates[each].ci95 for each in at])
        line_with_band(axes, at, mean, half, label=name, marker=MARKERS[index % len(MARKERS)])
    if logx:
        axes.set_xscale("log")
    return _labelled(axes, place.label(_said(data, x)), label, _titled(data, by))


def line_with_band(axes: Axes, x: ArrayLike, mean: ArrayLike, half: ArrayLike, **style: Any) -> Line2D:
    """Draw a line of means, and a band of half-widths around it in its colour.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where it is drawn.
    x, mean, half : array_like
        The places, the means, and the halves of their intervals.
    **style
        What :meth:`matplotlib.axes.Axes.plot` takes: ``label``, ``marker``, ``linestyle`` and others.

    Returns
    -------
    matplotlib.lines.Line2D
    """
    (line,) = axes.plot(x, mean, **style)
    low, high = np.subtract(mean, half), np.add(mean, half)
    axes.fill_between(np.asarray(x), low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    return line


def cdf(data: Table | pd.DataFrame, column: str, by: str | None = None, ax: Axes | None = None) -> Axes:
    """The share of the runs in which a column is at most so large.

    Parameters
    ----------
    data : Table or pandas.DataFrame
        One row a run.
    column : str
        What is drawn. Rows without a value count in the whole: the curve of a transfer that half of the runs
        complete ends at one half.
    by : str, optional
        A column whose values are curves of their own.
    ax : matplotlib.axes.Axes, optional
        Where it is drawn.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> axes = anabranch.plots.cdf(pd.DataFrame({"stall_s": [0.2, 0.1, None, 0.4]}), "stall_s")
    >>> axes.lines[0].get_ydata().tolist()
    [0.0, 0.25, 0.5, 0.75]
    """
    frame, scale, label = _of(data, column)
    axes = ax or new_axes()
    for name, part in _curves(frame, by):
        values = np.sort(part[column].dropna().to_numpy(dtype=float)) / scale
        shares = np.arange(1, len(values) + 1) / len(part)
        start = values[:1]
        axes.plot(
            np.concatenate([start, values]),
            np.concatenate([np.zeros(len(start)), shares]),
            drawstyle="steps-post",
            label=name,
        )
    axes.set_ylim(0, 1.02)
    _labelled(axes, label, "share of the runs", _titled(data, by))
    return axes


def paired_ratio(
    data: Table | pd.DataFrame,
    x: str,
    y: str,
    by: str,
    baseline: Hashable,
    ax: Axes | None = None,
) -> Axes:
    """The ratio of a column with one setting to that with another, run by run with the same seeds.

    Parameters
    ----------
    data : Table or pandas.DataFrame
        One row a run, with a column ``seed``.
    x : str
        The column along the axis.
    y : str
        What is compared.
    by : str
        The setting whose values are compared.
    baseline : object
        The value of `by` that is one.
    ax : matplotlib.axes.Axes, optional
        Where it is drawn.

    Returns
    -------
    matplotlib.axes.Axes
        Ratios of means with their 95 % intervals as bars, and a line at one.

    Raises
    ------
    ValueError
        No row has the baseline.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"seed": [1, 2, 1, 2], "loss": 0.1, "policy": ["a", "a", "b", "b"], "rate": [1.0, 2.0, 2.0, 4.0]}
    ... )
    >>> axes = anabranch.plots.paired_ratio(runs, "loss", "rate", by="policy", baseline="a")
    >>> axes.containers[0].lines[0].get_ydata().tolist()
    [2.0]
    """
    frame = _of(data, y)[0]
    if not (frame[by] == baseline).any():
        raise ValueError(f"no row has {by} = {baseline!r}; there are {list(frame[by].unique())}")
    axes = ax or new_axes()
    axes.axhline(1.0, color="0.5", linewidth=0.8)
    base = frame[frame[by] == baseline].set_index([x, "seed"])[y]
    others = [(name, part) for name, part in frame.groupby(by, sort=False) if name != baseline]
    place = _Places(frame[x], data.unit(x) if isinstance(data, Table) else "")
    for index, (name, part) in enumerate(others):
        ratios = {}
        for value, rows in part.groupby(x, sort=False):
            of_seed = rows.set_index("seed")[y].rename("b")
            pairs = base.xs(value, level=x).to_frame("a").join(of_seed, how="inner")
            ratios[place[value]] = ratio_of_means(pairs["a"], pairs["b"])
        axes.errorbar(
            list(ratios),
            [ratio.mean for ratio in ratios.values()],
            yerr=np.nan_to_num([ratio.ci95 for ratio in ratios.values()]),
            marker=MARKERS[index % len(MARKERS)],
            linestyle="none",
            capsize=3,
            label=str(name),
        )
    return _labelled(
        axes, place.label(_said(data, x)), f"{_said(data, y)}, times that of {baseline}", _titled(data, by)
    )


def box(data: Table | pd.DataFrame, y: str, by: str, ax: Axes | None = None) -> Axes:
    """The spread of a column over the runs of each setting: median, quartiles, and every run beyond.

    Parameters
    ----------
    data : Table or pandas.DataFrame
        One row a run.
    y : str
        What is drawn.
    by : str
        The column whose values have a box each.
    ax : matplotlib.axes.Axes, optional
        Where it is drawn.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"policy": ["a", "a", "b", "b"], "rate": [1.0, 2.0, 2.0, 4.0]})
    >>> [tick.get_text() for tick in anabranch.plots.box(runs, "rate", by="policy").get_xticklabels()]
    ['a', 'b']
    """
    frame, scale, label = _of(data, y)
    axes = ax or new_axes()
    parts = [(str(name), part[y].dropna() / scale) for name, part in frame.groupby(by, sort=False)]
    axes.boxplot([values for _, values in parts], tick_labels=[name for name, _ in parts])
    return _labelled(axes, _titled(data, by) or by, label, None)


def trace(
    data: Trace,
    column: str = "cwnd_bytes",
    ax: Axes | None = None,
) -> Axes:
    """A quantity of one run over time, a line for each path, or for each direction of a link.

    Parameters
    ----------
    data : Trace
        What :func:`anabranch.trace` gives.
    column : str, optional
        A column of numbers of the paths, such as ``cwnd_bytes``, ``srtt_s`` or ``delivery_bps``, as their
        sender sees it, or of the links, such as ``queue_packets``.
    ax : matplotlib.axes.Axes, optional
        Where it is drawn.

    Returns
    -------
    matplotlib.axes.Axes
        Values hold until they change.

    Raises
    ------
    KeyError
        Neither the paths nor the links have such a column.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml").set("run.time", "3 s")
    >>> axes = anabranch.plots.trace(anabranch.trace(scenario), "srtt_s")
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('time (s)', 'srtt (ms)')
    """
    table = next((table for table in (data.paths, data.links) if column in table.columns), None)
    if table is None:
        raise unknown("column", column, data.paths.columns + data.links.columns)
    frame = table.to_pandas()
    scale, unit = (
        TIMES if table.unit(column) == "s" else SCALES.get(table.unit(column), (1.0, table.unit(column)))
    )
    axes = ax or new_axes()
    if table is data.paths:
        keys = ["flow", "path", "host"]
        # The end that sends nothing has windows that never change.
        frame = frame[frame.groupby(keys, sort=False, observed=True)["flight_bytes"].transform("max") > 0]
    else:
        keys = ["link", "direction"]
    for name, part in frame.groupby(keys, sort=False, observed=True):
        shown = part[["at_s", column]].dropna()
        axes.plot(
            shown["at_s"], shown[column] / scale, drawstyle="steps-post", label=_line(frame, keys, name)
        )
    return _labelled(axes, "time (s)", with_unit(words(column), unit), "" if len(axes.lines) > 1 else None)


def _line(frame: pd.DataFrame, keys: list[str], name: tuple[Hashable, ...]) -> str:
    """The name of a line: the keys in which lines differ."""
    differing = [str(part) for key, part in zip(keys, name, strict=True) if frame[key].nunique() > 1]
    return " ".join(differing) or str(name[0])


def save(drawn: Axes | Figure, path: str | os.PathLike[str]) -> list[Path]:
    """Write a picture as SVG and as PDF.

    Parameters
    ----------
    drawn : matplotlib.axes.Axes or matplotlib.figure.Figure
        What is written.
    path : str or path
        The file, with or without an ending. Equal pictures give equal bytes.

    Returns
    -------
    list of pathlib.Path
        The two files.
    """
    import matplotlib as mpl

    figure: Any = getattr(drawn, "figure", drawn)
    files = [Path(path).with_suffix(ending) for ending in (".svg", ".pdf")]
    files[0].parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "anabranch"}):
        figure.savefig(files[0], metadata={"Date": None})
    figure.savefig(files[1], metadata={"CreationDate": None})
    return files


def _of(data: Table | pd.DataFrame, column: str) -> tuple[pd.DataFrame, float, str]:
    """The frame, by what `column` is divided, and what its axis is called."""
    if not isinstance(data, Table):
        return data, 1.0, column
    unit = data.unit(column)
    scale, shown = SCALES.get(unit, (1.0, unit))
    return data.to_pandas(), scale, with_unit(words(column), shown)


def _said(data: Table | pd.DataFrame, column: str) -> str:
    """A column of a table in words; the columns of a frame have the names that their owner gave them."""
    return words(column) if isinstance(data, Table) else column


def _curves(frame: pd.DataFrame, by: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    if by is None:
        yield "", frame
    else:
        yield from ((str(name), part) for name, part in frame.groupby(by, sort=False))


class _Places:
    """Where a column's values stand on an axis: numbers, or quantities such as ``"20 ms"`` in one unit."""

    def __init__(self, column: pd.Series[Any], unit: str) -> None:
        self._places: dict[Hashable, float] = {}
        units: set[str] = set()
        for value in column.unique():
            number, _, own_unit = str(value).partition(" ")
            try:
                self._places[value] = float(number)
            except ValueError:
                raise ValueError(
                    f"{value!r} of {column.name} is not a number: draw it with box, or by="
                ) from None
            units.add(own_unit or unit)
        if len(units) > 1:
            raise ValueError(f"{column.name} is in {' and in '.join(sorted(units))}: give all in one unit")
        self._unit = units.pop() if units else ""

    def __getitem__(self, value: Hashable) -> float:
        return self._places[value]

    def label(self, said: str) -> str:
        return with_unit(said, self._unit)


def _labelled(axes: Axes, x: str, y: str, by: str | None) -> Axes:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if by is not None:
        axes.legend(title=by)
    return axes


def _titled(data: Table | pd.DataFrame, by: str | None) -> str | None:
    """The title of the legend of `by`: with its unit."""
    if by is None or not isinstance(data, Table):
        return by
    return with_unit(words(by), data.unit(by))
