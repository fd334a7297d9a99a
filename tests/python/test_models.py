"""Predictions, plans and comparisons."""

import math

import anabranch
import pytest
from program import program


def test_a_prediction_is_that_of_the_program(phone):
    lossy = phone.set("link.wifi.loss", 0.01)
    ours = anabranch.predict(lossy)
    assert ours.to_dict() == program("predict", "scenarios/wifi-lte.toml", "--set", "link.wifi.loss=0.01")
    assert ours.models["markov"].total_bps == sum(path.throughput_bps for path in ours.models["markov"].paths)
    correlated = anabranch.predict(lossy, ["renewal", "markov"], loss_model="correlated")
    assert list(correlated.models) == ["markov", "renewal"]


def test_a_plan_is_that_of_the_program(phone):
    small = phone.set("flow.main.sctp.receive_buffer", "128 KiB")
    ours = anabranch.plan(small, method="step", step=5, model="renewal")
    arguments = ("--set", "flow.main.sctp.receive_buffer=128 KiB", "--method", "step", "--step", "5")
    assert ours.to_dict() == program("plan", "scenarios/wifi-lte.toml", *arguments, "--model", "renewal")
    assert sum(ours.limits_packets) <= ours.receive_buffer_packets


def test_what_cannot_be_planned_is_an_error(phone):
    with pytest.raises(anabranch.ModelError, match="cannot plan for flow"):
        anabranch.plan(anabranch.Scenario.load("scenarios/tcp-dumbbell.toml"))
    with pytest.raises(anabranch.ScenarioError) as caught:
        anabranch.plan(phone.set("flow.main.sctp.receive_buffer", "1500 B"))
    assert caught.value.setting == "flow.main.sctp.receive_buffer=1500 B"


def test_names_that_the_models_do_not_have_are_refused(phone):
    with pytest.raises(ValueError, match="model is one of markov, renewal, pftk, mptcp"):
        anabranch.predict(phone, "crystal-ball")
    with pytest.raises(ValueError, match="needs step"):
        anabranch.plan(phone, method="step")


def test_a_comparison_pairs_runs_of_equal_seeds(quick):
    other = quick.set("link.a.rate", "8 Mbit/s")
    comparison = anabranch.compare(quick, other, runs=8, seed=3)
    assert comparison.a.seeds == comparison.b.seeds == list(range(3, 11))
    row = comparison.table().loc["main.goodput_bps"]
    a, b = (results.table()["main.goodput_bps"] for results in (comparison.a, comparison.b))
    assert row["difference"] == pytest.approx((b - a).mean())
    assert row["ratio"] == pytest.approx(b.mean() / a.mean())
    assert 0 < row["ratio_ci95"] < row["ratio"] - 1, "twice the rate is faster, and the interval says so"
    # Pairs vary less than runs by themselves: that is what they are for.
    assert row["difference_ci95"] == pytest.approx(anabranch.Estimate.of(b - a).ci95)


def test_a_scenario_beside_itself_does_not_differ(quick):
    table = anabranch.compare(quick, quick, runs=3).table()
    assert (table["difference"] == 0).all() and (table["ratio"].dropna() == 1).all()


def test_fairness_is_compared_where_there_are_several_flows(quick):
    assert "fairness" not in anabranch.compare(quick, quick, runs=2).table().index
    beside = anabranch.Scenario.load("scenarios/beside-tcp.toml")
    beside = beside.set({"run.time": "3 s", "run.warmup": "0 s"})
    fairness = anabranch.compare(beside, beside, runs=2).table().loc["fairness", "a"]
    assert 1 / len(beside.flows) <= fairness <= 1


def test_an_estimate_without_values_is_not_a_number():
    assert math.isnan(anabranch.Estimate.of([math.nan]).mean)
