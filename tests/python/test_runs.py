"""Runs: what they answer beside the program, and that Python goes on meanwhile."""

import copy
import gc
import os
import pickle
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


def held(quick):
    """One of everything that a program may hold."""
    results = anabranch.run(quick, runs=2)
    other = anabranch.run(quick.set("link.a.loss", 0.05), runs=2)
    return {
        "scenario": quick,
        "results": results,
        "comparison": anabranch.compare(results, other),
        "table": results.table(),
        "estimate": results.estimate("main.goodput_bps"),
        "prediction": anabranch.predict(quick),
        "plan": anabranch.plan(quick),
        "trace": anabranch.trace(quick.set("run.time", "1 s")),
        "settings": anabranch.settings(),
    }


def test_what_a_program_holds_can_be_pickled_and_copied(quick):
    for name, one in held(quick).items():
        for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert repr(again) == repr(one), name
    results = anabranch.run(quick, runs=2)
    again = pickle.loads(pickle.dumps(results))
    assert (len(again), again.seeds, again.to_dict()) == (2, results.seeds, results.to_dict())
    assert again.table().equals(results.table())
    assert pickle.loads(pickle.dumps(again)).summary().equals(results.summary())


def test_the_path_of_a_file_is_a_scenario(tmp_path, quick):
    file = tmp_path / "quick.toml"
    file.write_text(quick.text)
    assert anabranch.run(file, runs=1).to_dict()["runs"] == anabranch.run(str(file), runs=1).to_dict()["runs"]
    for take in (anabranch.run, anabranch.predict, anabranch.plan, anabranch.trace):
        with pytest.raises(TypeError, match="path of its file"):
            take(7)
        with pytest.raises(TypeError, match=r"use anabranch\.Scenario\.parse"):
            take("[[link]]\nname = 'a'\n")
        with pytest.raises(FileNotFoundError):
            take(tmp_path / "none.toml")


def test_a_name_that_is_not_there_draws_the_nearest(quick):
    results = anabranch.run(quick, runs=1)
    table = results.table()
    for ask in (
        table.__getitem__,
        table.unit,
        table.meaning,
        results.estimate,
        lambda name: table.select([name]),
    ):
        with pytest.raises(KeyError, match=r"did you mean 'main\.goodput_bps'"):
            ask("main.goodput")
    with pytest.raises(KeyError, match=r"did you mean 'main\.goodput_bps'"):
        anabranch.compare(results, results, columns=["main.goodput"]).table()
    with pytest.raises(KeyError, match=r"did you mean 'link\.a\.loss'"):
        quick["link.a.lss"]


def test_the_package_shows_its_public_names_alone():
    assert dir(anabranch) == sorted(anabranch.__all__)


def test_seeds_have_all_their_bits(quick):
    first = 2**63
    results = anabranch.run(quick, runs=2, seed=first)
    assert results.table()["seed"].tolist() == [first, first + 1] == results.seeds
    table = anabranch.sweep(quick, {"link.a.loss": [0.0]}, runs=2, seed=first)
    assert table["seed"].tolist() == [first, first + 1]
    with pytest.raises(anabranch.ScenarioError, match="use a seed up to 18446744073709551614"):
        anabranch.run(quick, runs=2, seed=2**64 - 1)
