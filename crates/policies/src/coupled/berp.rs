//! BERP: growth and cuts by the share that a path has of the bandwidth of all (M-BERP-1 to -4).

use anabranch_base::setting::{Kind, Setting};
use anabranch_sctp::own_field;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::congestion::coupled::lia::{linked, weighted_alpha};
use anabranch_sctp::policy::congestion::coupled::{Coupled, CoupledRule, Member};
use anabranch_sctp::policy::registry::OwnSettings;

/// Which of the two parts of the rule are used; without a part, the standard rule stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BerpRules {
    /// Growth is coupled.
    pub increase: bool,
    /// Cuts follow the path's share.
    pub decrease: bool,
}

impl BerpRules {
    /// The rule of the paper.
    pub const BOTH: BerpRules = BerpRules { increase: true, decrease: true };
}

impl Default for BerpRules {
    fn default() -> BerpRules {
        BerpRules::BOTH
    }
}

/// The rule.
#[derive(Clone, Copy, Debug)]
pub struct Berp {
    rules: BerpRules,
}

impl Berp {
    /// The parts of `rules`.
    pub fn new(rules: BerpRules) -> Berp {
        Berp { rules }
    }
}

impl CoupledRule for Berp {
    /// BERP (1). One path alone has the share 1, and grows as Reno.
    fn growth(&self, members: &[Member], of: usize) -> f64 {
        if !self.rules.increase {
            return 1.0 / members[of].window;
        }
        linked(weighted_alpha(members, |i| 2.0 * share(members, i)), members, of)
    }

    /// M-BERP-4.
    fn after_loss(&self, members: &[Member], of: usize, least: f64) -> Option<f64> {
        let left = members[of].window * (1.0 - share(members, of));
        self.rules.decrease.then(|| left.max(least))
    }
}

/// β (2): the path's part of the sum of all estimates. A path without an estimate has an equal part, and those of the others
/// are scaled.
fn share(members: &[Member], of: usize) -> f64 {
    let equal = 1.0 / members.len() as f64;
    let sum: f64 = members.iter().filter_map(|member| member.bandwidth).sum();
    let known = members.iter().filter(|member| member.bandwidth.is_some()).count() as f64;
    match members[of].bandwidth {
        Some(bandwidth) if sum > 0.0 => bandwidth / sum * known * equal,
        _ => equal,
    }
}

pub(crate) fn add(registry: &mut Registry) {
    registry
        .congestion_controls
        .add_rule("berp", |rules| Coupled::new(Berp::new(rules.own.of()), rules.reno))
        .with_settings(SETTINGS);
}

const SETTINGS: &[Setting<OwnSettings>] = &[
    own_field!(
        "berp.increase" = BerpRules.increase,
        Everywhere,
        Kind::Boolean,
        "`berp`: windows grow together; otherwise as in RFC 9260"
    ),
    own_field!(
        "berp.decrease" = BerpRules.decrease,
        Everywhere,
        Kind::Boolean,
        "`berp`: cuts follow the path's share of the bandwidth; otherwise half"
    ),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use anabranch_sctp::policy::congestion::coupled::lia::Lia;
    use anabranch_sctp::policy::testing::members;

    fn with_bandwidths(bandwidths: [f64; 2]) -> [Member; 2] {
        let mut paths = members([10.0, 20.0], [0.1, 0.2]);
        paths.iter_mut().zip(bandwidths).for_each(|(path, rate)| path.bandwidth = Some(rate));
        paths
    }

    fn alpha(paths: &[Member]) -> f64 {
        weighted_alpha(paths, |i| 2.0 * share(paths, i))
    }

    #[test]
    fn golden_g10_equal_shares_grow_as_lia_does() {
        let paths = with_bandwidths([5e6, 5e6]);
        assert!((alpha(&paths) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn golden_g11_a_larger_share_is_cut_more() {
        let paths = with_bandwidths([3e6, 1e6]);
        assert!((alpha(&paths) - 1.125).abs() < 1e-12);
        let berp = Berp::new(BerpRules::BOTH);
        assert_eq!([0, 1].map(|of| berp.after_loss(&paths, of, 4.0)), [Some(4.0), Some(15.0)]);
        let alone = Berp::new(BerpRules { decrease: false, ..BerpRules::BOTH });
        assert_eq!(alone.after_loss(&paths, 0, 4.0), None);
    }

    #[test]
    fn one_path_alone_is_cut_to_the_floor() {
        let mut paths = members([40.0], [0.1]);
        paths[0].bandwidth = Some(1e6);
        assert_eq!(Berp::new(BerpRules::BOTH).after_loss(&paths, 0, 4.0), Some(4.0));
    }

    proptest! {
        /// Σ of the shares is 1, whichever are known; equal ones give LIA.
        #[test]
        fn shares_add_up_to_one(rates in proptest::array::uniform4(proptest::option::of(1.0..1e9_f64))) {
            let mut paths = members([10.0; 4], [0.1; 4]);
            paths.iter_mut().zip(rates).for_each(|(path, rate)| path.bandwidth = rate);
            let sum: f64 = (0..4).map(|of| share(&paths, of)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        }

        #[test]
        fn half_each_is_lia(windows in [1.0..1e3_f64, 1.0..1e3], srtts in [1e-3..1.0_f64, 1e-3..1.0]) {
            let paths = members(windows, srtts);
            for path in 0..2 {
                let (berp, lia) = (Berp::new(BerpRules::BOTH).growth(&paths, path), Lia.growth(&paths, path));
                prop_assert!((berp - lia).abs() <= lia * 1e-9);
            }
        }
    }
}
