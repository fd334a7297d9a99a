"""What happens to the links and the ends of a bond while flows run, each from its beginning to its end."""

import time

import networks
from bond import FAR, NEAR


def cut_for_a_while(made, name, seconds):
    """A link of the laptop is away."""
    networks.cut(made.near, name)
    time.sleep(seconds)
    made.restore(name)


def cut_both(made, _name, seconds):
    """All links are away."""
    networks.cut(made.near, "p1", "p2")
    time.sleep(seconds)
    made.restore("p1", "p2")


def cut_far(made, name, seconds):
    """A link of the server is away."""
    networks.cut(made.far, name)
    time.sleep(seconds)
    networks.restore(made.far, 2, name)


def move_near(made, name, seconds):
    """The laptop has another address for a while."""
    renumber_near(made, name, 1, 4)
    time.sleep(seconds)
    renumber_near(made, name, 4, 1)


def renumber_near(made, name, old, new):
    """Replaces an address of the laptop."""
    networks.take(made.near, name, old)
    networks.give(made.near, name, new)
    made.route()


def move_far(made, name, seconds):
    """The server has another address for a while."""
    networks.give(made.far, name, 3)
    networks.take(made.far, name, 2)
    time.sleep(seconds)
    networks.give(made.far, name, 2)
    networks.take(made.far, name, 3)


def stop_near(made, _name, seconds):
    """The laptop's program is stopped."""
    made.stop(NEAR)
    time.sleep(seconds)
    made.go_on(NEAR)


def stop_far(made, _name, seconds):
    """The server's program is stopped."""
    made.stop(FAR)
    time.sleep(seconds)
    made.go_on(FAR)


def kill_near(made, _name, seconds):
    """The laptop's program is killed and started again."""
    made.end(NEAR)
    time.sleep(seconds / 4)
    made.start(NEAR)


def kill_far(made, _name, seconds):
    """The server's program is killed and started again."""
    made.end(FAR)
    time.sleep(seconds / 4)
    made.start(FAR)


EVENTS = {
    "a link cut": cut_for_a_while,
    "all links cut": cut_both,
    "a link of the server cut": cut_far,
    "laptop's address changed": move_near,
    "server's address changed": move_far,
    "laptop stopped": stop_near,
    "server stopped": stop_far,
    "laptop killed": kill_near,
    "server killed": kill_far,
}
