"""A scenario: links, paths, flows and events, read from a file and changed by settings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, overload

from anabranch import _native, markup
from anabranch.names import unknown
from anabranch.settings import documented, settings
from anabranch.values import Value, text_of


class Scenario:
    """A scenario, which never changes: :meth:`set` gives a new one.

    Scenarios are made by :meth:`load` and :meth:`parse`. They can be pickled, with the trace files that they
    name, and compared.

    Examples
    --------
    >>> import anabranch
    >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
    >>> scenario.paths
    ['wifi', 'lte']
    >>> lossy = scenario.set("link.wifi.loss", 0.01).set("flow.main.sctp.scheduler", "ecf")
    >>> lossy["link.wifi.loss"], scenario["link.wifi.loss"]
    (0.01, 0.0)
    """

    __module__ = "anabranch"

    def __init__(self, native: _native.Parsed) -> None:
        self._native = native

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scenario:
        """Read a scenario file.

        Parameters
        ----------
        path : str or path
            The file. Trace files that it names are found beside it.

        Returns
        -------
        Scenario

        Raises
        ------
        OSError
            The file cannot be read.
        ScenarioError
            The scenario is wrong; the exception has file, line and column.

        Examples
        --------
        >>> anabranch.Scenario.load("scenarios/two-paths.toml").flows
        ['main']
        """
        return cls._read(os.fspath(path), Path(path).read_bytes(), Path(path).parent)

    @classmethod
    def parse(
        cls, text: str, *, file: str = "<text>", folder: str | os.PathLike[str] | None = None
    ) -> Scenario:
        """Read a scenario from its text.

        Parameters
        ----------
        text : str
            What a scenario file says.
        file : str, optional
            What it is called in errors.
        folder : str or path, optional
            Where the trace files are that it names; by default it may name none.

        Returns
        -------
        Scenario

        Raises
        ------
        ScenarioError
            The scenario is wrong.

        Examples
        --------
        >>> text = '''
        ... [[link]]
        ... name = "wifi"
        ... rate = "10 Mbit/s"
        ... [[flow]]
        ... transfer = "1 MB"
        ... '''
        >>> anabranch.Scenario.parse(text).links
        ['wifi']
        """
        return cls._read(file, text.encode(), None if folder is None else Path(folder))

    @classmethod
    def _read(cls, file: str, text: bytes, folder: Path | None) -> Scenario:
        return cls(_native.Parsed(file, text, [], {}, folder))

    @overload
    def set(self, key: str, value: Value, /) -> Scenario: ...
    @overload
    def set(self, settings: Mapping[str, Value], /) -> Scenario: ...
    def set(self, key: str | Mapping[str, Value], value: Value | None = None, /) -> Scenario:
        """A scenario with one or more settings changed; this one stays as it is.

        Parameters
        ----------
        key : str or dict
            Such as ``link.wifi.loss``, ``flow.main.sctp.scheduler`` or ``run.time``;
            :func:`anabranch.settings` lists them all. A dict of keys and values sets several, where one is
            valid only with another.
        value : str, number, bool, timedelta, list or dict
            Text is taken as in a scenario file without quotes: ``"10 Mbit/s"``.

        Returns
        -------
        Scenario

        Raises
        ------
        ScenarioError
            The key or the value is wrong.

        Examples
        --------
        >>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
        >>> scenario.set("link.lte.delay", "80 ms")["link.lte.delay"]
        '80 ms'
        >>> scenario.set({"run.time": "5 s", "run.warmup": "1 s"})["run"]
        {'time': '5 s', 'warmup': '1 s', 'seed': 1, 'runs': 1}
        >>> scenario.set("link.wifi.lss", 0.01)
        Traceback (most recent call last):
        ...
        anabranch.ScenarioError: --set link.wifi.lss=0.01: a link has no key `lss`
         |
         | link.wifi.lss=0.01
         |           ^^^
         |
         = did you mean `loss`?
        """
        settings = key if isinstance(key, Mapping) else {key: value}
        return self._with([f"{key}={text_of(value)}" for key, value in settings.items()])

    def _with(self, settings: list[str]) -> Scenario:
        """The same with these settings, each ``KEY=VALUE``, on top of those that it has."""
        own = self._native
        return Scenario(
            _native.Parsed(own.file, own.text.encode(), own.settings + settings, own.files, own.folder)
        )

    @property
    def title(self) -> str:
        """The title, in the file's words."""
        return self._native.title

    @property
    def links(self) -> list[str]:
        """The names of its links, copies made."""
        return self._native.links

    @property
    def nodes(self) -> list[str]:
        """The names of the stations of its mesh."""
        return self._native.nodes

    @property
    def paths(self) -> list[str]:
        """The names of its paths, copies made."""
        return self._native.paths

    @property
    def flows(self) -> list[str]:
        """The names of its flows, copies made."""
        return self._native.flows

    @property
    def file(self) -> str:
        """The name in errors."""
        return self._native.file

    @property
    def text(self) -> str:
        """The text of the file, without the settings on top of it."""
        return self._native.text

    @property
    def changes(self) -> list[str]:
        """The settings on top of the file, each ``KEY=VALUE``, in the order in which they were made."""
        return self._native.settings

    def resolved(self) -> dict[str, Any]:
        """Every setting as used, under the keys of a scenario file.

        Returns
        -------
        dict
            The same as ``resolved`` in the documents of the program.

        Examples
        --------
        >>> anabranch.Scenario.load("scenarios/wifi-lte.toml").resolved()["run"]
        {'warmup': '0 s', 'seed': 1, 'runs': 1}
        """
        document: dict[str, Any] = json.loads(self._native.resolved())
        return document

    @cached_property
    def _resolved(self) -> dict[str, Any]:
        return self.resolved()

    def __getitem__(self, key: str) -> Any:
        """The value of a setting as used, by its key."""
        found: Any = self._resolved
        for part in key.split("."):
            found = _entry(found, part)
            if found is None:
                raise unknown("setting", key, self._ipython_key_completions_())
        return found

    def _ipython_key_completions_(self) -> list[str]:
        names = {table: self._names(table) for table in ("link", "node", "path", "flow")}
        keys = []
        for setting in settings():
            table, _, rest = setting.key.partition(".")
            if rest.startswith("NAME."):
                keys += [f"{table}.{name}.{rest.removeprefix('NAME.')}" for name in names.get(table, [])]
            elif rest.startswith("N."):
                events = range(1, len(self._resolved.get("event", [])) + 1)
                keys += [f"{table}.{number}.{rest.removeprefix('N.')}" for number in events]
            else:
                keys.append(setting.key)
        return keys

    def _names(self, table: str) -> list[str]:
        return [entry["name"] for entry in self._resolved.get(table, []) if "name" in entry]

    def __reduce__(self) -> tuple[Any, ...]:
        own = self._native
        return (_restored, (own.file, own.text, own.settings, own.files))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.text, *self.changes))

    def _content(self) -> tuple[str, list[str], Mapping[str, str]]:
        return (self.text, self.changes, self._native.files)

    def __repr__(self) -> str:
        changed = "".join(f", {change}" for change in self.changes)
        return (
            f"<Scenario {self.file}{changed}: paths {', '.join(self.paths)}; flows {', '.join(self.flows)}>"
        )

    def _repr_html_(self) -> str:
        keys = ("rate", "delay", "queue", "loss")
        rows = ((name, *(self[f"link.{name}.{key}"] for key in keys)) for name in self.links)
        links = markup.table(("link", *keys), rows)
        said = f"<b>{escape(self.title or self.file)}</b>; flows {escape(', '.join(self.flows))}"
        changes = "".join(f"<br><code>{escape(change)}</code>" for change in self.changes)
        return f"<div>{said}{changes}{links if self.links else ''}</div>"


