"""Tables as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table in HTML; the text of every cell is escaped.

    Examples
    --------
    >>> from anabranch.markup import table
    >>> table(["key"], [["<a>"]])
    '<table><thead><tr><th>key</th></tr></thead><tbody><tr><td>&lt;a&gt;</td></tr></tbody></table>'
    """
    cells = "".join(f"<th>{escape(str(name))}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
