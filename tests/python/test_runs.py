"""Runs: what they answer beside the program, and that Python goes on meanwhile."""

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import anabranch
import pandas as pd
import pytest
from program import program


def test_the_document_is_that_of_the_program(phone):
    ours = anabranch.run(phone, runs=2, seed=5).to_dict()
    assert ours == program("sim", "scenarios/wifi-lte.toml", "--runs", "2", "--seed", "5")


def test_a_row_has_what_the_document_has(phone):
    results = anabranch.run(phone, runs=3)
    flow = results.to_dict()["runs"][1]["flows"][0]
    row = results.table().to_pandas().iloc[1]
    assert row["seed"] == 2
    assert row["main.goodput_bps"] == flow["goodput_bps"]
    assert row["main.delay_s.p95"] == flow["delay_s"]["p95"]
    assert row["main.lte.timeouts"] == flow["paths"][1]["timeouts"]


def test_tidy_tables_have_the_cells_of_the_wide_one():
    scenario = anabranch.Scenario.load("scenarios/both-ways.toml").set(
        {"run.time": "2 s", "run.warmup": "0 s"}
    )
    results = anabranch.run(scenario, runs=2)
    wide, flows, paths = results.table().to_pandas(), results.flows(), results.paths()
    document = results.to_dict()["runs"][0]
    assert flows["flow"].unique().tolist() == [flow["name"] for flow in document["flows"]]
    assert len(paths) == 2 * sum(len(flow["paths"]) for flow in document["flows"])
    for _, row in flows.iterrows():
        of_seed = wide[wide["seed"] == row["seed"]].iloc[0]
        assert row["goodput_bps"] == of_seed[f"{row['flow']}.goodput_bps"]
    assert not any("." in name and not name.startswith(("delay_s", "sacks", "wire_bytes")) for name in flows)
    assert paths["state"].notna().all()


def test_results_do_not_depend_on_threads(quick):
    tables = [anabranch.run(quick, runs=6, threads=threads).table() for threads in (1, 2)]
    assert tables[0].equals(tables[1])


def test_until_stops_when_the_interval_is_narrow_enough(quick):
    results = anabranch.run(quick, until=0.05)
    goodput = results.estimate("main.goodput_bps")
    assert len(results) >= 5 and goodput.ci95 <= 0.05 * goodput.mean
    with pytest.raises(ValueError, match="above 0 and below 1"):
        anabranch.run(quick, until=5)


def test_the_summary_is_that_of_the_document(phone):
    results = anabranch.run(phone, runs=4)
    row, document = (
        results.summary().loc["main.goodput_bps"],
        results.to_dict()["summary"]["main"]["goodput_bps"],
    )
    assert (row["mean"], row["sd"], row["ci95"]) == (document["mean"], document["sd"], document["ci95"])
    assert row["unit"] == "bit/s"


def test_contradictory_settings_are_an_error(phone):
    with pytest.raises(anabranch.ScenarioError):
        anabranch.run(phone.set("flow.main.sctp.max_burst", {"packets": 0}))


def test_a_table_goes_wherever_arrow_goes(quick, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    table = anabranch.run(quick, runs=2).table()
    assert pa.table(table).equals(table.to_arrow())
    assert "<table" in table._repr_html_()
    for ending in ("parquet", "arrow", "csv"):
        table.save(tmp_path / f"t.{ending}")
    assert parquet.read_table(tmp_path / "t.parquet").equals(table.to_arrow())
    assert len(pd.read_csv(tmp_path / "t.csv")) == 2
    with pytest.raises(ValueError, match=r"not \.xls"):
        table.save(tmp_path / "t.xls")


def test_python_goes_on_while_a_run_lasts(phone):
    counted, is_over = 0, threading.Event()

    def count():
        nonlocal counted
        while not is_over.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before = counted
    anabranch.run(phone, runs=20, threads=1)
    during = counted - before
    is_over.set()
    counter.join()
    assert during >= 20, "the interpreter's lock is held"


@pytest.mark.parametrize("work", ["run(endless)", "trace(endless)", "compare(endless, endless)"])
def test_ctrl_c_ends_work_within_a_second(work):
    source = f"""
import anabranch, time
endless = anabranch.Scenario.load("scenarios/dumbbell.toml").set("run.time", "1000000 s")
print("begun", flush=True)
try:
    anabranch.{work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    begun = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begun < 1
    assert child.wait(timeout=10) == 0


def test_memory_stays_as_it_is_over_many_runs(quick):
    def one():
        anabranch.run(quick, runs=20, threads=1).table()

    def resident():
        gc.collect()
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    for _ in range(5):
        one()
    before = resident()
    for _ in range(20):
        one()
    # One kept result of 20 runs would be 60 kB each: 4 MB leave room for the allocator alone.
    assert resident() - before < 4 << 20
