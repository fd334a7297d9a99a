//! BALIA, the balanced linked adaptation (Peng, Walid, Hwang, Low; draft-walid-mptcp-congestion-control).

use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::congestion::coupled::{Coupled, CoupledRule, Member};

/// The rule.
#[derive(Clone, Copy, Debug)]
pub struct Balia;

/// A cut is at most this much more than half of the window.
const DEEPEST: f64 = 1.5;

impl CoupledRule for Balia {
    fn growth(&self, members: &[Member], of: usize) -> f64 {
        let rates: f64 = members.iter().map(rate).sum();
        let ratio = ratio(members, of);
        let base = rate(&members[of]) / (members[of].srtt * rates.powi(2));
        base * (1.0 + ratio) / 2.0 * (4.0 + ratio) / 5.0
    }

    fn after_loss(&self, members: &[Member], of: usize, least: f64) -> Option<f64> {
        let least = if members.len() > 1 { 1.0 } else { least };
        let window = members[of].window;
        Some((window - window / 2.0 * ratio(members, of).min(DEEPEST)).max(least))
    }
}

/// x: the rate that the window gives.
fn rate(member: &Member) -> f64 {
    member.window / member.srtt
}

/// α: how much faster the fastest path is.
fn ratio(members: &[Member], of: usize) -> f64 {
    members.iter().map(rate).fold(0.0, f64::max) / rate(&members[of])
}

pub(crate) fn add(registry: &mut Registry) {
    registry.congestion_controls.add_rule("balia", |rules| Coupled::new(Balia, rules.reno));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_sctp::policy::testing::members;

    #[test]
    fn golden_the_slower_path_grows_more_and_is_cut_deeper() {
        let paths = members([10.0, 20.0], [0.1, 0.4]);
        let growth = [0, 1].map(|of| (Balia.growth(&paths, of) * 1e5).round() / 1e5);
        assert_eq!([0, 1].map(|of| ratio(&paths, of)), [1.0, 2.0]);
        assert_eq!(growth, [0.04444, 0.01]);
        assert_eq!([0, 1].map(|of| Balia.after_loss(&paths, of, 4.0)), [Some(5.0), Some(5.0)]);
    }
}
