//! A setting of the command line, `link.wifi.loss=0.01`, and its application to a scenario's tree, where tables are
//! found by name.

use crate::error::ScenarioError;
use crate::fault::{Fault, Read};
use crate::nearest::{listed, nearest};
use crate::parse;
use crate::read::MAIN;
use crate::source::Source;
use crate::tree::{Node, Span, Table, TextOrigin, TreeValue, quoted};

/// A key and its value, as `--set` takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    text: String,
    equals: usize,
}

impl Assignment {
    /// Reads `KEY=VALUE`. The value is TOML; text may go without quotes.
    ///
    /// # Errors
    /// The key or the `=` is missing.
    pub fn parse(text: &str) -> Result<Assignment, ScenarioError> {
        match text.find('=').filter(|at| !text[..*at].trim().is_empty()) {
            Some(equals) => Ok(Assignment { text: text.to_owned(), equals }),
            None => {
                let span = Span { origin: TextOrigin::Setting(0), start: 0, end: text.len() };
                let fault = Fault::syntax(span, "this does not have the form KEY=VALUE");
                let fault = fault.help("for example link.wifi.loss=0.01");
                let setting = Assignment { text: text.to_owned(), equals: text.len() };
                Err(fault.shown(&Source::new("", ""), &[setting]))
            }
        }
    }

    /// A setting from a key and a value, such as a point of a sweep.
    pub fn new(key: &str, value: &str) -> Assignment {
        Assignment { text: format!("{key}={value}"), equals: key.len() }
    }

    /// The whole text, `KEY=VALUE`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The key.
    pub fn key(&self) -> &str {
        self.text[..self.equals].trim()
    }

    /// The value as it was written.
    pub fn value(&self) -> &str {
        self.text.get(self.equals + 1..).unwrap_or("").trim()
    }

    /// Applies this setting, number `index`, to the tree of a scenario.
    pub(crate) fn apply(&self, index: usize, root: &mut Table) -> Read<()> {
        let keys = self.keys(index)?;
        let value = self.node(index)?;
        match keys.split_first() {
            Some((top, rest)) if top.text == "flow" => {
                make_main(root, top.span);
                entry_of(root, top, rest, value)
            }
            Some((top, rest)) if top.text == "path" => {
                make_paths(root, top.span);
                entry_of(root, top, rest, value)
            }
            Some((top, _)) if PROTOCOLS.contains(&top.text) => {
                make_main(root, top.span);
                every_flow(root, top, &keys, &value)
            }
            Some((top, rest)) if ["link", "event", "node"].contains(&top.text) => {
                entry_of(root, top, rest, value)
            }
            Some((top, rest))
                if top.text == "radio"
                    && root.find("radio").is_some_and(|node| matches!(node.value, TreeValue::List(_))) =>
            {
                entry_of(root, top, rest, value)
            }
            _ => put(root, &keys, value),
        }
    }

    /// Sets the key at its literal place in the tree, without resolving names of links and flows.
    pub(crate) fn apply_plainly(&self, index: usize, root: &mut Table) -> Read<()> {
        put(root, &self.keys(index)?, self.node(index)?)
    }

