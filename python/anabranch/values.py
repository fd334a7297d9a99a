"""Values of Python as the text of a setting, which is TOML."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Value: TypeAlias = "str | bool | int | float | datetime.timedelta | Sequence[Value] | Mapping[str, Value]"
"""The value of a setting: text like ``"10 Mbit/s"``, a number, a truth value, a span, a list or a table."""


def text_of(value: object) -> str:
    """The value as the program's ``--set KEY=VALUE`` takes it.

    Parameters
    ----------
    value : Value
        Text stands for itself; everything else becomes TOML. Scalars of NumPy are taken as Python's.

    Examples
    --------
    >>> text_of("10 Mbit/s"), text_of(0.01), text_of(True), text_of([60, 27])
    ('10 Mbit/s', '0.01', 'true', '[60, 27]')
    >>> text_of({"kind": "bernoulli", "probability": 1e-3})
    '{ kind = "bernoulli", probability = 0.001 }'
    """
    plain = _plain(value)
    return plain if isinstance(plain, str) else _toml(plain)


def _plain(value: object) -> object:
    """A scalar of NumPy as Python's own; other values as they are."""
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds():.9f} s"
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else value


def _toml(value: object) -> str:
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, Sequence) or hasattr(value, "tolist"):
        inner = value.tolist() if not isinstance(value, Sequence) else value
        return "[" + ", ".join(_toml(each) for each in inner) + "]"
    raise TypeError(f"a setting cannot be a {type(value).__name__}: {value!r}")
