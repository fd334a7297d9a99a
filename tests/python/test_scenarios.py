"""Scenarios: reading, changing, comparing, and what is said when one is wrong."""

import datetime
import pickle

import anabranch
import numpy as np
import pytest


def test_a_setting_makes_a_new_scenario(phone):
    changed = phone.set("link.wifi.loss", 0.25)
    assert (phone["link.wifi.loss"], changed["link.wifi.loss"]) == (0.0, 0.25)
    assert changed.changes == ["link.wifi.loss=0.25"]


@pytest.mark.parametrize(
    ("key", "value", "used"),
    [
        ("link.wifi.delay", datetime.timedelta(milliseconds=35), "35 ms"),
        ("link.wifi.loss", np.float64(0.5), 0.5),
        ("flow.main.sctp.missing_reports", np.int64(4), 4),
        ("flow.main.sctp.window_management", [60, 27], [60, 27]),
        ("flow.main.sctp.window_management", np.array([60, 27]), [60, 27]),
        ("flow.main.sctp.sack", {"every": 1, "delay": "100 ms"}, None),
        ("flow.main.sctp.strict_window", True, True),
    ],
)
def test_values_of_python_are_values_of_settings(phone, key, value, used):
    found = phone.set(key, value)[key]
    if used is None:
        assert (found["every"], found["delay"]) == (1, "100 ms")
    else:
        assert found == used


def test_a_value_that_no_setting_can_have_is_refused(phone):
    with pytest.raises(TypeError, match="cannot be a object"):
        phone.set("link.wifi.loss", object())


def test_an_error_says_file_line_and_column(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text('[[link]]\nname = "a"\nrat = "1 Mbit/s"\n[[flow]]\ntransfer = "1 MB"\n')
    with pytest.raises(anabranch.ScenarioError) as caught:
        anabranch.Scenario.load(file)
    error = caught.value
    assert (error.file, error.line, error.column, error.kind) == (str(file), 3, 1, "unknown")
    assert error.nearest == "`rate`"
    shown = str(error)
    assert shown.startswith(f"{file}:3:1: ") and 'rat = "1 Mbit/s"' in shown and "^^^" in shown
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.nearest) == (shown, 3, error.nearest)


def test_an_error_in_a_setting_names_the_setting(phone):
    with pytest.raises(anabranch.ScenarioError) as caught:
        phone.set("flow.main.sctp.schedule", "ecf")
    assert caught.value.setting == "flow.main.sctp.schedule=ecf"
    assert caught.value.file is None


def test_a_file_that_is_not_there_is_an_error_of_the_system():
    with pytest.raises(FileNotFoundError):
        anabranch.Scenario.load("scenarios/none.toml")


def test_a_scenario_survives_pickling_with_its_traces():
    scenario = anabranch.Scenario.load("scenarios/trace.toml").set("run.time", "2 s")
    again = pickle.loads(pickle.dumps(scenario))
    assert again == scenario and hash(again) == hash(scenario)
    assert again != scenario.set("run.seed", 2)
    assert anabranch.run(again).to_dict() == anabranch.run(scenario).to_dict()


def test_keys_complete_with_the_names_of_the_scenario(phone):
    keys = phone._ipython_key_completions_()
    assert "link.wifi.loss" in keys and "flow.main.sctp.rto.min" in keys and "run.time" in keys
    assert not any("NAME" in key for key in keys)


def test_an_unknown_key_is_a_key_error(phone):
    with pytest.raises(KeyError):
        phone["link.wifi.nothing"]


def test_help_on_set_lists_the_settings_of_the_core():
    listed = anabranch.Scenario.set.__doc__
    assert "link.NAME.loss : a loss probability per packet, or a table\n    loss rule" in listed
    assert all(f"\n{setting.key} : " in listed for setting in anabranch.settings())


def test_every_setting_of_the_reference_has_values_and_a_meaning():
    for setting in anabranch.settings():
        assert setting.values and setting.meaning, setting.key
    assert "<td>link.NAME.loss</td>" in anabranch.settings("link.NAME.loss")._repr_html_()
    assert "run.time" in repr(anabranch.settings("run.time"))
