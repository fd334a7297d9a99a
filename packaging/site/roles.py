"""Turns the roles of docstrings, such as ``:func:`anabranch.sweep```, into links of the site."""

import re

import griffe

ROLE = re.compile(r":(?:func|meth|class|mod|attr|exc):`(~?)([\w.]+)`")
PACKAGE = "anabranch"

# Functions of the package whose names are those of modules too.
FUNCTIONS = {"anabranch.settings": "anabranch.settings.settings"}


class Roles(griffe.Extension):
    """Rewrites each docstring of the package as it is read."""

    def on_object(self, *, obj, **_):
        """Rewrites the docstring of a module, a class, a function or an attribute."""
        if obj.docstring:
            obj.docstring.value = ROLE.sub(linked, obj.docstring.value)


def linked(role):
    """Returns a link to a name of the package; a name of another one stays as its words."""
    name = role[2]
    first = name.partition(".")[0]
    if first != PACKAGE and not first[0].isupper():
        return f"`{name}`"
    full = name if first == PACKAGE else f"{PACKAGE}.{name}"
    full = FUNCTIONS.get(full, full)
    return f"[`{name}`][{full}]"
