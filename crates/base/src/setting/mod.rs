//! What a setting is: its key, the values that it takes, what it means, and how it is read from and written to what it
//! sets. Each table of settings stands beside the struct that it sets; files, command lines and references are made
//! from it.

mod kind;
mod value;

pub use kind::{Kind, Named, Words};
pub use value::{Settable, Value};

/// One setting of a `T`.
#[derive(Clone, Copy, Debug)]
pub struct Setting<T: 'static> {
    /// Its name, with dots between tables: `rto.min`. A key that begins other keys (`max_burst` beside
    /// `max_burst.packets`) is what may be written in place of their table.
    pub key: &'static str,
    /// Where it can be set.
    pub scope: Scope,
    /// Which values it takes.
    pub kind: Kind,
    /// What it means, as a row of a reference says it.
    pub doc: &'static str,
    /// Its value; `None` where another setting says it.
    pub get: fn(&T) -> Option<Value>,
    /// Sets a value of its kind.
    pub set: fn(&mut T, Value) -> Result<(), Refusal>,
}

/// One kind of a table whose `kind` says which other keys it has: `{ kind = "burst", … }`.
#[derive(Clone, Copy, Debug)]
pub struct Variant<T: 'static> {
    /// The kind, as users write it.
    pub name: &'static str,
    /// What a sentence calls such a table: `a drop-tail queue`.
    pub what: &'static str,
    /// What it means, as a row of a reference says it.
    pub doc: &'static str,
    /// A value of this kind, before its settings are set.
    pub new: fn() -> T,
    /// Whether a value is of this kind.
    pub is: fn(&T) -> bool,
    /// The other keys.
    pub settings: &'static [Setting<T>],
    /// Those of them that have to be given.
    pub required: &'static [&'static str],
    /// The other keys as a table may have them.
    pub example: &'static str,
}

/// Where a setting can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In scenario files and on the command line of tools that use real sockets.
    Everywhere,
    /// In scenario files alone.
    Scenarios,
    /// On the command line of tools that use real sockets alone.
    Tools,
}

/// Why a value of the right kind cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: String,
}

impl Scope {
    /// Whether a setting of this scope can be set where `place` is: in scenarios, or on the tools' command line.
    pub fn includes(self, place: Scope) -> bool {
        self == Scope::Everywhere || self == place
    }
}

impl Refusal {
    /// A refusal that says what is wrong and what would be right.
    pub fn new(message: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), expected: expected.into() }
    }
}

/// The value of a field, for [`Setting::get`].
pub fn shown<S: Settable>(field: &S) -> Option<Value> {
    Some(field.value())
}

/// Writes `value` to a field, for [`Setting::set`].
///
/// # Errors
/// The value is of another kind than the field.
pub fn put<S: Settable>(field: &mut S, value: Value) -> Result<(), Refusal> {
    let message = format!("{value:?} is of another kind than the setting");
    *field = S::of_value(value).ok_or_else(|| Refusal::new(message, "a value of the setting's kind"))?;
    Ok(())
}
