"""A progress bar where tqdm is installed; otherwise none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Show: TypeAlias = Callable[[int, int], None]
"""Takes how many there are, and how many there will be."""


@contextmanager
def progress_bar(unit: str) -> Iterator[Show]:
    """A bar on a terminal or in a notebook.

    Parameters
    ----------
    unit : str
        What is counted.

    Yields
    ------
    callable
        Takes how many there are and how many there will be.
    """
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda done, expected: None
        return
    # Nothing is drawn into files and pipes.
    with tqdm(unit=f" {unit}", disable=None, leave=False) as bar:

        def show(done: int, expected: int) -> None:
            bar.total = expected
            bar.update(done - bar.n)

        yield show
