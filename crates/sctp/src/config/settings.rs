//! The table of settings: every key of `[flow.sctp]` and of `--set sctp.KEY` that is part of [`Config`], in the order
//! in which results list them and in which they are applied. To add a setting, add its entry to one of the groups.

mod buffers;
mod counting;
mod failover;
mod losses;
mod packets;
mod policies;
mod timing;
mod windows;

use anabranch_base::setting::Setting;

use super::Config;

pub(super) use timing::LONGEST_SACK_DELAY;

/// Every setting, in order.
pub fn settings() -> impl Iterator<Item = &'static Setting<Config>> + Clone {
    GROUPS.iter().copied().flatten()
}

/// The setting called `key`.
pub fn setting(key: &str) -> Option<&'static Setting<Config>> {
    settings().find(|setting| setting.key == key)
}

/// An entry is applied after the entries above it: it may replace values that those set.
const GROUPS: [&[Setting<Config>]; 8] = [
    counting::SETTINGS,
    policies::SETTINGS,
    buffers::SETTINGS,
    losses::SETTINGS,
    timing::SETTINGS,
    windows::SETTINGS,
    packets::SETTINGS,
    failover::SETTINGS,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PROFILES;
    use crate::policy::Registry;
    use anabranch_base::setting::{Kind, Value};

    #[test]
    fn each_key_has_one_entry_with_a_meaning() {
        let mut keys: Vec<_> = settings().map(|setting| setting.key).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert!(settings().all(|setting| !setting.doc.is_empty() && !setting.doc.contains('|')));
    }

    #[test]
    fn every_profile_takes_back_each_value_that_it_shows() {
        for (name, profile) in PROFILES {
            for setting in settings() {
                let Some(value) = (setting.get)(&profile()) else { continue };
                let mut again = profile();
                assert_eq!((setting.set)(&mut again, value.clone()), Ok(()), "{name}: {}", setting.key);
                assert_eq!((setting.get)(&again), Some(value), "{name}: {}", setting.key);
            }
        }
    }

    /// Each difference between two profiles can be set key by key: then both profiles show the same settings.
    #[test]
    fn the_settings_say_all_that_tells_one_profile_from_another_for_a_user() {
        for (from, profile) in PROFILES {
            let mut config = Config::rfc9260();
            for setting in settings() {
                let Some(value) = (setting.get)(&profile()) else { continue };
                (setting.set)(&mut config, value).expect("a value of its kind");
            }
            for setting in settings() {
                assert_eq!((setting.get)(&config), (setting.get)(&profile()), "{from}: {}", setting.key);
            }
        }
    }

    #[test]
    fn the_policies_of_every_profile_are_in_the_registry() {
        let registry = Registry::standard();
        for (name, profile) in PROFILES {
            for setting in settings() {
                let kind = match &setting.kind {
                    Kind::Policy(kind) | Kind::ListOr(_, Kind::Policy(kind)) => kind,
                    _ => continue,
                };
                let names = registry.names(kind).unwrap_or_else(|| panic!("no policies of kind {kind:?}"));
                let Some(Value::Word(chosen)) = (setting.get)(&profile()) else { panic!("{}", setting.key) };
                assert!(names.built.contains(&chosen.as_str()), "{name}: {chosen}");
            }
        }
    }
}
