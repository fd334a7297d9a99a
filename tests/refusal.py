"""Why a check cannot be run on this machine, and how a script says so: one line, and its exit status."""

import sys


class Forbidden(str):
    """The kernel or its rights forbid it: nothing that a project's own files could install would help."""


def report(refused, is_question):
    """Where a check cannot run, or a `--check` only asks, prints the answer and ends the program.

    The exit status is 0 where it can be run, 3 where the kernel or its rights forbid it, else 1.
    """
    if refused is None and not is_question:
        return
    print(refused or "ready")
    sys.exit(0 if refused is None else 3 if isinstance(refused, Forbidden) else 1)
