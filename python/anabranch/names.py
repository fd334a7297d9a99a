"""Names that are not there, with the nearest that is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(kind: str, name: object, known: Iterable[str]) -> KeyError:
    """The error for a name that is not among the known ones.

    Parameters
    ----------
    kind : str
        What it should be the name of: ``column``, ``setting``.
    name : str
        What was asked for.
    known : list of str
        What there is.

    Returns
    -------
    KeyError
        It names the nearest known name, where one is near.

    Examples
    --------
    >>> from anabranch.names import unknown
    >>> unknown("column", "main.goodput", ["seed", "main.goodput_bps"])
    KeyError("there is no column 'main.goodput'; did you mean 'main.goodput_bps'?")
    """
    near = difflib.get_close_matches(str(name), list(known), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return KeyError(f"there is no {kind} {name!r}{hint}")
