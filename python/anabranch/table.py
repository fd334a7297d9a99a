"""A table of results, in Arrow's columns, as it comes from the core without a copy."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from anabranch.labels import with_unit
from anabranch.names import unknown

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


SHOWN = 20
"""The rows and columns that a notebook shows."""


class ArrowStream(Protocol):
    """Whatever gives a table by Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Table:
    """Rows of named columns, each with its unit and its meaning.

    A table is what :func:`anabranch.sweep`, :meth:`Results.table` and :func:`anabranch.trace` give. pandas,
    Polars, DuckDB and whatever else reads Arrow's PyCapsule interface take it as it is.

    Examples
    --------
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
    >>> table = anabranch.run(scenario, runs=3).table()
    >>> len(table), table.columns[:3]
    (3, ['seed', 'program', 'time_s'])
    >>> table.unit("main.goodput_bps")
    'bit/s'
    >>> f"{table.to_pandas()['main.goodput_bps'].mean() / 1e6:.1f} Mbit/s"
    '22.6 Mbit/s'
    """

    __module__ = "anabranch"

    def __init__(self, source: ArrowStream) -> None:
        import pyarrow as pa

        self._arrow: pa.Table = pa.table(source)

    def to_arrow(self) -> pa.Table:
        """The table of pyarrow.

        Returns
        -------
        pyarrow.Table
            It shares the memory of this table.
        """
        return self._arrow

    def to_pandas(self) -> pd.DataFrame:
        """The table of pandas.

        Returns
        -------
        pandas.DataFrame
            Missing values are NaN, in columns of whole numbers too, which are then floats.
        """
        frame: pd.DataFrame = self._arrow.to_pandas()
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._arrow.__arrow_c_stream__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        names: list[str] = self._arrow.column_names
        return names

    def unit(self, column: str) -> str:
        """The unit of a column; empty for words and plain numbers."""
        return self._about(column, b"unit")

    def meaning(self, column: str) -> str:
        """The meaning of a column."""
        return self._about(column, b"meaning")

    def _about(self, column: str, key: bytes) -> str:
        metadata = self._arrow.schema.field(self._known(column)).metadata or {}
        said: bytes = metadata.get(key, b"")
        return said.decode()

    def select(self, columns: Iterable[str]) -> Table:
        """A table of some of the columns, which shares their memory."""
        return Table(self._arrow.select([self._known(column) for column in columns]))

    def __getitem__(self, column: str) -> pd.Series[Any]:
        """A column as a series of pandas."""
        series: pd.Series[Any] = self._arrow.column(self._known(column)).to_pandas()
        return series.rename(column)

    def _known(self, column: str) -> str:
        if column not in self.columns:
            raise unknown("column", column, self.columns)
        return column

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file.

        Parameters
        ----------
        path : str or path
            Its ending says how: ``.parquet``, ``.arrow`` (also called Feather) or ``.csv``.
        """
        ending = Path(path).suffix.lower()
        if ending == ".parquet":
            import pyarrow.parquet as parquet

            parquet.write_table(self._arrow, path)
        elif ending in (".arrow", ".feather"):
            import pyarrow.feather as feather

            feather.write_feather(self._arrow, os.fspath(path))
        elif ending == ".csv":
            import pyarrow.csv as csv

            csv.write_csv(self._arrow, path)
        else:
            raise ValueError(
                f"a table is written as .parquet, .arrow or .csv, not {ending or 'without an ending'}"
            )

    def equals(self, other: Table) -> bool:
        """Compare columns, types and values, in their order."""
        return bool(self._arrow.equals(other._arrow, check_metadata=True))

    def __len__(self) -> int:
        return int(self._arrow.num_rows)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows and {len(self.columns)} columns>\n{self.to_pandas()}"

    def _repr_html_(self) -> str:
        heads = {column: with_unit(column, self.unit(column)) for column in self.columns}
        return str(self.to_pandas().rename(columns=heads).to_html(max_rows=SHOWN, max_cols=SHOWN))
