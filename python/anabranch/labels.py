"""Names of columns and settings in words, for the axes of pictures and the heads of tables."""

from __future__ import annotations

SCOPES = ("link", "path", "node", "flow", "event")
"""The first parts of settings that belong to something with a name."""

UNITS = {"bps", "s", "bytes", "packets"}
"""The last words of names that only say the unit."""

PERCENTILES = {"p50": "median", "p95": "95 % quantile", "p99": "99 % quantile", "max": "longest"}


def words(column: str) -> str:
    """A column or a setting in words.

    Parameters
    ----------
    column : str
        A column of results such as ``main.goodput_bps``, or a setting such as ``link.lte.loss``.

    Returns
    -------
    str
        What it is, and of what; a name that has no parts stays as it is, without underscores and unit.

    Examples
    --------
    >>> from anabranch.labels import words
    >>> words("main.goodput_bps"), words("main.delay_s.p95"), words("link.lte.loss")
    ('goodput of main', '95 % quantile of the delay of main', 'loss of link lte')
    """
    parts = column.split(".")
    if parts[0] in SCOPES and len(parts) > 2:
        owners, rest = [f"{parts[0]} {parts[1]}"], parts[2:]
        # `sctp` in `flow.main.sctp.scheduler` says only which settings those are.
        rest = rest[1:] if rest[0] == "sctp" and len(rest) > 1 else rest
        return _of(" ".join(_plain(part) for part in rest), owners)
    quantile = PERCENTILES.get(parts[-1]) if len(parts) > 1 else None
    parts = parts[:-1] if quantile else parts
    quantity = _plain(parts[-1])
    said = f"{quantile} of the {quantity}" if quantile else quantity
    return _of(said, list(reversed(parts[:-1])))


def with_unit(said: str, unit: str) -> str:
    """Words with a unit behind them, if there is one."""
    return f"{said} ({unit})" if unit else said


def _of(quantity: str, owners: list[str]) -> str:
    return " of ".join([quantity, *owners])


def _plain(part: str) -> str:
    """One part without its unit: ``goodput_bps`` is ``goodput``."""
    found = part.replace("-", " ").split("_")
    found = found[:-1] if len(found) > 1 and found[-1] in UNITS else found
    return " ".join(found)
