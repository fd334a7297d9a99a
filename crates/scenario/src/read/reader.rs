//! Reads tables by their list of settings: refuses unknown keys, and reads each value by its setting's kind. Shared by
//! `[flow.sctp]` and the tools' `--set sctp.KEY=VALUE`.

use anabranch_base::ByteCount;
use anabranch_base::exact::exact_size;
use anabranch_base::setting::{self, Kind, Scope, Setting, Variant};
use anabranch_sctp::config::ConfigError;
use anabranch_sctp::policy::Registry;

use super::fields::unknown_key;
use super::value;
use crate::choice::Choice;
use crate::fault::{Fault, Read};
use crate::quantity;
use crate::tree::{Entry, Node, Span, Table, TreeValue, quoted};

/// The kinds of a table `{ kind = …, … }`.
pub(crate) struct TableKinds<T: 'static> {
    /// The name of one in a message: `kind of loss`.
    pub what: &'static str,
    /// The name of the table in a message: `a table of losses`.
    pub table: &'static str,
    pub variants: &'static [Variant<T>],
    /// The kinds that are known but not built yet.
    pub planned: &'static [&'static str],
}

impl<T> TableKinds<T> {
    /// The kind that the word at `node` names.
    pub(crate) fn pick(&self, node: &Node) -> Read<&'static Variant<T>> {
        let built = self.variants.iter().map(|variant| variant.name).collect();
        let name = Choice { what: self.what, built, planned: self.planned.to_vec() }.pick(node)?;
        let variant = self.variants.iter().find(|variant| variant.name == name);
        Ok(variant.expect("a choice picks among the built names"))
    }
}

/// The context in which values are read.
#[derive(Clone, Copy)]
pub(crate) struct SettingReader<'r> {
    /// The policies; `None` for tables without policies.
    pub registry: Option<&'r Registry>,
    /// Where the settings apply: scenarios or tools.
    pub scope: Scope,
}

