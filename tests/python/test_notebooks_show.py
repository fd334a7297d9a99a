"""What notebooks show of values, and pictures of one run."""

import anabranch
import pytest
from anabranch.labels import words


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("main.goodput_bps", "goodput of main"),
        ("main.wifi.cwnd_bytes", "cwnd of wifi of main"),
        ("main.delay_s.p95", "95 % quantile of the delay of main"),
        ("link.lte.reverse.loss", "reverse loss of link lte"),
        ("flow.main.sctp.scheduler", "scheduler of flow main"),
        ("loss", "loss"),
        ("time_s", "time"),
        ("run.seed", "seed of run"),
    ],
)
def test_columns_are_said_in_words(column, said):
    assert words(column) == said


def test_what_a_notebook_shows_is_a_table_whose_text_is_escaped(quick):
    shown = quick._repr_html_()
    assert "<table" in shown and "<td>4 Mbit/s</td>" in shown
    assert "&lt;text&gt;" in shown and "<text>" not in shown
    trace = anabranch.trace(quick)
    assert "<td>packets</td>" in trace._repr_html_()
    assert "goodput (Mbit/s)" in anabranch.predict(quick)._repr_html_()
    assert "main.goodput_bps (bit/s)" in anabranch.run(quick, runs=2).table()._repr_html_()
    assert anabranch.Estimate.of([9.0, 11.0])._repr_html_().startswith("<b>10</b> ± ")
    limited = quick.set("flow.main.sctp.receive_buffer", "128 KiB")
    assert "upper bound (Mbit/s)" in anabranch.plan(limited)._repr_html_()


def test_a_trace_is_drawn_with_a_line_for_each_path_or_direction(quick):
    trace = anabranch.trace(quick)
    axes = anabranch.plots.trace(trace)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time (s)", "cwnd (kB)")
    named = {text.get_text() for text in axes.get_legend().get_texts()}
    assert named == set(quick.paths)
    longest = trace.paths.to_pandas()["cwnd_bytes"].max() / 1e3
    assert max(line.get_ydata().max() for line in axes.lines) == pytest.approx(longest)
    queues = anabranch.plots.trace(trace, "queue_packets")
    # Nothing waits on the way back.
    assert [line.get_label() for line in queues.lines] == quick.links
    with pytest.raises(KeyError, match="did you mean 'cwnd_bytes'"):
        anabranch.plots.trace(trace, "cwnd_byte")
