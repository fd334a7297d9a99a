"""The beginning and the end of each kind of event on a path."""


def begin_on_path(crossing, what, path):
    """It begins on this path."""
    match what:
        case "interface down":
            crossing.switch_off(path)
        case "no carrier":
            crossing.pull(path)
        case "silent there" | "silent back":
            crossing.silence(path, what.removeprefix("silent "))
        case "silent both ways" | "all paths silent":
            crossing.silence(path, "there")
            crossing.silence(path, "back")
        case "slow":
            crossing.slow(path)
        case "address away" | "renumbered":
            crossing.lose(path)
        case "interface replaced":
            crossing.disconnect(path)
        case "server's address away":
            crossing.lose_far(path)


def over_on_path(crossing, what, path):
    """It is over on this path."""
    match what:
        case "interface down" | "no carrier":
            crossing.switch_on(path)
        case "silent there" | "silent back":
            crossing.hear(path, what.removeprefix("silent "))
        case "silent both ways" | "all paths silent":
            crossing.hear(path, "there")
            crossing.hear(path, "back")
        case "slow":
            crossing.hurry(path)
        case "address away":
            crossing.gain(path)
        case "renumbered":
            crossing.renumber(path)
            crossing.gain(path)
        case "interface replaced":
            crossing.connect(path)
        case "server's address away":
            crossing.gain_far(path)
