"""Figures of papers from Python: the same rows, verdicts and curves whatever runs them."""

from concurrent.futures import ThreadPoolExecutor

import anabranch
import pytest
from anabranch import figures


def test_a_figure_is_the_same_on_any_executor_and_is_kept(tmp_path):
    here = figures.run("IY-F4", scale="quick", seeds=2, out=tmp_path / "here")
    with ThreadPoolExecutor(2) as pool:
        there = figures.run(["IY-F4"], pool, scale="quick", seeds=2, out=tmp_path / "there")
    assert list(here) == list(there) == ["IY-F4"]
    assert here["IY-F4"].verdict == there["IY-F4"].verdict
    assert here["IY-F4"].claims.equals(there["IY-F4"].claims)
    for one, other in zip(here["IY-F4"].panels, there["IY-F4"].panels, strict=True):
        assert one.curves.equals(other.curves)
        assert len(one.curves) > 10
    rows = [sorted((tmp_path / name / "runs.csv").read_text().splitlines()) for name in ("here", "there")]
    assert rows[0] == rows[1]
    again = figures.run("IY-F4", scale="quick", seeds=2, out=tmp_path / "here")
    assert again["IY-F4"].claims.equals(here["IY-F4"].claims)
    kept = (tmp_path / "here" / "runs.csv").read_text().splitlines()
    assert sorted(kept) == rows[0], "no run was made again"


def test_a_figure_is_drawn_as_svg_and_as_pdf(tmp_path):
    study = figures.run("WS-F13", scale="quick", seeds=2)
    files = study["WS-F13-F14"].save(tmp_path)
    assert len(files) == 2 * len(study["WS-F13-F14"].panels) and all(
        file.stat().st_size > 1000 for file in files
    )
    assert {file.suffix for file in files} == {".svg", ".pdf"}


def test_every_panel_is_listed_with_its_verdict():
    panels = figures.panels()
    assert len(panels) == 61
    words = {"REPRODUCED", "PARTIAL", "NOT REPRODUCED", "INCONCLUSIVE", "NOT TESTABLE"}
    assert set(panels["verdict"]) <= words


def test_what_is_no_figure_is_refused():
    with pytest.raises(ValueError, match="there is no figure"):
        figures.run("IY-F99")
    with pytest.raises(ValueError, match="scale"):
        figures.run("IY-F4", scale="tiny")


def test_rows_of_something_else_are_refused():
    study = anabranch._native.FigureStudy(["IY-F4"], None, True, 2)
    with pytest.raises(anabranch.AnabranchError, match="damaged"):
        study.accept("nothing")