    /// The parts of the key with their places.
    fn keys(&self, index: usize) -> Read<Vec<KeyPart<'_>>> {
        let origin = TextOrigin::Setting(index);
        let mut keys = Vec::new();
        let mut start = 0;
        for part in self.text[..self.equals].split('.') {
            let indent = part.len() - part.trim_start().len();
            let text = part.trim();
            let span = Span { origin, start: start + indent, end: start + indent + text.len() };
            if text.is_empty() {
                let span = Span { end: span.start + 1, ..span };
                return Err(Fault::syntax(span, "a part of the key is empty").expected(EXAMPLE));
            }
            keys.push(KeyPart { text, span });
            start += part.len() + 1;
        }
        if keys.len() > DEEPEST {
            let span = keys.last().map_or(Span::START, |key| key.span);
            return Err(
                Fault::syntax(span, format!("this key has more than {DEEPEST} parts")).expected(EXAMPLE)
            );
        }
        Ok(keys)
    }

    /// The value: TOML where it parses as TOML, text otherwise.
    fn node(&self, index: usize) -> Read<Node> {
        let origin = TextOrigin::Setting(index);
        let after = self.text.get(self.equals + 1..).unwrap_or("");
        let start = self.equals + 1 + (after.len() - after.trim_start().len());
        let text = after.trim();
        let span = Span { origin, start, end: start + text.len() };
        let bare = Node { span, value: TreeValue::Text(text.to_owned()) };
        if text.starts_with(['{', '[', '"', '\'']) {
            return parse::value(text, origin, start);
        }
        // `10 Mbit/s` and `ecf` are not TOML; `0.01`, `true` and `3` are.
        let read = if text.is_empty() { Ok(bare.clone()) } else { parse::value(text, origin, start) };
        Ok(read.map_or(bare, |node| Node { span, ..node }))
    }
}

impl AsRef<str> for Assignment {
    fn as_ref(&self) -> &str {
        self.text()
    }
}

/// A part of a key, between dots.
#[derive(Clone, Copy, Debug)]
struct KeyPart<'s> {
    text: &'s str,
    span: Span,
}

const EXAMPLE: &str = "a key such as link.wifi.loss, flow.main.sctp.scheduler or run.time";
const DEEPEST: usize = 8;
/// The tables of flows that one setting can set in all flows of that protocol at once.
const PROTOCOLS: [&str; 2] = [DEFAULT_PROTOCOL, "tcp"];
/// The protocol of a flow that does not name one.
const DEFAULT_PROTOCOL: &str = "sctp";

/// Sets the value at `keys`, making the tables between.
fn put(table: &mut Table, keys: &[KeyPart<'_>], value: Node) -> Read<()> {
    let (key, next, rest) = match keys {
        [] => return Ok(()),
        [key] => {
            table.put(key.text, key.span, value);
            return Ok(());
        }
        [key, rest @ ..] => (key, rest.first().map_or("", |next| next.text), rest),
    };
    if table.find(key.text).is_none() {
        table.put(key.text, key.span, empty(key.span));
    }
    match table.find_mut(key.text).map(|node| &mut node.value) {
        Some(TreeValue::Table(inner)) => put(inner, rest, value),
        Some(other) => {
            let found = other.describe();
            let fault = Fault::value(key.span, format!("`{}` is {found} here, and has no keys", key.text));
            Err(fault.help(format!("set the whole value, such as {}={{ {next} = … }}", key.text)))
        }
        None => Ok(()),
    }
}

/// Sets the value in the table of `[[top]]` that the first key names.
fn entry_of(root: &mut Table, top: &KeyPart<'_>, keys: &[KeyPart<'_>], value: Node) -> Read<()> {
    let Some((name, rest)) = keys.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        let fault = Fault::unknown(top.span, format!("this does not name a key of a single {}", top.text));
        return Err(fault.expected(format!("{}.NAME.KEY=VALUE", top.text)));
    };
    let tables = match root.find_mut(top.text) {
        Some(Node { value: TreeValue::List(tables), .. }) => tables,
        // A single `[flow]`.
        Some(node @ Node { value: TreeValue::Table(_), .. }) => std::slice::from_mut(node),
        // The value has the wrong type: the reader reports it.
        Some(_) => return Ok(()),
        None => return Err(unknown(top, name, &[])),
    };
    let names: Vec<String> =
        tables.iter().enumerate().map(|(index, node)| name_of(top, index, node)).collect();
    match names.iter().position(|known| known == name.text).and_then(|index| tables.get_mut(index)) {
        Some(Node { value: TreeValue::Table(table), .. }) => put(table, rest, value),
        Some(_) => Ok(()),
        None => Err(unknown(top, name, &names)),
    }
}

