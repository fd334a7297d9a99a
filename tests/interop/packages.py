"""usrsctp's programs as Debian packs them, unpacked into a folder of the build.

It knows the packages; how the programs behave is in ``programs``. Nothing is installed: apt-get downloads,
dpkg unpacks.
"""

import subprocess
from pathlib import Path

PACKAGES = ["libusrsctp-examples", "libusrsctp2"]


def unpack(folder):
    """The folder of the programs and that of their library, downloaded where they are not there yet."""
    root = Path(folder).resolve() / "usrsctp"
    if not (root / "complete").exists():
        root.mkdir(parents=True, exist_ok=True)
        run(["apt-get", "download", "--quiet", *PACKAGES], root)
        for package in sorted(root.glob("*.deb")):
            run(["dpkg", "-x", package.name, "."], root)
        (root / "complete").touch()
    libraries = next((root / "usr/lib").glob("*/libusrsctp.so.2")).parent
    return root / "usr/lib/usrsctp", libraries


def run(command, folder):
    """Runs a command, or says in one line why it could not."""
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"usrsctp's packages need {command[0]}: {error}") from error
    if ended.returncode != 0:
        said = (ended.stderr.strip() or "nothing").splitlines()[0]
        raise Unavailable(f"{' '.join(command)} ended with {ended.returncode} and said {said}")


class Unavailable(Exception):
    """The programs cannot be had here."""
