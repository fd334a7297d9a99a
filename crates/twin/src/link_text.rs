//! One direction of a link as lines of a scenario, each value with its evidence as a comment.

use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, LossRuns, Queue};
use anabranch_scenario::toml_text::string;

use crate::quantity::{Quantity, interval, share, sound};
use crate::trace_file::{TraceFile, trace};

/// A key with its value, and the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    key: &'static str,
    value: String,
    evidence: String,
}

impl Line {
    pub(crate) fn new(key: &'static str, value: impl Into<String>, evidence: impl Into<String>) -> Line {
        Line { key, value: value.into(), evidence: evidence.into() }
    }

    /// The line with its end.
    pub(crate) fn text(&self) -> String {
        let Line { key, value, evidence } = self;
        if evidence.is_empty() {
            format!("{key} = {value}\n")
        } else {
            format!("{key} = {value} # {evidence}\n")
        }
    }
}

/// One direction of a link.
#[derive(Clone, Copy)]
pub(crate) struct LinkDirection<'l> {
    pub link: &'l LinkEstimate,
    pub is_forward: bool,
}

impl<'l> LinkDirection<'l> {
    pub(crate) fn estimate(self) -> &'l DirectionEstimate {
        if self.is_forward { &self.link.forward } else { &self.link.reverse }
    }

    fn other(self) -> LinkDirection<'l> {
        LinkDirection { is_forward: !self.is_forward, ..self }
    }

    /// The measured rate, or that of the other direction; `None` if neither was measured.
    pub(crate) fn rate(self) -> Option<(Estimated, bool)> {
        let of = |estimate: &DirectionEstimate| sound(estimate.rate_bps).filter(|rate| rate.value > 0.0);
        let own = of(self.estimate()).map(|rate| (rate, true));
        own.or_else(|| of(self.other().estimate()).map(|rate| (rate, false)))
    }

    /// The rate and the queue of the bottleneck. A varying rate becomes a trace called `trace_name`.
    pub(crate) fn bottleneck(self, trace_name: &str, traces: &mut Vec<TraceFile>) -> Vec<Line> {
        let Some((rate, is_own)) = self.rate() else { return Vec::new() };
        let shown = Quantity::rate(rate.value);
        let evidence = if is_own {
            format!("{}, {}", shown.interval(&rate), samples(rate))
        } else {
            "assumed: not measured this way, as the other way".to_owned()
        };
        let steps = self.estimate().rate_steps.as_deref().filter(|_| is_own);
        let rate_line = match steps.and_then(trace) {
            Some(text) => {
                traces.push(TraceFile { name: trace_name.to_owned(), text });
                let value = format!("{{ trace = {}, repeat = true }}", string(trace_name));
                Line::new("rate", value, format!("varies around {}: {evidence}", shown.plain()))
            }
            None => Line::new("rate", shown.quoted(), evidence),
        };
        vec![rate_line, self.queue()]
    }

    fn queue(self) -> Line {
        let own = self.estimate().queue.as_ref().filter(|queue| is_sound(queue));
        let other = self.other().estimate().queue.as_ref().filter(|queue| is_sound(queue));
        match (own, other) {
            (Some(queue), _) => queue_line(queue),
            (None, Some(queue)) => {
                let value = Quantity::size(queue.depth_bytes.value).quoted();
                Line::new("queue", value, "assumed: not measured this way, as the other way")
            }
            (None, None) => Line::new("queue", "\"50 packets\"", "assumed: not measured"),
        }
    }

    /// Half of the least round trip, and its variation this way.
    pub(crate) fn delays(self) -> Vec<Line> {
        let mut lines = Vec::new();
        match sound(self.link.round_trip_s) {
            None => lines.push(Line::new("delay", "\"0 s\"", "assumed: no round trip was measured")),
            Some(trip) => {
                let bits = PROBE_BYTES * 8.0;
                let on_the_line: f64 = [self, self.other()]
                    .iter()
                    .filter_map(|direction| direction.rate())
                    .map(|(rate, _)| bits / rate.value)
                    .sum();
                let shown = Quantity::span((trip.value - on_the_line).max(0.0) / 2.0);
                let whole = Quantity::span(trip.value);
                let evidence = format!(
                    "half of the least round trip, {} ({}, {}), as clocks differ",
                    whole.plain(),
                    whole.interval(&trip),
                    samples(trip)
                );
                lines.push(Line::new("delay", shown.quoted(), evidence));
            }
        }
        let variation =
            sound(self.estimate().variation_s).filter(|variation| variation.value >= LEAST_JITTER_S);
        lines.push(match variation {
            None => Line::new(
                "jitter",
                "\"0 s\"",
                "the delay at rest varies by less than 0.1 ms, or was not measured",
            ),
            Some(variation) => {
                // 95 % of values between 0 and the greatest are below 0.95 of it.
                let shown = Quantity::span(variation.value / 0.95);
                let whole = Quantity::span(variation.value);
                let evidence =
                    format!("95 % at rest within {} ({})", whole.plain(), whole.interval(&variation));
                Line::new("jitter", shown.quoted(), evidence)
            }
        });
        lines
    }

    /// The losses by chance.
    pub(crate) fn loss(self) -> Line {
        let Some(loss) = sound(self.estimate().chance_loss) else {
            return Line::new("loss", "0.0", "assumed: not measured");
        };
        let evidence = format!("{}, {}, before the queue is full", interval(&loss, 1.0), samples(loss));
        match self.estimate().loss_runs.as_ref().and_then(channel) {
            None => Line::new("loss", share(loss.value), evidence),
            Some((good, bad)) => {
                let value = format!(
                    "{{ kind = \"gilbert-elliott\", good = {}, bad = {}, loss_good = 0.0, loss_bad = 1.0 }}",
                    good.quoted(),
                    bad.quoted()
                );
                Line::new("loss", value, format!("in runs, {} of packets: {evidence}", share(loss.value)))
            }
        }
    }

    /// The largest packet.
    pub(crate) fn mtu(self) -> Line {
        let hole = self.link.mtu_hole_bytes.or(self.link.mtu_hole_reverse_bytes);
        let evidence = match hole {
            Some(_) => "the largest packet that arrived; a larger one that the transport used vanished",
            None => "the largest packet that arrived",
        };
        match self.link.mtu_bytes {
            Some(bytes) => Line::new("mtu", format!("\"{} B\"", bytes.clamp(68, 65_535)), evidence),
            None => Line::new("mtu", "\"none\"", "assumed: not measured"),
        }
    }
}

