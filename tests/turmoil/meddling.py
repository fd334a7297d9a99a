"""The meddling of another program of that user with incomplete files: a cleaner, a slip."""

import contextlib
import os

PART_KINDS = ["parts cut", "parts overwritten", "parts removed"]
"""The changes to everything that is arriving, at one moment."""


def meddle(store, what):
    """Does it to every part below the folder of received files; there may be none."""
    for part in store.rglob(".anabranch-partial-*/*.part"):
        # It may get its name at this moment.
        with contextlib.suppress(FileNotFoundError):
            match what:
                case "parts cut":
                    os.truncate(part, part.stat().st_size // 2)
                case "parts overwritten":
                    overwrite(part)
                case "parts removed":
                    part.unlink()


def overwrite(part):
    """Turns each bit of a byte in the middle."""
    middle = part.stat().st_size // 2
    with part.open("r+b") as file:
        file.seek(middle)
        byte = file.read(1)
        if byte:
            file.seek(middle)
            file.write(bytes([byte[0] ^ 0xFF]))
