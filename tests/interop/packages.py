"""Programs as Debian packs them, unpacked into a folder of the build.

Nothing is installed: apt-get downloads, dpkg unpacks.
"""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

USRSCTP = ["libusrsctp-examples", "libusrsctp2"]
USRSCTP_LIBRARY = ["libusrsctp-dev"]
NFT = [
    *["nftables", "libnftables1", "libnftnl11", "libmnl0", "libjansson4"],
    *["libxtables12", "libedit2", "libbsd0", "libmd0", "libgmp10"],
]
"""``nft``, and the libraries that a small system may be without."""


class Installed(NamedTuple):
    """The folder of usrsctp's programs, that of their library, and the programs of ours with that library."""

    programs: Path
    libraries: Path
    ecn_peer: Path
    extension_peer: Path


def unpack(folder):
    """usrsctp's programs and ours on its library, downloaded and built where they are not there yet."""
    root = unpacked(folder, "usrsctp", USRSCTP)
    libraries = next((root / "usr/lib").glob("*/libusrsctp.so.2")).parent
    return Installed(root / "usr/lib/usrsctp", libraries, *build_peers(folder))


def build_peers(folder):
    """The programs of ``ecn_peer.c`` and ``extension_peer.c``, which have the library in them."""
    if shutil.which("cc") is None:
        raise Unavailable("there is no C compiler")
    root = unpacked(folder, "usrsctp-dev", USRSCTP_LIBRARY)
    library = next((root / "usr/lib").glob("*/libusrsctp.a"))
    for name in ("ecn_peer", "extension_peer"):
        source, program = Path(__file__).with_name(f"{name}.c"), root / name
        warnings = ["-Wall", "-Wextra", "-Werror"]
        words = [f"-I{root / 'usr/include'}", str(source), str(library), "-lpthread", "-o", str(program)]
        run(["cc", "-std=gnu11", "-O2", *warnings, *words], root)
        yield program


def unpack_nft(folder):
    """The program ``nft`` and the folder of its libraries, downloaded where they are not there yet."""
    root = unpacked(folder, "nft", NFT)
    libraries = next((root / "usr/lib").glob("*/libnftables.so.1")).parent
    return root / "usr/sbin/nft", libraries


def unpack_tshark(folder):
    """The program ``tshark`` and what it needs in its environment; the installed one where there is one."""
    installed = shutil.which("tshark")
    if installed is not None:
        return installed, {}
    root = unpacked(folder, "tshark", missing("tshark"))
    libraries = next((root / "usr/lib").glob("*/libwireshark.so.*")).parent
    environment = {"LD_LIBRARY_PATH": str(libraries), "WIRESHARK_DATA_DIR": str(root / "usr/share/wireshark")}
    return str(root / "usr/bin/tshark"), environment


def unpack_program(folder, package):
    """The folder of a package's files, and what its programs need in their environment."""
    root = Path(folder).resolve() / package
    if not (root / "complete").exists():
        unpacked(folder, package, missing(package))
    libraries = {str(library.parent) for library in (root / "usr/lib").glob("*/*.so*")}
    return root, {"LD_LIBRARY_PATH": ":".join(sorted(libraries))}


def unpack_chromium(folder):
    """The program ``chromium`` and what it needs in its environment; the installed one where there is one.

    Debian replaces its version every few weeks, and keeps no older one: the lists of packages are read anew.
    """
    for name in ("chromium", "chromium-browser", "google-chrome"):
        installed = shutil.which(name)
        if installed is not None:
            return installed, {}
    root = Path(folder).resolve() / "chromium"
    program = root / "usr/lib/chromium/chromium"
    if not (root / "complete").exists():
        for part in ("lists/partial", "cache/archives/partial"):
            (root / part).mkdir(parents=True, exist_ok=True)
        own = ["-o", f"Dir::State::lists={root / 'lists'}", "-o", f"Dir::Cache={root / 'cache'}"]
        run(["apt-get", *own, "update"], None)
        unpacked(folder, "chromium", [*missing("chromium", own), "fonts-dejavu-core"], own)
        for part in ("lists", "cache"):
            shutil.rmtree(root / part)
    libraries = {str(library.parent) for library in (root / "usr/lib").rglob("*.so*")}
    libraries |= {str(library.parent) for library in (root / "lib").rglob("*.so*")}
    return str(program), {
        "LD_LIBRARY_PATH": ":".join(sorted(libraries)),
        "FONTCONFIG_FILE": str(fonts(root)),
        "XDG_DATA_DIRS": str(root / "usr/share"),
    }


def fonts(root):
    """A configuration with the fonts that were unpacked, and those of the system where it has some."""
    file = root / "fonts.conf"
    folders = "".join(f"<dir>{folder}</dir>" for folder in (root / "usr/share/fonts", "/usr/share/fonts"))
    cache = f"<cachedir>{root / 'fonts-cache'}</cachedir>"
    file.write_text(f'<?xml version="1.0"?><fontconfig>{folders}{cache}</fontconfig>\n', encoding="utf-8")
    return file


def missing(package, options=()):
    """The package with all that it needs and that is not installed."""
    said = run(["apt-get", *options, "--simulate", "install", "--no-install-recommends", package], None)
    return [line.split()[1] for line in said.splitlines() if line.startswith("Inst ")]


def unpacked(folder, name, packages, options=()):
    """The folder ``name`` with what is in these packages."""
    root = Path(folder).resolve() / name
    if not (root / "complete").exists():
        root.mkdir(parents=True, exist_ok=True)
        run(["apt-get", *options, "download", "--quiet", *packages], root)
        for package in sorted(root.glob("*.deb")):
            run(["dpkg", "-x", package.name, "."], root)
            package.unlink()
        (root / "complete").touch()
    return root


def run(command, folder):
    """The output of a command; where it fails, raises `Unavailable` with one line that says why."""
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"this needs {command[0]}: {error}") from error
    if ended.returncode != 0:
        lines = ended.stderr.strip().splitlines() or ["nothing"]
        said = next((line for line in lines if line.startswith("E:")), lines[0])
        raise Unavailable(f"{' '.join(command)} ended with {ended.returncode} and said {said}")
    return ended.stdout


class Unavailable(Exception):
    """The programs cannot be had here."""