/// A count of samples, in words.
pub(crate) fn samples(estimated: Estimated) -> String {
    match estimated.samples {
        1 => "1 sample".to_owned(),
        count => format!("{count} samples"),
    }
}

fn is_sound(queue: &Queue) -> bool {
    sound(Some(queue.depth_bytes)).is_some()
}

fn queue_line(queue: &Queue) -> Line {
    let bytes = queue.depth_bytes;
    let shown = Quantity::size(bytes.value);
    let mut evidence = format!("{}, {}", shown.interval(&bytes), samples(bytes));
    if let Some(depth) = sound(Some(queue.depth_s)) {
        evidence += &format!(", {} of the rate", Quantity::span(depth.value).plain());
    }
    if queue.is_policer {
        evidence += "; a policer, which loses what such a queue would";
    } else if queue.is_at_least {
        evidence += "; at least this, it was not filled to its end";
    }
    Line::new("queue", shown.quoted(), evidence)
}

/// The mean times of the good and the bad state, of a process in time that has these steps from packet to packet: over
/// a distance d, P(good to bad) = (1 - g) (1 - e^(-λd)) and P(bad to good) = g (1 - e^(-λd)), with the share g of the
/// good state and λ = 1 / good + 1 / bad.
fn channel(runs: &LossRuns) -> Option<(Quantity, Quantity)> {
    let (to_bad, to_good) = (runs.good_to_bad.value, runs.bad_to_good.value);
    let is_share = |value: f64| value > 0.0 && value < 1.0;
    let changes = to_bad + to_good;
    if !is_share(to_bad) || !is_share(to_good) || !is_share(changes) || runs.spacing_s <= 0.0 {
        return None;
    }
    let both = -(1.0 - changes).ln() / runs.spacing_s;
    let (good, bad) = (changes / (to_bad * both), changes / (to_good * both));
    let is_time = |seconds: f64| (LEAST_STATE_S..=MOST_STATE_S).contains(&seconds);
    (is_time(good) && is_time(bad)).then(|| (Quantity::span(good), Quantity::span(bad)))
}

/// The size of a packet that measures round trips at rest: its time on the line is not propagation.
const PROBE_BYTES: f64 = 100.0;

/// The least jitter that is written.
const LEAST_JITTER_S: f64 = 1e-4;

/// Bounds of the mean times of a channel's states.
const LEAST_STATE_S: f64 = 1e-6;
const MOST_STATE_S: f64 = 60.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_in_time_has_the_steps_that_were_seen() {
        let of = |value| Estimated { value, low: value, high: value, samples: 9 };
        let runs = LossRuns { good_to_bad: of(0.002), bad_to_good: of(0.2), spacing_s: 0.001 };
        let (good, bad) = channel(&runs).expect("a channel");
        assert_eq!((good.quoted(), bad.quoted()), ("\"447.6 ms\"".to_owned(), "\"4.476 ms\"".to_owned()));
        for spacing_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(channel(&LossRuns { spacing_s, ..runs }), None);
        }
        assert_eq!(channel(&LossRuns { bad_to_good: of(1.0), ..runs }), None);
    }
}
