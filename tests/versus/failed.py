"""Why something could not be measured. It knows no more than that it happened."""


class Failed(Exception):
    """A transfer, or what is around it, was not what it should be."""