impl SettingReader<'_> {
    /// For tables without policies: all but associations.
    pub(crate) const PLAIN: SettingReader<'static> =
        SettingReader { registry: None, scope: Scope::Scenarios };

    /// Reads a table `{ kind = …, … }` of one of `all`, at `key`; it may also have the keys of `beside`.
    pub(crate) fn variant<T: 'static>(
        &self,
        all: &TableKinds<T>,
        beside: &[&'static str],
        key: &str,
        node: &Node,
    ) -> Read<T> {
        let TreeValue::Table(table) = &node.value else { return Err(value::wrong(node, "a table")) };
        let example = |variant: &Variant<T>| {
            format!("for example {key} = {{ kind = {:?}, {} }}", variant.name, variant.example)
        };
        let Some(kind) = table.find("kind") else {
            let fault = Fault::missing(node.span, format!("{} needs a key `kind`", all.table));
            return Err(match all.variants.iter().find(|variant| !variant.example.is_empty()) {
                Some(first) => fault.help(example(first)),
                None => fault,
            });
        };
        let variant = all.pick(kind)?;
        let own = variant.settings.iter().map(|setting| setting.key);
        let keys: Vec<&'static str> = ["kind"].into_iter().chain(own).chain(beside.iter().copied()).collect();
        refuse_unknown(variant.what, &keys, table)?;
        if let Some(missing) = variant.required.iter().find(|key| table.find(key).is_none()) {
            let fault = Fault::missing(node.span, format!("{} needs a key `{missing}`", variant.what));
            return Err(fault.help(example(variant)));
        }
        let mut target = (variant.new)();
        self.set_all(variant.settings.iter(), table, &mut target)?;
        Ok(target)
    }

    /// Sets in `target` the `settings` that `table` gives, in their order.
    pub(crate) fn set_all<T: 'static>(
        &self,
        settings: impl Iterator<Item = &'static Setting<T>> + Clone,
        table: &Table,
        target: &mut T,
    ) -> Read<()> {
        let settings = settings.filter(|setting| setting.scope.includes(self.scope));
        for setting in settings.clone() {
            let Some(entry) = find(table, setting.key) else { continue };
            if matches!(setting.kind, Kind::Shaped(_)) {
                continue;
            }
            let has_table = settings.clone().any(|other| is_within(other.key, setting.key));
            match entry.node.value {
                TreeValue::Table(_) if has_table => {}
                _ => self.set_entry(setting, entry, has_table, target)?,
            }
        }
        Ok(())
    }

    fn set_entry<T: 'static>(
        &self,
        setting: &Setting<T>,
        entry: &Entry,
        has_table: bool,
        target: &mut T,
    ) -> Read<()> {
        if matches!(setting.kind, Kind::NotBuilt) {
            return Err(Fault::not_built(entry.key_span, format!("`{}` is not built yet", setting.key)));
        }
        let read = match (self.value(&setting.kind, &entry.node), setting.kind) {
            (Err(_), Kind::Word(words)) if has_table => {
                let word = (words.built)().join(", ");
                return Err(value::wrong(&entry.node, &format!("{word:?} or a table of its keys")));
            }
            (read, _) => read?,
        };
        (setting.set)(target, read)
            .map_err(|why| Fault::value(entry.node.span, why.message).expected(why.expected))
    }

    /// Reads the value at `node` by this kind.
    fn value(&self, kind: &Kind, node: &Node) -> Read<setting::Value> {
        match kind {
            Kind::Boolean => value::boolean(node).map(setting::Value::Boolean),
            Kind::Whole { least, most } => value::whole(node, *least, *most).map(setting::Value::Whole),
            Kind::Probability => value::probability(node).map(setting::Value::Number),
            Kind::Number { least } => value::number(node, *least).map(setting::Value::Number),
            Kind::Size { least, most } => self.size(node, *least, *most).map(setting::Value::Size),
            Kind::SizeOrRange { least, most } => self.size_or_range(node, *least, *most),
            Kind::Span { least } if least.is_zero() => value::span(node).map(setting::Value::Span),
            Kind::Span { .. } => value::some_span(node).map(setting::Value::Span),
            Kind::Rate { least } if least.bits_per_second() == 0 => {
                value::any_rate(node).map(setting::Value::Rate)
            }
            Kind::Rate { .. } => value::some_rate(node).map(setting::Value::Rate),
            Kind::Distance => value::distance(node).map(setting::Value::Distance),
            Kind::Speed => value::speed(node).map(setting::Value::Speed),
            Kind::Word(words) => Choice::of(words).pick(node).map(setting::Value::word),
            Kind::Policy(kind) => self.policy(kind, node),
            Kind::WordOr(words, other) => self.word_or(words, other, node),
            Kind::ListOr(each, other) => match &node.value {
                TreeValue::List(nodes) => {
                    let values = nodes.iter().map(|node| self.value(each, node)).collect::<Read<_>>()?;
                    Ok(setting::Value::List(values))
                }
                _ => self.value(other, node),
            },
            Kind::PacketsOrSize => packets_or_size(node),
            Kind::Periods => periods(node),
            Kind::List { each, example } => {
                let values = value::list(node, example)?.iter().map(|node| self.value(each, node));
                Ok(setting::Value::List(values.collect::<Read<_>>()?))
            }
            Kind::Shaped(_) | Kind::NotBuilt => Err(Fault::not_built(node.span, "this is not built yet")),
        }
    }

    fn policy(&self, kind: &str, node: &Node) -> Read<setting::Value> {
        let names = self.registry.and_then(|registry| registry.names(kind));
        let (built, planned) = names.map_or_else(Default::default, |names| (names.built, names.planned));
        Choice { what: kind, built, planned }.pick(node).map(setting::Value::word)
    }

    fn word_or(&self, words: &[&str], other: &Kind, node: &Node) -> Read<setting::Value> {
        match &node.value {
            TreeValue::Text(text) if words.contains(&text.as_str()) => Ok(setting::Value::word(text)),
            TreeValue::Text(text) if !text.contains(|c: char| c.is_ascii_digit()) => {
                let fault = Fault::value(node.span, format!("{} is not a size", quoted(text)));
                let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                Err(fault.expected(format!("{}, or a size such as \"64 KiB\"", words.join(", "))))
            }
            _ => self.value(other, node),
        }
    }

    /// Reads a size, without its unit too on the command line of the tools.
    fn size(&self, node: &Node, least: u64, most: u64) -> Read<ByteCount> {
        let bytes = match &node.value {
            TreeValue::Integer(number) if self.scope == Scope::Tools => u64::try_from(*number).ok(),
            TreeValue::Text(text) if self.scope == Scope::Tools => text.trim().parse().ok(),
            _ => None,
        };
        match bytes {
            Some(bytes) => {
                let text = TreeValue::Text(exact_size(ByteCount::new(bytes)));
                value::size_within(&Node { span: node.span, value: text }, least, most)
            }
            None => value::size_within(node, least, most),
        }
    }

    /// Reads `1 MiB`, or `1 MiB..16 MiB`.
    fn size_or_range(&self, node: &Node, least: u64, most: u64) -> Read<setting::Value> {
        let ends = match &node.value {
            TreeValue::Text(text) => text.split_once(".."),
            _ => None,
        };
        let Some((first, last)) = ends else {
            return self.size(node, least, most).map(setting::Value::Size);
        };
        let end = |text: &str| {
            let node = Node { span: node.span, value: TreeValue::Text(text.trim().to_owned()) };
            self.size(&node, least, most)
        };
        Ok(setting::Value::Range(end(first)?, end(last)?))
    }
}

