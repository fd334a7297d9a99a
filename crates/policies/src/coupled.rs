//! Rules by which the windows of several paths grow together.

pub(crate) mod balia;
pub(crate) mod berp;
pub(crate) mod olia;

use anabranch_sctp::policy::Registry;

pub(crate) fn add(registry: &mut Registry) {
    balia::add(registry);
    berp::add(registry);
    olia::add(registry);
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Seed};
    use anabranch_sctp::config::Config;
    use anabranch_sctp::policy::congestion::coupled::{Coupled, CoupledRule};
    use anabranch_sctp::policy::congestion::{WindowCoupling as _, WindowRule as _};
    use anabranch_sctp::policy::testing::{acked_bytes, members, sample, view};
    use proptest::prelude::*;

    use super::balia::Balia;
    use super::olia::Olia;

    proptest! {
        /// One path alone grows as Reno does, by one packet for each window.
        #[test]
        fn one_path_alone_is_reno(window in 1.0..1e4_f64, srtt in 1e-4..10.0_f64) {
            for rule in [&Olia as &dyn CoupledRule, &Balia] {
                let growth = rule.growth(&members([window], [srtt]), 0);
                prop_assert!((growth * window - 1.0).abs() < 1e-9, "{rule:?}: {growth}");
                let left = rule.after_loss(&members([window], [srtt]), 0, 4.0);
                prop_assert!(left.is_none_or(|left| left == (window / 2.0).max(4.0)));
            }
        }
    }

    #[test]
    fn growth_below_nothing_is_taken_from_the_window() {
        let mut paths = [sample(0), sample(1)];
        for path in &mut paths {
            path.ssthresh = ByteCount::new(1_500);
            path.srtt = Some(Duration::from_millis(100));
        }
        (paths[0].cwnd, paths[1].cwnd) = (ByteCount::new(30_000), ByteCount::new(15_000));
        let mut coupled = Coupled::new(Olia, Config::rfc9260().rules(Seed::from_number(1)).reno);
        paths.iter().for_each(|path| coupled.add_path(path.id));
        coupled.on_acked(paths[1].id, &acked_bytes(900_000), &view(&paths));
        let grown = coupled.increase(paths[0].id, &acked_bytes(30_000), &view(&paths));
        let yielded = coupled.take_yielded(paths[0].id, &view(&paths));
        // (20/900 − ½/20) · 20 packets.
        assert_eq!((grown.get(), yielded.get()), (0, 83));
    }
}
