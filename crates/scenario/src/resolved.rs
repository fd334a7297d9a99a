//! A scenario with every setting as used, as ordered values: documents are made from them, and as TOML they read back
//! as the same scenario.

mod flow;
mod link;
mod mesh;
mod sctp;
mod toml_text;

pub(crate) use link::direction;
pub(crate) use mesh::channel;
pub(crate) use sctp::{association, sctp, table};

use anabranch_base::Time;
use anabranch_base::setting::{Kind, Named, Scope, Setting};
use anabranch_link::config::Change;

use crate::model::{Event, Scenario};
use crate::settings::{EVENT, RUN};
use anabranch_base::exact::exact_span;

/// A value of a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub enum ResolvedValue {
    /// A text: a name, a word, or a quantity with its unit.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// A number, always finite.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Values in order.
    List(Vec<ResolvedValue>),
    /// Keys with their values.
    Table(ResolvedTable),
}

/// Keys with their values, in the order of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResolvedTable(Vec<(&'static str, ResolvedValue)>);

impl ResolvedTable {
    /// Adds a key.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<ResolvedValue>) -> ResolvedTable {
        self.0.push((key, value.into()));
        self
    }

    /// Adds a key, if it has a value.
    #[must_use]
    pub(crate) fn with_some(
        self,
        key: &'static str,
        value: Option<impl Into<ResolvedValue>>,
    ) -> ResolvedTable {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// The keys and their values, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &ResolvedValue)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }

    /// The value of `key`.
    pub fn find(&self, key: &str) -> Option<&ResolvedValue> {
        self.entries().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// Writes a scenario file, which reads back as an equal scenario. Traces are named, not contained.
    pub fn to_toml(&self) -> String {
        toml_text::document(self)
    }
}

impl ResolvedValue {
    /// Writes the value as it stands behind a key.
    pub fn to_toml(&self) -> String {
        toml_text::inline(self)
    }
}

impl Scenario {
    /// Every setting as used, with the keys of the scenario file: defaults filled in, copies made. A value that is
    /// absent has no key: `transfer` of a flow, `time` of a run.
    pub fn resolved(&self) -> ResolvedTable {
        let link_name = |index: &usize| self.links.get(*index).map_or("", |link| &link.name).into();
        // A flow across the mesh names the radio of each of its paths.
        let path_name = |index: &usize| match self.paths.get(*index).map(|path| (path, path.air)) {
            Some((_, Some(air))) => self.radios.get(air.radio).map_or("", |radio| &radio.name).into(),
            Some((path, None)) => path.name.as_str().into(),
            None => "".into(),
        };
        let paths = self.paths.iter().filter(|path| path.air.is_none()).map(|path| {
            let links: Vec<ResolvedValue> = path.links.iter().map(link_name).collect();
            let table = ResolvedTable::default().with("name", path.name.as_str()).with("links", links);
            table.with("role", path.role.word())
        });
        let events = self.events.iter().map(|event| event_table(event, &link_name(&event.link)));
        let node_events = self.node_events.iter().map(|event| mesh::event(event, &self.nodes));
        let flows = self
            .flows
            .iter()
            .map(|flow| flow::flow(flow, &flow.paths.iter().map(path_name).collect::<Vec<_>>(), self));
        ResolvedTable::default()
            .with("title", self.title.as_str())
            .with("run", table(RUN.iter(), &self.run, Scope::Scenarios))
            .with_some("link", some_tables(self.links.iter().map(link::link)))
            .with_some("radio", some_tables(self.radios.iter().map(mesh::radio)))
            .with_some("node", some_tables(self.nodes.iter().map(mesh::node)))
            .with_some("path", some_tables(paths))
            .with("event", tables(events.chain(node_events)))
            .with("flow", tables(flows))
    }
}

fn event_table(event: &Event, link: &ResolvedValue) -> ResolvedTable {
    shown(EVENT.iter(), event, |key| match (key, &event.change) {
        ("link", _) => Some(link.clone()),
        ("loss", Change::Loss(loss)) => Some(link::loss(loss)),
        _ => None,
    })
}

/// The values of `settings` in `target`, each under its key; values with a form of their own come from `shaped`.
fn shown<T: 'static>(
    settings: impl Iterator<Item = &'static Setting<T>>,
    target: &T,
    shaped: impl Fn(&str) -> Option<ResolvedValue>,
) -> ResolvedTable {
    settings.fold(ResolvedTable::default(), |table, setting| {
        let value = match setting.kind {
            Kind::Shaped(_) => shaped(setting.key),
            _ => (setting.get)(target).map(ResolvedValue::from),
        };
        table.with_some(setting.key, value)
    })
}

fn moment(at: Time) -> String {
    exact_span(at.since(Time::ZERO))
}

/// Tables, unless there are none.
fn some_tables(tables: impl Iterator<Item = ResolvedTable>) -> Option<ResolvedValue> {
    let all: Vec<ResolvedValue> = tables.map(ResolvedValue::Table).collect();
    (!all.is_empty()).then_some(ResolvedValue::List(all))
}

fn tables(tables: impl Iterator<Item = ResolvedTable>) -> ResolvedValue {
    ResolvedValue::List(tables.map(ResolvedValue::Table).collect())
}

impl From<&str> for ResolvedValue {
    fn from(text: &str) -> ResolvedValue {
        ResolvedValue::Text(text.to_owned())
    }
}

impl From<String> for ResolvedValue {
    fn from(text: String) -> ResolvedValue {
        ResolvedValue::Text(text)
    }
}

impl From<u64> for ResolvedValue {
    fn from(number: u64) -> ResolvedValue {
        ResolvedValue::Whole(number)
    }
}

impl From<u32> for ResolvedValue {
    fn from(number: u32) -> ResolvedValue {
        ResolvedValue::Whole(u64::from(number))
    }
}

impl From<f64> for ResolvedValue {
    fn from(number: f64) -> ResolvedValue {
        ResolvedValue::Number(number)
    }
}

impl From<bool> for ResolvedValue {
    fn from(value: bool) -> ResolvedValue {
        ResolvedValue::Boolean(value)
    }
}

impl From<Vec<ResolvedValue>> for ResolvedValue {
    fn from(values: Vec<ResolvedValue>) -> ResolvedValue {
        ResolvedValue::List(values)
    }
}

impl From<ResolvedTable> for ResolvedValue {
    fn from(table: ResolvedTable) -> ResolvedValue {
        ResolvedValue::Table(table)
    }
}
