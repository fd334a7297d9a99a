//! Policies of the literature that no profile uses: for comparisons, and for research.
//!
//! They stand on the seams that every program has: a policy is a type that implements a trait of
//! [`anabranch_sctp::policy`], and an entry of a [`Registry`] with its name, its settings and its checks.

mod bbr_draft;
mod coupled;
pub mod ipcc;
mod schedule;
pub mod wireless_aware;

use anabranch_sctp::policy::Registry;

pub use coupled::balia::Balia;
pub use coupled::berp::{Berp, BerpRules};
pub use coupled::olia::Olia;

/// The policies of the core, and those of this crate.
pub fn registry() -> Registry {
    let mut registry = Registry::standard();
    add_to(&mut registry);
    registry
}

/// Adds the policies of this crate.
pub fn add_to(registry: &mut Registry) {
    bbr_draft::add(registry);
    coupled::add(registry);
    ipcc::add(registry);
    schedule::add(registry);
    wireless_aware::add(registry);
}

#[cfg(test)]
mod tests {
    use anabranch_base::setting::{Kind, Setting};
    use anabranch_sctp::own_field;
    use anabranch_sctp::policy::registry::{OwnSettings, kind};
    use anabranch_sctp::policy::schedule::primary::Primary;

    use super::*;

    #[test]
    fn an_unknown_control_is_answered_with_all_that_are_known() {
        let rules = anabranch_sctp::config::Config::default().rules(anabranch_base::Seed::from_number(1));
        let error = registry().congestion_controls.build("fastest", &rules).expect_err("no such control");
        assert_eq!(
            error.to_string(),
            "there is no congestion control \"fastest\"; known are balia, bbr, bbr-draft, berp, cubic, lia, \
             olia, reno, westwood"
        );
    }

    #[test]
    fn each_setting_has_one_key_that_no_other_setting_has() {
        let registry = registry();
        let own = registry.own_settings().map(|(_, setting)| setting.key);
        let mut keys: Vec<&str> =
            anabranch_sctp::config::settings().map(|setting| setting.key).chain(own).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert!(
            registry.own_settings().all(|(_, setting)| !setting.doc.is_empty() && !setting.doc.contains('|'))
        );
    }

    #[test]
    fn what_two_policies_share_is_listed_once() {
        #[derive(Clone, Debug, Default, PartialEq)]
        struct Shared {
            step: bool,
        }
        const SHARED: &[Setting<OwnSettings>] =
            &[own_field!("shared.step" = Shared.step, Everywhere, Kind::Boolean, "a step")];
        let mut registry = Registry::standard();
        registry.schedulers.add("one", |_| Box::new(Primary)).with_settings(SHARED);
        registry.schedulers.add("two", |_| Box::new(Primary)).with_settings(SHARED);
        let listed: Vec<_> = registry.own_settings().map(|(kind, setting)| (kind, setting.key)).collect();
        assert_eq!(listed, [(kind::SCHEDULER, "shared.step")]);
    }
}
