"""Every example of the package's documentation is run, and everything public is documented."""

import doctest
import importlib
import inspect
import pkgutil

import anabranch
import pytest

MODULES = [f"anabranch.{found.name}" for found in pkgutil.iter_modules(anabranch.__path__)]
# Their instances come from functions that have examples.
SHOWN_ELSEWHERE = {"AnabranchError", "Comparison", "ModelError", "ModelRate", "PathRate", "Prediction"}
SHOWN_ELSEWHERE |= {"Setting", "Settings", "Trace", "WorkerError"}


def examples_of(found, name):
    """The examples of a class with its methods, or of a function. They may use the package by its name."""
    return doctest.DocTestFinder().find(found, name, module=False, globs={"anabranch": anabranch})


PUBLIC = [name for name in anabranch.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", ["anabranch", *PUBLIC])
def test_examples_say_what_happens(name):
    tests = examples_of(anabranch if name == "anabranch" else getattr(anabranch, name), name)
    for test in [test for test in tests if not test.name.startswith("anabranch.")]:
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test)
        assert runner.failures == 0, test.name


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("_native")])
def test_examples_of_internal_functions_say_what_happens(name):
    failed, _ = doctest.testmod(importlib.import_module(name), extraglobs={"anabranch": anabranch})
    assert failed == 0


def test_there_are_examples_of_every_public_function_and_class():
    for name in set(PUBLIC) - SHOWN_ELSEWHERE:
        assert any(test.examples for test in examples_of(getattr(anabranch, name), name)), name


def test_everything_public_is_documented():
    for name in PUBLIC:
        found = getattr(anabranch, name)
        assert inspect.getdoc(found), name
        members = vars(found) if inspect.isclass(found) else {}
        for member in members:
            if not member.startswith("_"):
                assert inspect.getdoc(getattr(found, member)), f"{name}.{member}"
