//! The policies that compete, each as keys of `[flow.sctp]`, and the profiles on which they do.

use anabranch_scenario::Registry;

use super::TournamentError;
use super::network::parse;

/// The profiles on which policies compete, as far as they exist.
pub const PROFILES: [&str; 2] = ["tuned-1", "tuned-2"];

/// A policy: what it replaces of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The name in tables and on the command line.
    pub name: &'static str,
    /// The keys of `[flow.sctp]` and their values.
    replaced: &'static [(&'static str, &'static str)],
}

impl Policy {
    /// Every policy in the order of the tables. Those that send a chunk before older ones detect losses by the order of
    /// departures, whatever the profile does: by that of TSNs, they would take every chunk sent ahead for overtaken.
    /// `lowest-rtt-dynamic` reads the rates that the scenario configures, which no sender on a real network has.
    pub const ALL: [Policy; 14] = [
        Policy::DEFAULT,
        Policy::FILL,
        Policy { name: "round-robin", replaced: &[("scheduler", "round-robin")] },
        Policy::LOWEST_RTT,
        Policy {
            name: "lowest-rtt-live",
            replaced: &[("scheduler", "lowest-rtt"), ("window_management", "live")],
        },
        Policy {
            name: "lowest-rtt-dynamic",
            replaced: &[("scheduler", "lowest-rtt"), ("window_management", "dynamic")],
        },
        Policy {
            name: "in-order-arrival",
            replaced: &[
                ("scheduler", "in-order-arrival"),
                ("retransmission", "in-order-arrival"),
                BY_DEPARTURE,
            ],
        },
        Policy { name: "bas", replaced: &[("scheduler", "bas"), BY_DEPARTURE] },
        Policy { name: "reception-index", replaced: &[("scheduler", "reception-index"), BY_DEPARTURE] },
        Policy { name: "ods", replaced: &[("scheduler", "ods"), BY_DEPARTURE] },
        Policy { name: "ecf", replaced: &[("scheduler", "ecf")] },
        Policy { name: "blest", replaced: &[("scheduler", "blest")] },
        Policy { name: "xlink", replaced: &[("scheduler", "xlink")] },
        Policy { name: "window-regulated", replaced: &[("scheduler", "window-regulated")] },
    ];

    /// The profile without a change.
    pub const DEFAULT: Policy = Policy { name: "default", replaced: &[] };
    /// The reference of the gates G6 and G7.
    pub(crate) const FILL: Policy = Policy { name: "fill", replaced: &[("scheduler", "fill")] };
    /// The reference of gate G7.
    pub(crate) const LOWEST_RTT: Policy =
        Policy { name: "lowest-rtt", replaced: &[("scheduler", "lowest-rtt")] };

    /// The policy called `name`.
    ///
    /// # Errors
    /// There is none.
    pub fn find(name: &str) -> Result<Policy, TournamentError> {
        let unknown = || TournamentError::UnknownPolicy { name: name.to_owned(), known: Policy::names() };
        Policy::ALL.into_iter().find(|policy| policy.name == name).ok_or_else(unknown)
    }

    /// Returns true if there is a profile of this name.
    pub(crate) fn is_profile(name: &str) -> bool {
        let text = format!(
            "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[flow.sctp]\nprofile = \"{name}\"\n"
        );
        parse(&text).is_ok()
    }

    /// Returns the settings that it replaces or adds on `profile`.
    pub fn settings<'t>(&self, profile: &'t str) -> Vec<(&'t str, &'t str)> {
        std::iter::once(("profile", profile)).chain(self.replaced.iter().copied()).collect()
    }

    /// The first of its names that the registry does not have, with its key.
    pub fn missing(&self, registry: &Registry) -> Option<(&'static str, &'static str)> {
        self.replaced.iter().copied().find(|(key, name)| match *key {
            "scheduler" => !registry.schedulers.names().any(|known| known == *name),
            "retransmission" => !registry.retransmission_policies.names().any(|known| known == *name),
            "window_management" => !registry.window_limits.names().any(|known| known == *name),
            _ => false,
        })
    }

    fn names() -> String {
        Policy::ALL.map(|policy| policy.name).join(", ")
    }
}

/// Detects losses by the order in which chunks left.
const BY_DEPARTURE: (&str, &str) = ("cmt.order", "departure");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_missing_until_all_its_names_are_registered() {
        let mut registry = anabranch_scenario::registry();
        let live = Policy::find("lowest-rtt-live").expect("there is one");
        assert_eq!(live.missing(&registry), Some(("window_management", "live")));
        assert_eq!(live.missing(&anabranch_planner::live::registry()), None);
        assert_eq!(Policy::FILL.missing(&registry), None);
        let invented = Policy { name: "invented", replaced: &[("retransmission", "invented")] };
        assert_eq!(invented.missing(&registry), Some(("retransmission", "invented")));
        registry.window_limits.add("live", |_| panic!("it is not built"));
        assert_eq!(live.missing(&registry), None);
    }

    #[test]
    fn a_name_that_is_unknown_is_answered_with_the_known_ones() {
        let said = Policy::find("fastest").expect_err("there is none").to_string();
        assert!(said.contains("\"fastest\"") && said.contains("in-order-arrival, bas"), "{said}");
        assert!(Policy::is_profile("tuned-1") && !Policy::is_profile("tuned-0"));
    }

    #[test]
    fn a_policy_replaces_the_profile_and_its_own_keys() {
        let settings = Policy::LOWEST_RTT.settings("tuned-2");
        assert_eq!(settings, [("profile", "tuned-2"), ("scheduler", "lowest-rtt")]);
    }
}
