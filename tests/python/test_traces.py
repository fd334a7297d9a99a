"""Traces: the tables in memory say what the files of the program say."""

import os
import pathlib
import subprocess

import anabranch
import pandas as pd
import pytest


@pytest.mark.parametrize("name", ["wifi-lte", "radio-string", "beside-tcp"])
def test_tables_in_memory_are_those_of_the_programs_files(name, tmp_path):
    file = f"scenarios/{name}.toml"
    built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "debug" / "anabranch"
    settings = ["--set", "run.time=2 s", "--set", "run.warmup=0 s"]
    subprocess.run([built, "sim", file, "--quiet", *settings, "--trace", tmp_path], check=True)
    scenario = anabranch.Scenario.load(file).set({"run.time": "2 s", "run.warmup": "0 s"})
    trace = anabranch.trace(scenario)
    assert len(trace.packets) > 100
    for table in ("paths", "links", "packets"):
        written = pd.read_csv(tmp_path / f"{name}-seed1-{table}.csv", keep_default_na=False, dtype=str)
        ours = trace[table].to_pandas()
        assert list(ours.columns) == list(written.columns)
        assert len(ours) == len(written)
        for column in ours.columns:
            compare(ours[column], written[column])
    assert trace.packets.unit("size_bytes") == "B" and "headers" in trace.packets.meaning("size_bytes")


def compare(ours, written):
    if pd.api.types.is_bool_dtype(ours.dtype):
        assert (ours.map({True: "true", False: "false"}) == written).all(), ours.name
    elif pd.api.types.is_numeric_dtype(ours.dtype):
        numbers = pd.to_numeric(written, errors="coerce")
        assert ((ours == numbers) | (ours.isna() & numbers.isna())).all(), ours.name
    else:
        assert (ours.astype(object).fillna("") == written).all(), ours.name


def test_a_seed_chooses_the_run(quick):
    first, again, other = (anabranch.trace(quick, seed=seed).packets for seed in (1, 1, 2))
    assert first.equals(again) and not first.equals(other)
    assert repr(anabranch.trace(quick)).startswith("<Trace: ")
