//! The lines of a journal: their fields, separated by tabs, and a digest at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest;
use crate::sweep::key::ScenarioKey;

/// A run: its scenario and its seed.
pub(super) type RunKey = (ScenarioKey, u64);

/// Where a line is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The first byte.
    pub at: u64,
    /// The bytes, without its end.
    pub len: u32,
}

/// What a line says.
pub(super) enum Line<'l> {
    Head { version: &'l str },
    Columns { id: &'l str, names: Vec<String> },
    Run { key: RunKey, columns: &'l str, program: String, cells: Vec<String> },
}

/// Lines that are written together.
pub(super) struct Lines {
    /// As the file has them.
    pub bytes: Vec<u8>,
    /// Where the next one begins.
    pub at: u64,
    /// Where the runs among them are.
    pub added: BTreeMap<RunKey, Place>,
    /// The columns that they name.
    pub named: BTreeMap<String, Arc<[String]>>,
}

impl Lines {
    /// None yet; the first one begins here.
    pub fn at(at: u64) -> Lines {
        Lines { bytes: Vec::new(), at, added: BTreeMap::new(), named: BTreeMap::new() }
    }

    /// Adds a line of these fields.
    pub fn push(&mut self, fields: &[&str]) -> Place {
        let mut line = fields.iter().map(|field| escaped(field)).collect::<Vec<_>>().join("\t");
        line = format!("{line}\t{}", digest::check(&line));
        let place = Place { at: self.at, len: u32::try_from(line.len()).unwrap_or(u32::MAX) };
        self.bytes.extend_from_slice(line.as_bytes());
        self.at += line.len() as u64;
        self.end();
        place
    }

    /// Ends a line.
    pub fn end(&mut self) {
        self.bytes.push(b'\n');
        self.at += 1;
    }
}

impl Line<'_> {
    /// `None` for a line that is damaged, or whose kind is unknown.
    pub fn read(text: &str) -> Option<Line<'_>> {
        let (fields, check) = text.rsplit_once('\t')?;
        if check != digest::check(fields) {
            return None;
        }
        let mut fields = fields.split('\t');
        match fields.next()? {
            "sweep" => Some(Line::Head { version: fields.next()? }),
            "columns" => Some(Line::Columns { id: fields.next()?, names: fields.map(plain).collect() }),
            "run" => {
                let key = (ScenarioKey::parse(fields.next()?)?, fields.next()?.parse().ok()?);
                let (columns, program) = (fields.next()?, plain(fields.next()?));
                Some(Line::Run { key, columns, program, cells: fields.map(plain).collect() })
            }
            _ => None,
        }
    }
}

/// A field without tabs and ends of lines.
fn escaped(field: &str) -> String {
    field.replace('\\', r"\\").replace('\t', r"\t").replace('\n', r"\n").replace('\r', r"\r")
}

/// The field that was escaped.
fn plain(field: &str) -> String {
    if !field.contains('\\') {
        return field.to_owned();
    }
    let (mut text, mut chars) = (String::with_capacity(field.len()), field.chars());
    while let Some(c) = chars.next() {
        text.push(match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            (c, false) => c,
        });
    }
    text
}