# The core's own table of settings is part of the documentation: `help(anabranch.Scenario.set)` lists it.
vars(Scenario)["set"].__doc__ = documented(vars(Scenario)["set"].__doc__)


ScenarioLike = Scenario | str | os.PathLike[str]
"""A scenario, or the path of its file."""


def scenario_of(given: ScenarioLike) -> Scenario:
    """The scenario itself, or that of a file.

    Raises
    ------
    TypeError
        It is neither.
    OSError, ScenarioError
        As :meth:`Scenario.load`.

    Examples
    --------
    >>> from anabranch.scenario import scenario_of
    >>> scenario_of("scenarios/wifi-lte.toml").paths
    ['wifi', 'lte']
    >>> scenario_of({"link": []})
    Traceback (most recent call last):
    ...
    TypeError: a scenario or the path of its file is needed, not a dict: see anabranch.Scenario.load and parse
    """
    if isinstance(given, Scenario):
        return given
    if isinstance(given, str) and "\n" in given:
        raise TypeError(
            "this is the text of a scenario, not the path of its file: use anabranch.Scenario.parse"
        )
    if isinstance(given, (str, os.PathLike)):
        return Scenario.load(given)
    raise TypeError(
        f"a scenario or the path of its file is needed, not a {type(given).__name__}: "
        "see anabranch.Scenario.load and parse"
    )


def _restored(file: str, text: str, settings: list[str], files: dict[str, str]) -> Scenario:
    """A scenario from a pickle, which has the files that it names in it."""
    return Scenario(_native.Parsed(file, text.encode(), settings, files, None))


def _entry(found: Any, part: str) -> Any:
    """The entry of a table or a list of tables under the next part of a key; None where there is nothing."""
    if isinstance(found, dict):
        return found.get(part)
    if isinstance(found, list) and part.isdecimal():
        return found[int(part) - 1] if 0 < int(part) <= len(found) else None
    if isinstance(found, list):
        named = (entry for entry in found if isinstance(entry, dict) and entry.get("name") == part)
        return next(named, None)
    return None
