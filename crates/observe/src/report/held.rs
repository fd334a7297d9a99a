//! The limits of each path: six shares of its time, as a bar and as numbers.

use anabranch_base::Duration;
use anabranch_sim::result::{PathResult, RunResult};

use super::results::all_paths;
use super::series::FlowSeries;

/// A reason why a path did not send more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    /// The name.
    pub label: &'static str,
    /// The meaning.
    pub meaning: &'static str,
    /// The CSS class of its part of the bar.
    pub class: &'static str,
    span: fn(&HeldPath<'_>) -> Duration,
}

impl Reason {
    /// The time for which it held `path` back, if the path was open from the start.
    pub(super) fn span(&self, path: &PathResult) -> Duration {
        (self.span)(&HeldPath { path, unopened: Duration::ZERO })
    }
}

/// A path, and the time before it was open.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldPath<'a> {
    path: &'a PathResult,
    unopened: Duration,
}

/// The time of a path by reasons.
#[derive(Clone, Debug)]
pub(super) struct TimeShares {
    /// The path, with its flow where there are several.
    pub name: String,
    /// The share of each reason, in the order of [`REASONS`]; empty where no time passed.
    pub parts: Vec<Part>,
}

/// The share of one reason in a path's time.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The reason.
    pub reason: Reason,
    /// The share in per cent with one decimal.
    pub percent: String,
}

/// The reasons, the most common first.
pub(crate) const REASONS: &[Reason] = &[
    Reason {
        label: "congestion window",
        meaning: "it was full",
        class: "cwnd",
        span: |held| held.path.cwnd_limited,
    },
    Reason {
        label: "receive window",
        meaning: "it was too small",
        class: "rwnd",
        span: |held| held.path.rwnd_limited,
    },
    Reason {
        label: "scheduler",
        meaning: "both windows had room, but the scheduler sent nothing on this path",
        class: "scheduler",
        span: |held| held.path.scheduler_limited,
    },
    Reason {
        label: "application",
        meaning: "there was no data",
        class: "app",
        span: |held| held.path.app_limited,
    },
    Reason {
        label: "not open yet",
        meaning: "its flow had not started or was connecting, or no probe was answered on it so far",
        class: "unopened",
        span: |held| held.unopened.min(held.path.down),
    },
    Reason {
        label: "down",
        meaning: "it had failed, and carried no data",
        class: "down",
        span: |held| held.path.down.saturating_sub(held.unopened),
    },
];

/// The time of every path by reasons.
pub(super) fn held(result: &RunResult, series: &[FlowSeries]) -> Vec<TimeShares> {
    let counts = result.flows.iter().enumerate();
    let places = counts.flat_map(|(flow, of)| (0..of.paths.len()).map(move |path| (flow, path)));
    let unopened = |(flow, path): (usize, usize)| {
        let series = series.get(flow).and_then(|flow| flow.paths.get(path));
        series.map_or(Duration::ZERO, |path| path.unopened(result.time))
    };
    let paths = all_paths(result).into_iter().zip(places);
    paths
        .map(|((name, path), place)| TimeShares {
            name,
            parts: parts(&HeldPath { path, unopened: unopened(place) }),
        })
        .collect()
}

fn parts(held: &HeldPath<'_>) -> Vec<Part> {
    let spans = REASONS.iter().map(|reason| (reason.span)(held).as_secs_f64());
    let total: f64 = spans.clone().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let parts = REASONS.iter().zip(spans);
    parts
        .map(|(reason, span)| Part { reason: *reason, percent: format!("{:.1}", span / total * 100.0) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_shares_are_those_of_the_reported_time() {
        let mut result = testing::result();
        result.flows[0].paths[0].cwnd_limited = Duration::from_secs(3);
        result.flows[0].paths[0].down = Duration::from_secs(1);
        let percents: Vec<String> =
            held(&result, &[])[0].parts.iter().map(|part| part.percent.clone()).collect();
        assert_eq!(percents, ["75.0", "0.0", "0.0", "0.0", "0.0", "25.0"]);
    }

    #[test]
    fn a_path_that_was_not_open_yet_was_not_down() {
        let path = PathResult { down: Duration::from_secs(4), ..testing::result().flows[0].paths[0].clone() };
        let share = |unopened| -> Vec<String> {
            parts(&HeldPath { path: &path, unopened }).iter().map(|part| part.percent.clone()).collect()
        };
        assert_eq!(share(Duration::from_secs(1))[4..], ["25.0", "75.0"]);
        assert_eq!(share(Duration::from_secs(9))[4..], ["100.0", "0.0"], "the clock of its time began later");
    }

    #[test]
    fn no_time_has_no_shares() {
        assert!(held(&testing::result(), &[])[0].parts.is_empty());
    }
}
