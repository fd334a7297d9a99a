//! OLIA, the opportunistic linked increases (Khalili et al., CoNEXT 2012; draft-khalili-mptcp-congestion-control; completions
//! 5.6): the best paths grow faster, and those with the largest windows yield to them.

use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::congestion::coupled::{Coupled, CoupledRule, Member};

/// The rule.
#[derive(Clone, Copy, Debug)]
pub struct Olia;

impl CoupledRule for Olia {
    fn growth(&self, members: &[Member], of: usize) -> f64 {
        let member = members[of];
        let rates: f64 = members.iter().map(|member| member.window / member.srtt).sum();
        let base = member.window / member.srtt.powi(2) / rates.powi(2);
        base + preference(members, of) / member.window
    }

    /// "The minimum ssthresh is 1 MSS when more than one path is up."
    fn after_loss(&self, members: &[Member], of: usize, least: f64) -> Option<f64> {
        let least = if members.len() > 1 { 1.0 } else { least };
        Some((members[of].window / 2.0).max(least))
    }
}

/// α of a path. If the best paths have not the largest windows, they get what the largest give.
fn preference(members: &[Member], of: usize) -> f64 {
    let quality = |member: &Member| member.progress.powi(2) / member.srtt;
    let most = |value: &dyn Fn(&Member) -> f64| members.iter().map(value).fold(f64::MIN, f64::max);
    let (best, largest) = (most(&quality), most(&|member| member.window));
    let is_largest = |member: &Member| member.window >= largest;
    let is_collected = |member: &Member| quality(member) >= best && !is_largest(member);
    let collected = members.iter().filter(|member| is_collected(member)).count();
    if collected == 0 {
        return 0.0;
    }
    let paths = members.len() as f64;
    let member = &members[of];
    if is_collected(member) {
        1.0 / (paths * collected as f64)
    } else if is_largest(member) {
        -1.0 / (paths * members.iter().filter(|member| is_largest(member)).count() as f64)
    } else {
        0.0
    }
}

pub(crate) fn add(registry: &mut Registry) {
    registry.congestion_controls.add_rule("olia", |rules| Coupled::new(Olia, rules.reno));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use anabranch_sctp::policy::testing::members;

    #[test]
    fn golden_the_better_path_with_the_smaller_window_grows_faster() {
        let mut paths = members([10.0, 20.0], [0.1, 0.2]);
        let growth = |paths: &[Member]| [0, 1].map(|of| (Olia.growth(paths, of) * 1e6).round() / 1e6);
        // Without progress both are best, and the one with the smaller window is collected.
        (paths[0].progress, paths[1].progress) = (100.0, 400.0);
        assert_eq!(growth(&paths), [0.025, 0.0125], "the best path has the largest window");
        (paths[0].progress, paths[1].progress) = (400.0, 100.0);
        assert_eq!(growth(&paths), [0.075, -0.0125]);
    }

    proptest! {
        /// Preferences move windows between paths and add nothing.
        #[test]
        fn preferences_are_balanced(
            windows in [1.0..1e3_f64, 1.0..1e3, 1.0..1e3],
            srtts in [1e-3..1.0_f64, 1e-3..1.0, 1e-3..1.0],
            progress in [0.0..1e4_f64, 0.0..1e4, 0.0..1e4],
        ) {
            let mut paths = members(windows, srtts);
            paths.iter_mut().zip(progress).for_each(|(path, progress)| path.progress = progress);
            let sum: f64 = (0..3).map(|of| preference(&paths, of)).sum();
            prop_assert!(sum.abs() < 1e-12);
        }
    }
}
