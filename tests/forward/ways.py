"""How programs of the laptop use a bond: by its ports, by its proxies, or without any setting."""

from collections.abc import Callable
from typing import NamedTuple

from bond import HERE, TO, UDP, WAYS, Bond, bond
from real import Session, Shell


class By(NamedTuple):
    """What opens a bond, the way and address of TCP, the address of UDP, and the words of ssh's client."""

    bond: Callable
    way: str
    to: str
    udp: str
    login: Callable[[Bond], list[str]]

    def session(self, made):
        """A session of ssh."""
        return Session(made, self.login(made))


PORTS = By(bond, WAYS["port"], TO, f"{HERE}:{UDP}", lambda made: Shell(made).through_port())
PROXY = PORTS._replace(way=WAYS["SOCKS5"], login=lambda made: Shell(made).through_socks())
