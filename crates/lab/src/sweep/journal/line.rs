//! The lines of a journal: their fields, separated by tabs, and a digest at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest;
use crate::sweep::key::ScenarioKey;

/// A run: its scenario and its seed.
pub(super) type RunKey = (ScenarioKey, u64);

/// The place of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The offset of the first byte.
    pub at: u64,
    /// The number of bytes, without the end of the line.
    pub len: u32,
}

/// The content of a line.
pub(super) enum Line<'l> {
    Head { version: &'l str },
    Columns { id: &'l str, names: Vec<String> },
    Run { key: RunKey, columns: &'l str, program: String, cells: Vec<String> },
}

/// Lines to be written together.
pub(super) struct Lines {
    /// The bytes of the lines.
    pub bytes: Vec<u8>,
    /// The offset of the next line.
    pub at: u64,
    /// The places of the runs among them.
    pub added: BTreeMap<RunKey, Place>,
    /// The lists of columns that they define.
    pub named: BTreeMap<String, Arc<[String]>>,
}

impl Lines {
    /// No lines yet, beginning at this offset.
    pub(super) fn at(at: u64) -> Lines {
        Lines { bytes: Vec::new(), at, added: BTreeMap::new(), named: BTreeMap::new() }
    }

    /// Adds a line of these fields.
    pub(super) fn push(&mut self, fields: &[&str]) -> Place {
        let mut line = fields.iter().map(|field| escaped(field)).collect::<Vec<_>>().join("\t");
        line = format!("{line}\t{}", digest::check(&line));
        let place = Place { at: self.at, len: u32::try_from(line.len()).unwrap_or(u32::MAX) };
        self.bytes.extend_from_slice(line.as_bytes());
        self.at += line.len() as u64;
        self.end();
        place
    }

    /// Ends a line.
    pub(super) fn end(&mut self) {
        self.bytes.push(b'\n');
        self.at += 1;
    }
}

impl Line<'_> {
    /// Parses a line; `None` if it is damaged, or of unknown kind.
    pub(super) fn read(text: &str) -> Option<Line<'_>> {
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

/// Escapes tabs and line ends in a field.
fn escaped(field: &str) -> String {
    field.replace('\\', r"\\").replace('\t', r"\t").replace('\n', r"\n").replace('\r', r"\r")
}

/// Reverses [`escaped`].
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
