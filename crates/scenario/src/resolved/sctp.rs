//! Settings as values of a file, nested by the dots of their keys.

use anabranch_base::setting::{self, Scope, Setting};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::Registry;

use super::{ResolvedTable, ResolvedValue};
use crate::model::Sctp;
use crate::read::is_within;
use crate::settings::{AssociationSetting, OWN_SETTINGS, has_rule};
use anabranch_base::exact::{exact_distance, exact_rate, exact_size, exact_span, exact_speed};

/// Every setting of an association with the policies of `registry`, in the order of the reference.
pub(crate) fn sctp(sctp: &Sctp, registry: &Registry) -> ResolvedTable {
    let mut values = association_values(&sctp.config, registry, Scope::Scenarios);
    values.retain(|(key, _)| has_rule(key, sctp.multipath));
    for (after, own) in &OWN_SETTINGS {
        let Some(value) = (own.get)(sctp) else { continue };
        // The key it follows may have no value of its own, like the rules of a failover that is off.
        let table = after.split('.').next().unwrap_or(after);
        let of_table = |key: &str| key == *after || key == table || key.starts_with(&format!("{table}."));
        let at = values.iter().rposition(|(key, _)| of_table(key)).map_or(values.len(), |at| at + 1);
        values.insert(at, (own.key, value));
    }
    nested(values)
}

/// The settings of an association that can be set in `scope`, nested.
pub(crate) fn association(config: &Config, registry: &Registry, scope: Scope) -> ResolvedTable {
    nested(association_values(config, registry, scope))
}

fn association_values(config: &Config, registry: &Registry, scope: Scope) -> KeyValues {
    let all = AssociationSetting::all(registry).into_iter();
    let settings = all.filter(|setting| setting.scope().includes(scope));
    of_tables(settings.filter_map(|setting| Some((setting.key(), setting.get(config)?))).collect())
}

/// The settings of `target` that can be set in `scope`, nested.
pub(crate) fn table<T: 'static>(
    settings: impl Iterator<Item = &'static Setting<T>>,
    target: &T,
    scope: Scope,
) -> ResolvedTable {
    nested(values(settings, target, scope))
}

type KeyValues = Vec<(&'static str, setting::Value)>;

/// The settings that have a value.
fn values<T: 'static>(
    settings: impl Iterator<Item = &'static Setting<T>>,
    target: &T,
    scope: Scope,
) -> KeyValues {
    let settings = settings.filter(|setting| setting.scope.includes(scope));
    of_tables(settings.filter_map(|setting| Some((setting.key, (setting.get)(target)?))).collect())
}

/// Drops a table's short form where the settings of that table have values.
fn of_tables(mut all: KeyValues) -> KeyValues {
    let keys: Vec<&'static str> = all.iter().map(|(key, _)| *key).collect();
    all.retain(|(short, _)| !keys.iter().any(|key| is_within(key, short)));
    all
}

fn nested(values: KeyValues) -> ResolvedTable {
    let mut table = ResolvedTable::default();
    for (key, value) in values {
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
