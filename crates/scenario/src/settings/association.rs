//! The settings of an association in one list: those of the protocol, each followed by the settings of the policy that
//! it chooses.

use anabranch_base::setting::{Kind, Scope, Setting, Value};
use anabranch_sctp::config::{Config, settings};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::registry::OwnSettings;

/// A setting of an association.
#[derive(Clone, Copy, Debug)]
pub enum AssociationSetting {
    /// A setting of the protocol.
    Protocol(&'static Setting<Config>),
    /// A setting of a policy.
    Own(&'static Setting<OwnSettings>),
}

impl AssociationSetting {
    /// Every setting of an association with the policies of `registry`, in the order of documents.
    pub fn all(registry: &Registry) -> Vec<AssociationSetting> {
        let mut all: Vec<AssociationSetting> = settings().map(AssociationSetting::Protocol).collect();
        for (kind, own) in registry.own_settings() {
            let is_chosen_by = |setting: &AssociationSetting| chooses(&setting.kind(), kind);
            let chosen = all.iter().rposition(is_chosen_by).map_or(all.len(), |at| at + 1);
            let others = all[chosen..].iter().take_while(|after| matches!(after, AssociationSetting::Own(_)));
            let at = chosen + others.count();
            all.insert(at, AssociationSetting::Own(own));
        }
        all
    }

    /// The name, with dots between tables.
    pub fn key(&self) -> &'static str {
        match self {
            AssociationSetting::Protocol(setting) => setting.key,
            AssociationSetting::Own(setting) => setting.key,
        }
    }

    /// Where it can be set.
    pub fn scope(&self) -> Scope {
        match self {
            AssociationSetting::Protocol(setting) => setting.scope,
            AssociationSetting::Own(setting) => setting.scope,
        }
    }

    /// The kind of its values.
    pub fn kind(&self) -> Kind {
        match self {
            AssociationSetting::Protocol(setting) => setting.kind,
            AssociationSetting::Own(setting) => setting.kind,
        }
    }

    /// The meaning, as in a row of the reference.
    pub fn doc(&self) -> &'static str {
        match self {
            AssociationSetting::Protocol(setting) => setting.doc,
            AssociationSetting::Own(setting) => setting.doc,
        }
    }

    /// The value in `config`; `None` where another setting determines it.
    pub fn get(&self, config: &Config) -> Option<Value> {
        match self {
            AssociationSetting::Protocol(setting) => (setting.get)(config),
            AssociationSetting::Own(setting) => (setting.get)(&config.own),
        }
    }
}

/// Returns true if a setting of kind `setting` chooses a policy of this kind.
fn chooses(setting: &Kind, policy: &str) -> bool {
    match setting {
        Kind::Policy(kind) => *kind == policy,
        Kind::ListOr(_, other) => chooses(other, policy),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_a_policy_follow_the_one_that_chooses_it() {
        let all = AssociationSetting::all(&anabranch_policies::registry());
        let after = |key: &str| {
            let at = all.iter().position(|setting| setting.key() == key).expect("it is there");
            all[at + 1..].iter().take(2).map(AssociationSetting::key).collect::<Vec<_>>()
        };
        assert_eq!(after("congestion_control"), ["berp.increase", "berp.decrease"]);
        assert_eq!(after("loss_response"), ["wireless.resend", "wireless.backoff"]);
    }
}
