//! Settings as values of a file: every one that is said under its own key, nested as its dots say.

use anabranch_base::setting::{self, Scope, Setting};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::Registry;

use super::{ResolvedTable, ResolvedValue};
use crate::model::Sctp;
use crate::read::is_within;
use crate::settings::{AssociationSetting, OWN_SETTINGS, has_rule};
use anabranch_base::exact::{exact_distance, exact_rate, exact_size, exact_span, exact_speed};

/// Every setting of an association with the policies of `registry`, in the order of the contract.
pub fn sctp(sctp: &Sctp, registry: &Registry) -> ResolvedTable {
    let mut said = said_of_association(&sctp.config, registry, Scope::Scenarios);
    said.retain(|(key, _)| has_rule(key, sctp.multipath));
    for (after, own) in &OWN_SETTINGS {
        let Some(value) = (own.get)(sctp) else { continue };
        // What it follows may have no value of its own, as the rules of a failover that is off.
        let table = after.split('.').next().unwrap_or(after);
        let of_table = |key: &str| key == *after || key == table || key.starts_with(&format!("{table}."));
        let at = said.iter().rposition(|(key, _)| of_table(key)).map_or(said.len(), |at| at + 1);
        said.insert(at, (own.key, value));
    }
    nested(said)
}

/// The settings of an association that can be set in `scope`, nested.
pub fn association(config: &Config, registry: &Registry, scope: Scope) -> ResolvedTable {
    nested(said_of_association(config, registry, scope))
}

fn said_of_association(config: &Config, registry: &Registry, scope: Scope) -> Said {
    let all = AssociationSetting::all(registry).into_iter();
    let settings = all.filter(|setting| setting.scope().includes(scope));
    of_tables(settings.filter_map(|setting| Some((setting.key(), setting.get(config)?))).collect())
}

/// The settings of `target` that can be set in `scope`, nested.
pub fn table<T: 'static>(
    settings: impl Iterator<Item = &'static Setting<T>>,
    target: &T,
    scope: Scope,
) -> ResolvedTable {
    nested(said(settings, target, scope))
}

type Said = Vec<(&'static str, setting::Value)>;

/// The settings that have a value.
fn said<T: 'static>(settings: impl Iterator<Item = &'static Setting<T>>, target: &T, scope: Scope) -> Said {
    let settings = settings.filter(|setting| setting.scope.includes(scope));
    of_tables(settings.filter_map(|setting| Some((setting.key, (setting.get)(target)?))).collect())
}

/// Where the settings of a table have values, they say what is also said by the table's short form.
fn of_tables(mut all: Said) -> Said {
    let keys: Vec<&'static str> = all.iter().map(|(key, _)| *key).collect();
    all.retain(|(short, _)| !keys.iter().any(|key| is_within(key, short)));
    all
}

fn nested(said: Said) -> ResolvedTable {
    let mut table = ResolvedTable::default();
    for (key, value) in said {
        insert(&mut table, key, value.into());
    }
    table
}

fn insert(table: &mut ResolvedTable, key: &'static str, value: ResolvedValue) {
    let Some((first, rest)) = key.split_once('.') else {
        table.0.push((key, value));
        return;
    };
    if table.find(first).is_none() {
        table.0.push((first, ResolvedValue::Table(ResolvedTable::default())));
    }
    let inner = table.0.iter_mut().find(|(known, _)| *known == first);
    if let Some((_, ResolvedValue::Table(inner))) = inner {
        insert(inner, rest, value);
    }
}

impl From<setting::Value> for ResolvedValue {
    fn from(value: setting::Value) -> ResolvedValue {
        match value {
            setting::Value::Boolean(is_so) => ResolvedValue::Boolean(is_so),
            setting::Value::Whole(number) => ResolvedValue::Whole(number),
            setting::Value::Number(number) => ResolvedValue::Number(number),
            setting::Value::Size(size) => ResolvedValue::Text(exact_size(size)),
            setting::Value::Packets(1) => ResolvedValue::Text("1 packet".to_owned()),
            setting::Value::Packets(packets) => ResolvedValue::Text(format!("{packets} packets")),
            setting::Value::Range(first, last) => {
                ResolvedValue::Text(format!("{}..{}", exact_size(first), exact_size(last)))
            }
            setting::Value::Span(span) => ResolvedValue::Text(exact_span(span)),
            setting::Value::Rate(rate) => ResolvedValue::Text(exact_rate(rate)),
            setting::Value::Distance(distance) => ResolvedValue::Text(exact_distance(distance)),
            setting::Value::Speed(speed) => ResolvedValue::Text(exact_speed(speed)),
            setting::Value::Word(word) => ResolvedValue::Text(word),
            setting::Value::List(values) => {
                ResolvedValue::List(values.into_iter().map(ResolvedValue::from).collect())
            }
        }
    }
}
