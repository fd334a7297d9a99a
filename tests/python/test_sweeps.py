"""Sweeps: the same table from threads, processes and a cluster, also when workers die."""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import time

import anabranch
import pandas as pd
import pytest
from anabranch import executors

GRID = {"link.a.loss": [0.0, 0.02], "link.b.delay": "10 ms..50 ms:3"}
RUNS = 4


@pytest.fixture
def expected(quick):
    """The table of one thread."""
    return anabranch.sweep(quick, GRID, runs=RUNS, threads=1)


def test_a_row_is_that_of_a_run(quick, expected):
    frame = expected.to_pandas()
    assert len(frame) == len(expected) == 6 * RUNS
    assert (
        frame["link.b.delay"].unique().tolist() == [0.01, 0.03, 0.05] and expected.unit("link.b.delay") == "s"
    )
    assert frame["seed"].tolist() == [1, 2, 3, 4] * 6
    alone = anabranch.run(quick.set({"link.a.loss": 0.02, "link.b.delay": "50 ms"}), runs=RUNS).table()
    last = frame[frame["point"] == 5].reset_index(drop=True)
    pd.testing.assert_frame_equal(last[alone.columns], alone.to_pandas(), check_exact=True)


def test_threads_make_the_same_table(quick, expected):
    assert anabranch.sweep(quick, GRID, runs=RUNS, threads=2).equals(expected)


@pytest.mark.parametrize(
    "pool", [concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor]
)
def test_an_executor_makes_the_same_table(quick, expected, pool):
    with pool(2) as executor:
        assert anabranch.sweep(quick, GRID, runs=RUNS, executor=executor).equals(expected)


def test_a_zip_goes_value_by_value(quick):
    table = anabranch.sweep(quick, {"link.a.loss": [0.0, 0.1], "link.b.loss": [0.1, 0.0]}, zip=True)
    assert table.to_pandas()[["link.a.loss", "link.b.loss"]].values.tolist() == [[0.0, 0.1], [0.1, 0.0]]


def test_until_is_answered_at_every_point(quick):
    table = anabranch.sweep(quick, {"link.a.loss": [0.0, 0.05]}, until=0.1)
    for _, point in table.to_pandas().groupby("point"):
        goodput = anabranch.Estimate.of(point["main.goodput_bps"])
        assert goodput.n >= 5 and goodput.ci95 <= 0.1 * goodput.mean


def test_a_wrong_point_is_an_error_before_any_run(quick):
    with pytest.raises(anabranch.ScenarioError) as caught:
        anabranch.sweep(quick, {"link.a.loss": [0.0, 2.0]})
    assert caught.value.setting == "link.a.loss=2.0"
    with pytest.raises(ValueError, match="use seed="):
        anabranch.sweep(quick, {"run.seed": [1, 2]})


def test_finished_runs_are_kept_and_the_table_is_written(quick, expected, tmp_path):
    anabranch.sweep(quick, GRID, runs=2, out=tmp_path)
    again = anabranch.sweep(quick, GRID, runs=RUNS, out=tmp_path)
    assert again.equals(expected)
    assert any(path.suffix == ".parquet" for path in tmp_path.iterdir())


def test_a_scenario_with_traces_sweeps_without_its_folder(tmp_path):
    (tmp_path / "up").write_text("10\n20\n")
    text = 'run = { time = "1 s" }\n[[link]]\nname = "a"\nrate = { trace = "up" }\n[[flow]]\n'
    scenario = anabranch.Scenario.parse(text, folder=tmp_path)
    (tmp_path / "up").unlink()
    with concurrent.futures.ProcessPoolExecutor(1) as executor:
        table = anabranch.sweep(scenario, {"link.a.delay": ["1 ms", "2 ms"]}, executor=executor)
    assert len(table) == 2


class DyingPool(concurrent.futures.Executor):
    """Runs batches at once; the first `deaths` of them lose their worker."""

    def __init__(self, deaths):
        self.deaths = deaths

    def submit(self, work, *arguments):
        future = concurrent.futures.Future()
        self.deaths -= 1
        if self.deaths >= 0:
            future.set_exception(ConnectionResetError("the worker died"))
        else:
            future.set_result(work(*arguments))
        return future


def test_a_batch_that_lost_its_worker_is_sent_again(quick, expected):
    assert anabranch.sweep(quick, GRID, runs=RUNS, executor=DyingPool(3)).equals(expected)
    with pytest.raises(anabranch.WorkerError, match="2 times"):
        anabranch.sweep(quick, GRID, runs=RUNS, executor=DyingPool(10**9), retries=1)


def test_an_error_of_a_batch_is_not_sent_again():
    assert not executors.is_death(ValueError("wrong"))
    with concurrent.futures.ThreadPoolExecutor(1) as executor, pytest.raises(anabranch.AnabranchError):
        executor.submit(executors.run_batch, b"nonsense").result()


def test_a_pool_whose_process_is_killed_is_made_anew(quick, expected):
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        executor.submit(os.getpid).result()
        victim = next(iter(executor._processes))
        os.kill(victim, signal.SIGKILL)
        assert anabranch.sweep(quick, GRID, runs=RUNS, executor=executor).equals(expected)


def test_ctrl_c_keeps_the_finished_runs(tmp_path):
    source = f"""
import anabranch, sys
scenario = anabranch.Scenario.load("scenarios/wifi-lte.toml")
print("begun", flush=True)
try:
    anabranch.sweep(scenario, {{"link.wifi.loss": "0..0.01:1000"}}, out={str(tmp_path)!r})
except KeyboardInterrupt as interrupt:
    print(interrupt.__notes__[0], flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    journal = tmp_path / "runs.journal"
    while not journal.exists() or journal.stat().st_size < 10_000:
        time.sleep(0.05)
    begun = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    assert str(tmp_path) in child.stdout.readline()
    assert time.monotonic() - begun < 1
    child.wait(timeout=10)
    assert pathlib.Path(journal).read_text().count("\nrun\t") > 0


def test_a_cluster_makes_the_same_table_when_a_worker_is_killed(quick):
    distributed = pytest.importorskip("distributed")
    longer = quick.set({"run.time": "20 s", "flow.main.sctp.scheduler": "ecf"})
    expected = anabranch.sweep(longer, GRID, runs=RUNS)
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killed = []

        class KillingExecutor(concurrent.futures.Executor):
            """Dask's, which loses a worker in the middle."""

            inner, _client = client.get_executor(), client
            sent = 0

            def submit(self, *arguments):
                self.sent += 1
                # The first batches are a run each: all workers have some by now.
                if self.sent == 5:
                    os.kill(pids[0], signal.SIGKILL)
                    killed.append(pids[0])
                return self.inner.submit(*arguments)

        assert anabranch.sweep(longer, GRID, runs=RUNS, executor=KillingExecutor()).equals(expected)
        assert killed == pids[:1]
