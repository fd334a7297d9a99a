"""The error of something that could not be measured."""


class Failed(Exception):
    """A transfer, or what is around it, was not what it should be."""
