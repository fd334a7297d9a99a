"""Our program as these tests run it on one side of a network, with a key that both ends have."""

import json
import os
import random
from contextlib import contextmanager
from subprocess import PIPE, Popen, TimeoutExpired

SECONDS = 60
"""A program that runs longer has failed."""


class Failed(Exception):
    """A row is not as it should be."""


class Here:
    """This host, where the programs talk over the loopback interface."""

    def command(self, *words):
        """The words as they are."""
        return list(words)


@contextmanager
def started(side, program, words):
    """A program of ours that runs on one side, and is ended if it has not."""
    command = side.command(str(program), *words)
    process = Popen(command, stdout=PIPE, stderr=PIPE, env=environment(), text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def environment():
    """This program's, with the key."""
    return os.environ | {"ANABRANCH_KEY": random.Random(2).randbytes(16).hex()}


def document_of(process):
    """The document that a program prints at its end."""
    try:
        said, complaint = process.communicate(timeout=SECONDS)
    except TimeoutExpired as late:
        raise Failed(f"not done after {SECONDS} s") from late
    if process.returncode != 0:
        raise Failed(f"ours ended with {process.returncode}: {complaint.strip()}")
    return json.loads(said)
