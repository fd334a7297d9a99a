"""Multipath SCTP in a deterministic simulator: scenarios, runs, sweeps, models and their results as tables.

>>> import anabranch
>>> scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
>>> results = anabranch.run(scenario, runs=5)
>>> results.estimate("main.completion_s").n
5

The guide is docs/python.md.
"""

import importlib as _importlib
import os as _os
import sys as _sys

if _own := _os.environ.get("ANABRANCH_NATIVE"):
    # A module of one's own, with policies of its own, in the place of the native part (docs/python.md).
    # Processes that this one starts inherit the variable, and so have the same policies.
    _sys.modules["anabranch._native"] = _importlib.import_module(_own)

from anabranch import figures, plots
from anabranch._native import __version__
from anabranch.comparison import Comparison, compare
from anabranch.errors import AnabranchError, ModelError, ScenarioError, WorkerError
from anabranch.models import ModelRate, PathRate, Plan, Prediction, plan, predict
from anabranch.results import Estimate, Results, run
from anabranch.scenario import Scenario
from anabranch.settings import Setting, Settings, settings
from anabranch.sweeps import sweep
from anabranch.table import Table
from anabranch.traces import Trace, trace

__all__ = [
    "AnabranchError",
    "Comparison",
    "Estimate",
    "ModelError",
    "ModelRate",
    "PathRate",
    "Plan",
    "Prediction",
    "Results",
    "Scenario",
    "ScenarioError",
    "Setting",
    "Settings",
    "Table",
    "Trace",
    "WorkerError",
    "__version__",
    "compare",
    "figures",
    "plan",
    "plots",
    "predict",
    "run",
    "settings",
    "sweep",
    "trace",
]


def __dir__() -> list[str]:
    return sorted(__all__)
