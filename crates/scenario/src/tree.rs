//! A TOML document as a tree in which every key and value has its place in the text.

/// A piece of text: of the file, or of a value given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub origin: TextOrigin,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The text that a span is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextOrigin {
    /// The scenario file.
    File,
    /// The setting with this index.
    Setting(usize),
}

/// A value and its place; a table's span is its header's.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub span: Span,
    pub value: TreeValue,
}

/// A value of a TOML document.
#[derive(Clone, Debug)]
pub(crate) enum TreeValue {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    /// No setting is a date: its value is not kept.
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values, in order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Span {
    /// The beginning of the file: the place of what is missing altogether.
    pub(crate) const START: Span = Span { origin: TextOrigin::File, start: 0, end: 0 };
}

impl Table {
    /// The value of `key`.
    pub(crate) fn find(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The value of `key`, to be changed.
    pub(crate) fn find_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// Sets `key`, replacing its value if there is one.
    pub(crate) fn put(&mut self, key: &str, key_span: Span, node: Node) {
        let entry = Entry { key: key.to_owned(), key_span, node };
        match self.entries.iter_mut().find(|entry| entry.key == key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }
}

impl TreeValue {
    /// The value in a message: `the number 0.001`.
    pub(crate) fn describe(&self) -> String {
        match self {
            TreeValue::Text(text) => format!("the text {}", quoted(text)),
            TreeValue::Integer(number) => format!("the number {number}"),
            TreeValue::Float(number) => format!("the number {number:?}"),
            TreeValue::Boolean(value) => value.to_string(),
            TreeValue::Date => "a date".to_owned(),
            TreeValue::List(_) => "a list".to_owned(),
            TreeValue::Table(_) => "a table".to_owned(),
        }
    }
}

/// A text in quotes, shortened if it is long.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        None => format!("{text:?}"),
        Some((at, _)) => format!("{:?}…", &text[..at]),
    }
}