/// Sets the value in every flow whose protocol the first key names.
fn every_flow(root: &mut Table, top: &KeyPart<'_>, keys: &[KeyPart<'_>], value: &Node) -> Read<()> {
    let tables = match root.find_mut("flow") {
        Some(Node { value: TreeValue::List(tables), .. }) => tables,
        Some(node) => std::slice::from_mut(node),
        None => return Ok(()),
    };
    let mut is_any = false;
    for node in tables {
        // The value has the wrong type: the reader reports it.
        let TreeValue::Table(flow) = &mut node.value else { continue };
        let protocol = match flow.find("protocol").map(|node| &node.value) {
            Some(TreeValue::Text(protocol)) => protocol.as_str(),
            _ => DEFAULT_PROTOCOL,
        };
        if protocol == top.text {
            put(flow, keys, value.clone())?;
            is_any = true;
        }
    }
    if is_any {
        return Ok(());
    }
    let fault = Fault::unknown(top.span, format!("there is no flow with protocol {}", quoted(top.text)));
    Err(fault.help(format!(
        "`{}.KEY` sets all flows of that protocol, `flow.NAME.{}.KEY` one",
        top.text, top.text
    )))
}

/// The name of a table of `[[top]]`: events are numbered from 1, the others have a `name`.
fn name_of(top: &KeyPart<'_>, index: usize, node: &Node) -> String {
    if top.text == "event" {
        return (index + 1).to_string();
    }
    let TreeValue::Table(table) = &node.value else { return String::new() };
    match table.find("name").map(|node| &node.value) {
        Some(TreeValue::Text(name)) => name.clone(),
        _ if top.text == "flow" && index == 0 => MAIN.to_owned(),
        _ => String::new(),
    }
}

fn unknown(top: &KeyPart<'_>, name: &KeyPart<'_>, names: &[String]) -> Box<Fault> {
    let known = || names.iter().map(String::as_str).filter(|name| !name.is_empty());
    let fault = Fault::unknown(name.span, format!("there is no {} {}", top.text, quoted(name.text)));
    if top.text == "event" {
        return fault.help(format!("events are numbered from 1, and the scenario has {}", names.len()));
    }
    let near = nearest(name.text, known()).map(|name| format!("`{name}`"));
    let copied = name.text.rsplit_once('-').filter(|(base, _)| known().any(|known| known == *base));
    match (copied, near) {
        (Some((base, _)), _) => fault.help(format!("copies share their settings: write {}.{base}", top.text)),
        (None, Some(near)) => fault.nearest(Some(near)),
        (None, None) if names.len() == 1 => {
            fault.help(format!("the only {} is {}", top.text, listed(known())))
        }
        (None, None) => fault.help(format!("the {}s are {}", top.text, listed(known()))),
    }
}

/// Writes out the implicit flow, so that it can be set.
fn make_main(root: &mut Table, span: Span) {
    if root.find("flow").is_none() {
        let flows =
            TreeValue::List(vec![Node { span: Span::START, value: TreeValue::Table(Table::default()) }]);
        root.put("flow", span, Node { span: Span::START, value: flows });
    }
}

/// Writes out the implicit paths, one for each link, so that they can be set.
fn make_paths(root: &mut Table, span: Span) {
    if root.find("path").is_some() {
        return;
    }
    let Some(TreeValue::List(links)) = root.find("link").map(|node| &node.value) else { return };
    let names = links.iter().filter_map(|link| match &link.value {
        TreeValue::Table(link) => link.find("name").cloned(),
        _ => None,
    });
    let path = |name: Node| {
        let mut table = Table::default();
        let (at, links) = (name.span, TreeValue::List(vec![name.clone()]));
        table.put("name", at, name);
        table.put("links", at, Node { span: at, value: links });
        Node { span: at, value: TreeValue::Table(table) }
    };
    let paths = TreeValue::List(names.map(path).collect());
    root.put("path", span, Node { span: Span::START, value: paths });
}

fn empty(span: Span) -> Node {
    Node { span, value: TreeValue::Table(Table::default()) }
}
