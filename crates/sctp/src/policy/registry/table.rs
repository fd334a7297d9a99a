//! A table of policies of one kind: an entry for each name, with its constructor, its own settings, and its demands on
//! other settings.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use anabranch_base::setting::Setting;

use super::{OwnSettings, StandardRules};
use crate::policy::ConfigError;
use crate::policy::congestion::{CongestionControl, PathModel, WindowRule};

/// The policies of one kind, by name.
pub struct PolicyTable<T: ?Sized> {
    kind: &'static str,
    /// Shared by all copies of the table: every endpoint and every flow of a simulation keeps a registry.
    known: Arc<BTreeMap<String, Entry<T>>>,
    /// Known names of policies that do not exist yet.
    planned: &'static [&'static str],
}

/// A policy that can be chosen by its name.
pub struct Entry<T: ?Sized> {
    build: Arc<Build<T>>,
    settings: &'static [Setting<OwnSettings>],
    check: Check,
}

/// The names of one kind of policy, each list in alphabetical order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyNames<'r> {
    /// The names of policies that can be built.
    pub built: Vec<&'r str>,
    /// Known names of policies that do not exist yet.
    pub planned: Vec<&'r str>,
}

/// A policy's name that is not registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {name:?}; known are {}", known.join(", "))]
pub struct UnknownPolicy {
    /// The kind of policy that was requested.
    pub kind: &'static str,
    /// The name that is not registered.
    pub name: String,
    /// The registered names.
    pub known: Vec<String>,
}

type Build<T> = dyn Fn(&StandardRules) -> Box<T> + Send + Sync;
type Check = fn(&StandardRules) -> Result<(), ConfigError>;

impl<T: ?Sized> PolicyTable<T> {
    pub(super) fn new(kind: &'static str, planned: &'static [&'static str]) -> PolicyTable<T> {
        PolicyTable { kind, known: Arc::default(), planned }
    }

    /// Adds the policy `name`, or replaces the policy with that name. The entry takes its
    /// [settings](Entry::with_settings) and its [check](Entry::with_check), if it has any.
    pub fn add(
        &mut self,
        name: &str,
        build: impl Fn(&StandardRules) -> Box<T> + Send + Sync + 'static,
    ) -> &mut Entry<T> {
        let entry = Entry { build: Arc::new(build), settings: &[], check: |_| Ok(()) };
        let known = Arc::make_mut(&mut self.known);
        known.insert(name.to_owned(), entry);
        known.get_mut(name).expect("it was inserted")
    }

    /// Builds the policy called `name`.
    ///
    /// # Errors
    /// The name is not registered.
    pub fn build(&self, name: &str, rules: &StandardRules) -> Result<Box<T>, UnknownPolicy> {
        self.entry(name).map(|entry| (entry.build)(rules))
    }

    /// Checks that the settings allow the policy called `name`, by its entry.
    ///
    /// # Errors
    /// The setting that does not fit. A name that is not registered passes; [`build`](PolicyTable::build) reports it.
    pub fn check(&self, name: &str, rules: &StandardRules) -> Result<(), ConfigError> {
        self.entry(name).map_or(Ok(()), |entry| (entry.check)(rules))
    }

    /// The registered names in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// The registered names, and those of policies that do not exist yet.
    pub(super) fn all_names(&self) -> PolicyNames<'_> {
        let planned = self.planned.iter().copied().filter(|name| !self.known.contains_key(*name));
        PolicyNames { built: self.names().collect(), planned: planned.collect() }
    }

    /// The policies' own settings, each with the kind, in the order of the policies' names.
    pub(super) fn own_settings(&self) -> Vec<(&'static str, &'static Setting<OwnSettings>)> {
        self.known.values().flat_map(|entry| entry.settings).map(|setting| (self.kind, setting)).collect()
    }

    fn entry(&self, name: &str) -> Result<&Entry<T>, UnknownPolicy> {
        self.known.get(name).ok_or_else(|| UnknownPolicy {
            kind: self.kind,
            name: name.to_owned(),
            known: self.names().map(str::to_owned).collect(),
        })
    }
}

impl PolicyTable<CongestionControl> {
    /// Adds a congestion control that is a window rule.
    pub fn add_rule<R: WindowRule + 'static>(
        &mut self,
        name: &str,
        build: impl Fn(&StandardRules) -> R + Send + Sync + 'static,
    ) -> &mut Entry<CongestionControl> {
        self.add(name, move |rules| Box::new(CongestionControl::rule(build(rules))))
    }

    /// Adds a congestion control that keeps a model of each path.
    pub fn add_model<M: PathModel + 'static>(
        &mut self,
        name: &str,
        build: impl Fn(&StandardRules) -> M + Send + Sync + 'static,
    ) -> &mut Entry<CongestionControl> {
        self.add(name, move |rules| Box::new(CongestionControl::model(build(rules))))
    }
}

impl<T: ?Sized> Entry<T> {
    /// Gives the policy settings of its own. Scenario files, `--set` and Python have them beside the protocol's; their keys
    /// differ from all others.
    pub fn with_settings(&mut self, settings: &'static [Setting<OwnSettings>]) -> &mut Entry<T> {
        self.settings = settings;
        self
    }

    /// Gives the policy a check, which refuses settings with which it does not work. It is called if the policy is
    /// chosen.
    pub fn with_check(&mut self, check: Check) -> &mut Entry<T> {
        self.check = check;
        self
    }
}

impl<T: ?Sized> Clone for Entry<T> {
    fn clone(&self) -> Entry<T> {
        Entry { build: Arc::clone(&self.build), settings: self.settings, check: self.check }
    }
}

impl<T: ?Sized> PartialEq for PolicyTable<T> {
    fn eq(&self, other: &PolicyTable<T>) -> bool {
        self.kind == other.kind && self.known.keys().eq(other.known.keys())
    }
}

impl<T: ?Sized> Clone for PolicyTable<T> {
    fn clone(&self) -> PolicyTable<T> {
        PolicyTable { kind: self.kind, known: Arc::clone(&self.known), planned: self.planned }
    }
}

impl<T: ?Sized> fmt::Debug for PolicyTable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.known.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::registry::Registry;
    use crate::policy::registry::tests::rules;
    use crate::policy::schedule::primary::Primary;

    #[test]
    fn a_policy_is_added_to_one_copy_alone() {
        let registry = Registry::standard();
        let mut copy = registry.clone();
        assert!(Arc::ptr_eq(&copy.schedulers.known, &registry.schedulers.known), "a copy copies no names");
        copy.schedulers.add("mine", |_| Box::new(Primary));
        assert!(registry.schedulers.build("mine", &rules()).is_err());
        assert!(Arc::ptr_eq(&copy.ack_timings.known, &registry.ack_timings.known));
    }

    #[test]
    fn a_policy_that_is_chosen_is_asked_whether_the_settings_allow_it() {
        let mut registry = Registry::standard();
        let refused = |rules: &StandardRules| match rules.sack_every {
            1 => Ok(()),
            every => Err(ConfigError::new("sack.every", &every, "1 with the scheduler mine".to_owned())),
        };
        registry.schedulers.add("mine", |_| Box::new(Primary)).with_check(refused);
        let told = |name: &str, sack_every| {
            let rules = StandardRules { sack_every, ..rules() };
            registry.schedulers.check(name, &rules).map_err(|error| error.to_string())
        };
        assert_eq!(told("mine", 1), Ok(()));
        assert_eq!(told("mine", 2), Err("sack.every is 2, expected 1 with the scheduler mine".to_owned()));
        assert_eq!((told("fill", 2), told("none such", 2)), (Ok(()), Ok(())));
    }
}
