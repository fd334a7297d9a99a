"""A name whose second answer leads to a network that the server refuses."""

import sys
from subprocess import run

from bond import FAR, HERE, PARTIES, PORT, SOCKS, bond
from failed import Failed
from networks import MODEMS
from outcome import Outcome

NAME, AWAY = "www.example.org", "198.51.100.7"


def elsewhere(_conditions):
    """Connects twice by a name, which means an address that is allowed and then the server itself."""
    resolver = f"nameserver {HERE}\n"
    with bond(MODEMS, allow=f"{AWAY}/32", prepare=lead, resolver=resolver) as made:
        made.run(FAR, [sys.executable, str(PARTIES / "names.py"), HERE, NAME, AWAY, HERE])
        made.wait(FAR, "udp", 53)
        first, second = curl(made), curl(made)
        log = "\n".join(made.log())
    if first != 0:
        raise Failed(f"the first connection: curl ends with {first}")
    is_refused = second != 0 and f"{HERE} is" in log
    return Outcome(
        f"the first is allowed; the second {'is refused' if is_refused else 'gets through'}", is_refused
    )


def lead(made):
    """Gives the server's end the address of the first answer."""
    run(made.far.command("ip", "address", "add", f"{AWAY}/32", "dev", "lo"), check=True)


def curl(made):
    """How curl ends that asks the proxy for the name."""
    words = [
        "curl",
        "-sS",
        "-o",
        "/dev/null",
        "--proxy",
        f"socks5h://{HERE}:{SOCKS}",
        f"http://{NAME}:{PORT}/100",
    ]
    return run(made.near.command(*words), capture_output=True, check=False, timeout=60).returncode
