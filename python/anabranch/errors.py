"""The exceptions of the package."""

from __future__ import annotations


class AnabranchError(Exception):
    """The base of the package's own exceptions."""

    __module__ = "anabranch"


class ScenarioError(AnabranchError, ValueError):
    """A scenario or a setting that is wrong.

    The text is the program's message: the place, the message, the line with a mark under the fault, and
    what was expected.

    Attributes
    ----------
    kind : str
        What is the matter, in one word: ``syntax``, ``unknown``, ``missing``, ``value``, ``not-built``,
        ``trace``, or ``scenario`` where values contradict one another.
    message : str
        The message alone.
    file, line, column : str or int, optional
        Where the fault is, from line and column 1; None where it is in a setting, or in no single line.
    expected : str, optional
        What may stand there.
    nearest : str, optional
        The known name that is nearest to an unknown one.
    setting : str, optional
        The setting with the fault, as ``KEY=VALUE``.

    Examples
    --------
    >>> import anabranch
    >>> text = '''
    ... [[link]]
    ... name = "wifi"
    ... rate = "10 Mbits"
    ... [[flow]]
    ... transfer = "1 MB"
    ... '''
    >>> try:
    ...     anabranch.Scenario.parse(text, file="one.toml")
    ... except anabranch.ScenarioError as error:
    ...     print(error.file, error.line, error.column, error.kind)
    one.toml 4 8 value
    """

    __module__ = "anabranch"

    def __init__(
        self,
        shown: str,
        kind: str,
        message: str,
        file: str | None,
        line: int | None,
        column: int | None,
        expected: str | None,
        nearest: str | None,
        setting: str | None,
    ) -> None:
        # All arguments are kept, so that the exception can be pickled on its way from another process.
        super().__init__(shown, kind, message, file, line, column, expected, nearest, setting)
        self.kind = kind
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.expected = expected
        self.nearest = nearest
        self.setting = setting

    def __str__(self) -> str:
        shown: str = self.args[0]
        return shown


class WorkerError(AnabranchError, RuntimeError):
    """A batch of a sweep whose workers died again and again."""

    __module__ = "anabranch"


class ModelError(AnabranchError, ValueError):
    """A question to which the models or the planner have no answer for this scenario."""

    __module__ = "anabranch"
