"""Figures of papers from Python: the same rows, verdicts and curves whatever runs them."""

import signal
import subprocess
import sys
import time
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


@pytest.mark.parametrize("pool", ["None", "ProcessPoolExecutor(2)"])
def test_ctrl_c_keeps_the_finished_runs(tmp_path, pool):
    source = f"""
import sys
from concurrent.futures import ProcessPoolExecutor
from anabranch import figures
print("begun", flush=True)
try:
    figures.run("IY-F5", {pool}, out={str(tmp_path)!r})
except KeyboardInterrupt as interrupt:
    print(interrupt.__notes__[0], flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    rows = tmp_path / "runs.csv"
    while not rows.exists() or rows.stat().st_size < 10_000:
        time.sleep(0.05)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert str(tmp_path) in child.stdout.readline()
    assert time.monotonic() - begun < 1
    child.wait(timeout=30)
    # What was kept is not run again.
    kept = len(rows.read_text().splitlines()) - 1
    study = anabranch._native.FigureStudy(["IY-F5"], str(tmp_path), False, None)
    assert 0 < kept < 6600 and study.lacks() == 6600 - kept


def test_a_figure_is_drawn_as_svg_and_as_pdf(tmp_path):
    study = figures.run("WS-F13", scale="quick", seeds=2)
    files = study["WS-F13-F14"].save(tmp_path)
    assert len(files) == 2 * len(study["WS-F13-F14"].panels) and all(
        file.stat().st_size > 1000 for file in files
    )
    assert {file.suffix for file in files} == {".svg", ".pdf"}


def test_of_a_panel_only_what_decides_about_it_is_run():
    study = figures.run("YE-F30", scale="quick")
    assert [panel.file for panel in study["YE-F30"].panels] == ["ye-f30-f30"]
    panel = figures.run("IY-F6b", scale="quick", seeds=2)["IY-F6"]
    assert [one.file for one in panel.panels] == ["iy-f6-b"] and set(panel.claims["panel"]) == {"b"}


def test_curves_are_read_from_tables_that_were_written_before():
    curves = figures.read("docs/figures", ["IY-F5a", "YE-F25"])
    assert list(curves) == ["IY-F5", "YE-F25"]
    sources = [set(panel.curves["source"]) for panel in curves["IY-F5"]]
    assert sources == [{"simulated", "ns-2"}]
    assert figures.read("docs", ["IY-F5"]) == {}
    with pytest.raises(ValueError, match="there is no figure"):
        figures.read("docs/figures", ["IY-F99"])


def test_a_picture_has_every_curve_and_what_the_claims_ask():
    (goodput,) = [
        panel
        for panel in figures.read("docs/figures", ["YE-F25"])["YE-F25"]
        if panel.file == "ye-f25-goodput"
    ]
    assert goodput.stated and goodput.stated[0].low == 19_700 and goodput.stated[0].high is None
    labels = goodput.plot().get_legend_handles_labels()[1]
    assert labels == [*goodput.curves["series"].unique(), "asked by the claims"]


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
