//! What limited each path: five shares of its time, as a bar and as numbers.

use anabranch_base::Duration;
use anabranch_sim::result::{PathResult, RunResult};

use super::results::all_paths;

/// A reason why a path sent no more than it did.
#[derive(Clone, Copy, Debug)]
pub struct Reason {
    /// What it is called.
    pub label: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The style of its part of the bar.
    pub class: &'static str,
    span: fn(&PathResult) -> Duration,
}

impl Reason {
    /// For how long it held `path` back.
    pub fn span(&self, path: &PathResult) -> Duration {
        (self.span)(path)
    }
}

/// A path's time, shared out.
#[derive(Clone, Debug)]
pub struct TimeShares {
    /// The path, with its flow where there are several.
    pub name: String,
    /// Of each reason, in the order of [`REASONS`], its part in percent; empty where no time passed.
    pub parts: Vec<Part>,
}

/// One reason's part of a path's time.
#[derive(Clone, Debug)]
pub struct Part {
    /// The reason.
    pub reason: Reason,
    /// In percent with one decimal.
    pub percent: String,
}

/// All reasons, from the most ordinary.
pub const REASONS: &[Reason] = &[
    Reason {
        label: "congestion window",
        meaning: "it was full",
        class: "cwnd",
        span: |path| path.cwnd_limited,
    },
    Reason {
        label: "receive window",
        meaning: "it was too small",
        class: "rwnd",
        span: |path| path.rwnd_limited,
    },
    Reason {
        label: "scheduler",
        meaning: "both windows had room, but the scheduler sent nothing on this path",
        class: "scheduler",
        span: |path| path.scheduler_limited,
    },
    Reason {
        label: "application",
        meaning: "there was no data",
        class: "app",
        span: |path| path.app_limited,
    },
    Reason { label: "down", meaning: "the path carried no data", class: "down", span: |path| path.down },
];

/// The time of every path, shared out.
pub fn held(result: &RunResult) -> Vec<TimeShares> {
    let paths = all_paths(result).into_iter();
    paths.map(|(name, path)| TimeShares { name, parts: parts(path) }).collect()
}

fn parts(path: &PathResult) -> Vec<Part> {
    let spans = REASONS.iter().map(|reason| (reason.span)(path).as_secs_f64());
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
        let percents: Vec<String> = held(&result)[0].parts.iter().map(|part| part.percent.clone()).collect();
        assert_eq!(percents, ["75.0", "0.0", "0.0", "0.0", "25.0"]);
    }

    #[test]
    fn no_time_has_no_shares() {
        assert!(held(&testing::result())[0].parts.is_empty());
    }
}
