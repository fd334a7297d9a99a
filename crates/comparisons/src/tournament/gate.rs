//! The checks of a policy on a network.

use anabranch_runs::by_seed::BySeed;
use serde::Deserialize;

use super::course::Bounds;

/// A check. `G5` judges the mean of the seeds' p99 of the delay of messages, every other gate the mean goodput.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Gate {
    /// Never worse than what the best link can carry.
    G1,
    /// With an ample buffer, goodput below the links' sum has another cause.
    G2,
    /// A small buffer is a reason only as far as the bound says: networks whose paths have no delay.
    G3,
    /// The same: any network.
    #[serde(rename = "UB")]
    Ub,
    /// The network of 10 Mbit/s 20 ms and 1 Mbit/s 100 ms with 64 KiB.
    G4,
    /// Messages at a constant rate are in time.
    G5,
    /// Never worse than filling window after window.
    G6,
    /// Never worse than the better of two plain schedulers.
    G7,
}

/// A policy on a network: means over the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Performance {
    /// Goodput in Mbit/s.
    pub(crate) goodput_mbps: f64,
    /// The delay that 99 % of the messages did not exceed, in milliseconds.
    pub(crate) p99_ms: f64,
}

/// The values that a gate compares with. Rates are in Mbit/s of user data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yardstick {
    /// The bounds on the goodput of any sender.
    pub bounds: Bounds,
    /// The mean of the path that carried most alone, if they were run.
    pub best_alone: Option<f64>,
    /// The mean of `fill`, if it was run.
    pub fill: Option<f64>,
    /// The mean of `lowest-rtt`, if it was run.
    pub lowest_rtt: Option<f64>,
    /// The greatest delay of a path, one way, in milliseconds.
    pub longest_delay_ms: f64,
}

impl Gate {
    /// Every gate, in the order of the tables.
    pub const ALL: [Gate; 8] =
        [Gate::G1, Gate::G2, Gate::G3, Gate::Ub, Gate::G4, Gate::G5, Gate::G6, Gate::G7];

    /// Returns true if `performance` is enough; `None` if what it is compared with was not run.
    pub fn is_passed(self, performance: Performance, against: &Yardstick) -> Option<bool> {
        let least = match self {
            Gate::G1 => 0.97 * against.bounds.best_link,
            Gate::G2 => 0.95 * against.bounds.ceiling,
            Gate::G3 | Gate::Ub => 0.95 * against.bounds.bound,
            Gate::G4 => 9.65,
            Gate::G5 => return Some(performance.p99_ms <= against.latest_ms()),
            Gate::G6 => 0.98 * against.fill?,
            Gate::G7 => 0.98 * against.fill?.max(against.lowest_rtt?),
        };
        Some(performance.goodput_mbps >= least)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Gate::G1 => "G1",
            Gate::G2 => "G2",
            Gate::G3 => "G3",
            Gate::Ub => "UB",
            Gate::G4 => "G4",
            Gate::G5 => "G5",
            Gate::G6 => "G6",
            Gate::G7 => "G7",
        }
    }
}

impl Yardstick {
    /// The greatest p99 that gate G5 allows, in milliseconds.
    pub(crate) fn latest_ms(&self) -> f64 {
        self.longest_delay_ms + 100.0
    }
}

/// G7 strictly: whether `policy` is below `fill` by more than chance, i.e. whether the 95 % interval of the differences of
/// the same seeds lies below zero. A single seed says nothing of chance.
pub(crate) fn is_below_by_more_than_chance(policy: &BySeed, fill: &BySeed) -> bool {
    policy.values().len() > 1 && policy.minus(fill).high() < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGAINST: Yardstick = Yardstick {
        bounds: Bounds { ceiling: 60.0, bound: 50.0, with_start: 49.0, with_repairs: 45.0, best_link: 40.0 },
        best_alone: Some(10.0),
        fill: Some(20.0),
        lowest_rtt: Some(30.0),
        longest_delay_ms: 80.0,
    };

    /// Returns true if the gate is passed with this goodput, and with a delay that no gate allows.
    fn passes(gate: Gate, goodput_mbps: f64, against: Yardstick) -> Option<bool> {
        gate.is_passed(Performance { goodput_mbps, p99_ms: 1e9 }, &against)
    }

    #[test]
    fn a_rate_passes_from_its_bound_on() {
        let cases = [
            (Gate::G1, 38.8, AGAINST),
            (Gate::G2, 0.95 * 60.0, AGAINST),
            (Gate::G3, 0.95 * 50.0, AGAINST),
            (Gate::Ub, 0.95 * 50.0, AGAINST),
            (Gate::G4, 9.65, AGAINST),
            (Gate::G6, 19.6, AGAINST),
            (Gate::G7, 29.4, AGAINST),
            (Gate::G7, 39.2, Yardstick { fill: Some(40.0), ..AGAINST }),
        ];
        for (gate, least, against) in cases {
            assert_eq!(passes(gate, least + 1e-9, against), Some(true), "{gate:?} with {least}");
            assert_eq!(passes(gate, least - 1e-9, against), Some(false), "{gate:?} with {least}");
        }
    }

    #[test]
    fn a_gate_that_compares_with_runs_is_open_without_them() {
        let without = Yardstick { best_alone: None, fill: None, lowest_rtt: None, ..AGAINST };
        let judged = |gate: Gate| passes(gate, 100.0, without).is_some();
        let open: Vec<Gate> = Gate::ALL.into_iter().filter(|gate| !judged(*gate)).collect();
        assert_eq!(open, [Gate::G6, Gate::G7]);
    }

    #[test]
    fn a_delay_passes_up_to_the_slowest_path_and_a_tenth_of_a_second() {
        let is_in_time =
            |p99_ms| Gate::G5.is_passed(Performance { goodput_mbps: 0.0, p99_ms }, &AGAINST) == Some(true);
        assert!(is_in_time(180.0) && !is_in_time(180.001) && !is_in_time(f64::INFINITY));
    }

    #[test]
    fn below_by_more_than_chance_is_judged_seed_by_seed() {
        let sample = |values: [f64; 3]| BySeed::new(values.to_vec()).expect("three");
        let fill = sample([10.0, 20.0, 30.0]);
        assert!(is_below_by_more_than_chance(&sample([9.9, 19.9, 29.85]), &fill));
        assert!(!is_below_by_more_than_chance(&sample([10.2, 19.9, 29.8]), &fill), "within chance");
        assert!(!is_below_by_more_than_chance(&sample([9.0, 12.0, 37.0]), &fill), "within chance");
        assert!(!is_below_by_more_than_chance(&fill, &fill));
        let one = |value| BySeed::new(vec![value]).expect("one");
        assert!(!is_below_by_more_than_chance(&one(1.0), &one(10.0)), "one seed");
        assert!(!is_below_by_more_than_chance(&sample([11.0, 21.0, 31.0]), &fill));
    }

    #[test]
    fn a_gate_is_read_by_its_name() {
        let names = Gate::ALL.map(Gate::name);
        let read: Vec<Gate> = names
            .iter()
            .map(|name| serde_json::from_str(&format!("\"{name}\"")).expect("it is one"))
            .collect();
        assert_eq!(read, Gate::ALL);
    }
}
