//! LIA, the linked increases of Multipath TCP (RFC 6356; M-MP-2; LIU (2), (3)).

use super::{CoupledRule, Member};

/// The rule.
#[derive(Clone, Copy, Debug)]
pub struct Lia;

impl CoupledRule for Lia {
    fn growth(&self, members: &[Member], of: usize) -> f64 {
        linked(alpha(members), members, of)
    }
}

/// The growth with this `alpha`, at most that of a path alone.
pub fn linked(alpha: f64, members: &[Member], of: usize) -> f64 {
    let total: f64 = members.iter().map(|member| member.window).sum();
    (alpha / total).min(1.0 / members[of].window)
}

/// α = w_T · max(w / srtt²) / (Σ w / srtt)².
pub fn alpha(members: &[Member]) -> f64 {
    weighted_alpha(members, |_| 1.0)
}

/// α, where the windows in the maximum have these weights.
pub fn weighted_alpha(members: &[Member], weight: impl Fn(usize) -> f64) -> f64 {
    let total: f64 = members.iter().map(|member| member.window).sum();
    let rates: f64 = members.iter().map(|member| member.window / member.srtt).sum();
    let best = members.iter().enumerate().map(|(i, member)| weight(i) * member.window / member.srtt.powi(2));
    total * best.fold(0.0, f64::max) / rates.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::members;

    #[test]
    fn golden_g9_two_paths_grow_by_a_fortieth_for_each_packet() {
        let paths = members([10.0, 20.0], [0.1, 0.2]);
        assert!((alpha(&paths) - 0.75).abs() < 1e-12);
        for path in 0..2 {
            assert!((Lia.growth(&paths, path) - 0.025).abs() < 1e-12);
        }
    }
}
