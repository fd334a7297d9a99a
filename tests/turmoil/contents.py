"""The files of a plan: made before a transfer, checked while it runs, compared after it."""

import hashlib
import os
import random
import stat

from ours import Failed


class Contents:
    """The files that are sent, below one folder, and those that arrived below another."""

    def __init__(self, plan, source, store):
        self.entries, self.roots = plan.entries, plan.roots
        self.source, self.store = source, store
        self.digests = {}
        self.whole = {}
        chance = random.Random(f"{plan.seed}/{plan.number}/bytes")
        for entry in self.entries:
            path = source / entry.path
            if entry.size is None:
                path.mkdir()
                continue
            content = chance.randbytes(entry.size)
            self.digests[entry.path] = hashlib.sha256(content).digest()
            path.write_bytes(content)
        # Files first, since a directory's time changes with what is put into it.
        for entry in reversed(self.entries):
            (source / entry.path).chmod(entry.mode)
            os.utime(source / entry.path, ns=(entry.modified, entry.modified))

    def arguments(self):
        """The arguments for the sender."""
        return [str(self.source / root) for root in self.roots]

    def look(self):
        """Nothing may have its own name that is not whole.

        Raises
        ------
        Failed
            It does.
        """
        for name, digest in self.digests.items():
            try:
                found = (self.store / name).lstat()
                seen = (found.st_ino, found.st_size)
                if self.whole.get(name) == seen:
                    continue
                content = (self.store / name).read_bytes()
            except FileNotFoundError:
                if name in self.whole:
                    raise Failed(f"{name!r} was there and vanished") from None
                continue
            if hashlib.sha256(content).digest() != digest:
                raise Failed(f"{name!r} has its name and is not whole: {len(content)} bytes")
            self.whole[name] = seen

    def is_whole(self):
        """True if every file is there under its name."""
        self.look()
        return len(self.whole) == len(self.digests)

    def left(self):
        """Bytes of the files that are there under other names."""
        return sum(path.stat().st_size for path in self.store.rglob("*.part"))

    def stored(self):
        """Bytes of all files that are there, under whatever names."""
        return sum(size_of(path) for path in self.store.rglob("*"))

    def judge(self):
        """Everything is there, as it was sent, and nothing else.

        Raises
        ------
        Failed
            It is not.
        """
        self.look()
        found = {str(path.relative_to(self.store)) for path in self.store.rglob("*")}
        expected = {entry.path for entry in self.entries}
        if found != expected:
            missing, more = sorted(expected - found), sorted(found - expected)
            raise Failed(f"missing: {missing or 'nothing'}; too much: {more or 'nothing'}")
        for entry in self.entries:
            status = (self.store / entry.path).stat()
            mode = stat.S_IMODE(status.st_mode)
            if (mode, status.st_mtime_ns) != (entry.mode, entry.modified):
                raise Failed(
                    f"{entry.path!r} has mode {mode:o} and time {status.st_mtime_ns}, "
                    f"sent with {entry.mode:o} and {entry.modified}"
                )


def size_of(path):
    """The bytes of a file; empty for a directory, or for a file that was just renamed."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0
