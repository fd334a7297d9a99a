"""The reference of settings, from the core's own table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from typing import overload

from anabranch import _native, markup


@dataclass(frozen=True)
class Setting:
    """A key of scenarios, and what the core says of it.

    Attributes
    ----------
    key : str
        The key as :meth:`Scenario.set` takes it, with ``NAME`` for the name of a link, path, node or flow and
        ``N`` for the number of an event.
    values : str
        Which values it takes, in a few words.
    default : str
        Its value unless it is given, as a file has it; empty where another setting decides.
    meaning : str
        What it means.
    """

    key: str
    values: str
    default: str
    meaning: str


class Settings(Sequence[Setting]):
    """Settings as a sequence, which a notebook shows as a table."""

    def __init__(self, settings: Iterable[Setting]) -> None:
        self._all = tuple(settings)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Setting: ...
    @overload
    def __getitem__(self, index: slice) -> Settings: ...
    def __getitem__(self, index: int | slice) -> Setting | Settings:
        return Settings(self._all[index]) if isinstance(index, slice) else self._all[index]

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._all)

    def __repr__(self) -> str:
        width = max((len(setting.key) for setting in self), default=0)
        return "\n".join(f"{setting.key:<{width}}  {setting.values}: {setting.meaning}" for setting in self)

    def _repr_html_(self) -> str:
        rows = (
            (setting.key, setting.values, setting.default, setting.meaning.replace("`", ""))
            for setting in self
        )
        return markup.table(("key", "values", "default", "meaning"), rows)


def documented(docstring: str | None) -> str:
    """A docstring with the keys of all settings as a section at its end."""
    entries = (f"{setting.key} : {setting.values}\n    {setting.meaning}" for setting in _all_settings())
    return f"{cleandoc(docstring or '')}\n\nKeys\n----\n" + "\n".join(entries)


@cache
def _all_settings() -> Settings:
    return Settings(Setting(*row) for row in _native.settings())


def settings(search: str = "") -> Settings:
    """Every key that a scenario may set, with its values, its default and its meaning.

    Parameters
    ----------
    search : str, optional
        Keep those settings that have this text in their key or in their meaning.

    Returns
    -------
    Settings
        In the order of the reference.

    Examples
    --------
    >>> import anabranch
    >>> anabranch.settings("warmup")[0].meaning
    'left out of goodput; less than `time`'
    >>> [setting.key for setting in anabranch.settings("link.NAME.l")]
    ['link.NAME.loss']
    """
    found = _all_settings()
    return Settings(setting for setting in found if search in setting.key or search in setting.meaning)