/// Reads `"100 packets"` or `"64 KiB"`.
pub(crate) fn packets_or_size(node: &Node) -> Read<setting::Value> {
    const EXPECTED: &str = "a limit in packets or bytes, such as \"100 packets\" or \"64 KiB\"";
    let TreeValue::Text(text) = &node.value else { return Err(value::wrong(node, EXPECTED)) };
    let packets = text.strip_suffix("packets").or_else(|| text.strip_suffix("packet"));
    if let Some(number) = packets {
        let packets = number.trim().parse().map(setting::Value::Packets);
        return packets.map_err(|_| value::wrong(node, EXPECTED));
    }
    let is_size = text.contains(|c: char| c.is_ascii_digit());
    match quantity::size(text) {
        Ok(bytes) => Ok(setting::Value::Size(bytes)),
        Err(error) if is_size => Err(value::refused(node, error).expected(EXPECTED)),
        Err(_) => Err(value::wrong(node, EXPECTED)),
    }
}

/// Reads spans `[from, to)` in order.
fn periods(node: &Node) -> Read<setting::Value> {
    let mut periods: Vec<setting::Value> = Vec::new();
    let mut end = None;
    for period in value::list(node, "[[\"40.4 s\", \"41.5 s\"]]")? {
        let (first, last) = value::pair(period, "[\"40.4 s\", \"41.5 s\"]")?;
        let (from, to) = (value::span(first)?, value::span(last)?);
        if to <= from {
            let fault = Fault::value(period.span, "this outage ends before it begins");
            return Err(fault.expected("the beginning, then a later end"));
        }
        if end.is_some_and(|end| from < end) {
            let fault = Fault::value(first.span, "this outage begins before the previous one ends");
            return Err(fault.expected("outages in order of time that do not overlap"));
        }
        end = Some(to);
        periods.push(setting::Value::List([from, to].map(setting::Value::Span).to_vec()));
    }
    Ok(setting::Value::List(periods))
}

/// Refuses keys of `table` that are not among `keys`, which have dots between tables; `what` names the table.
pub(crate) fn refuse_unknown(what: &str, keys: &[&'static str], table: &Table) -> Read<()> {
    for entry in &table.entries {
        let inner: Vec<&'static str> = keys.iter().filter_map(|key| within(key, &entry.key)).collect();
        let is_key = keys.contains(&entry.key.as_str());
        match (&entry.node.value, inner.first()) {
            (TreeValue::Table(table), Some(_)) => refuse_unknown(&entry.key, &inner, table)?,
            (other, Some(first)) if !is_key => {
                let fault = Fault::value(entry.node.span, format!("{} is not a table", other.describe()));
                return Err(fault.expected(format!("a table, {{ {first} = … }}")));
            }
            (_, None) if !is_key => return Err(unknown_key(what, &first_parts(keys), entry)),
            _ => {}
        }
    }
    Ok(())
}

/// The error for settings that contradict one another, at the one to blame; at `span` where that one is not given.
pub(crate) fn contradiction(error: &ConfigError, table: &Table, span: Span) -> Box<Fault> {
    let mut key = error.key;
    let found = loop {
        match (find(table, key), key.rsplit_once('.')) {
            (Some(entry), _) => break Some(entry),
            (None, Some((above, _))) => key = above,
            (None, None) => break None,
        }
    };
    let message = format!("`{}` is {}", error.key, error.value);
    Fault::value(found.map_or(span, |entry| entry.node.span), message).expected(error.expected.as_str())
}

/// The entry of a key with dots between tables.
fn find<'t>(table: &'t Table, key: &str) -> Option<&'t Entry> {
    let (first, rest) = key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    let entry = table.entries.iter().find(|entry| entry.key == first)?;
    match (rest, &entry.node.value) {
        (None, _) => Some(entry),
        (Some(rest), TreeValue::Table(inner)) => find(inner, rest),
        (Some(_), _) => None,
    }
}

/// The rest of `key` within the table called `table`.
fn within(key: &'static str, table: &str) -> Option<&'static str> {
    key.strip_prefix(table)?.strip_prefix('.')
}

/// Returns true if `key` belongs to the table that may stand in place of `short`.
pub(crate) fn is_within(key: &'static str, short: &str) -> bool {
    within(key, short).is_some()
}

/// The first part of each key, up to the first dot, without repetition.
fn first_parts(keys: &[&'static str]) -> Vec<&'static str> {
    let mut parts: Vec<&'static str> = Vec::new();
    for part in keys.iter().filter_map(|key| key.split('.').next()) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}
