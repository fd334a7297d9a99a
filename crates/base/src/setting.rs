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
    /// The name, with dots between tables: `rto.min`. A key that begins other keys (`max_burst` beside
    /// `max_burst.packets`) is what may be written in place of their table.
    pub key: &'static str,
    /// Where it can be set.
    pub scope: Scope,
    /// Which values it takes.
    pub kind: Kind,
    /// What it means, as a row of a reference says it.
    pub doc: &'static str,
    /// The value; `None` where another setting says it.
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
    /// True if a value is of this kind.
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
    /// Returns true if a setting of this scope can be set where `place` is: in scenarios, or on the tools' command line.
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

/// The [`Setting`] that is a field of its target: the field, by whose path the setting is called, scope, kind and
/// meaning.
/// Where the key is another one, it stands before the field: `"max_burst" = max_burst.packets`.
///
/// ```
/// use anabranch_base::setting::{Kind, Setting, Value};
/// use anabranch_base::{Duration, field};
///
/// struct Config {
///     rto: Rto,
/// }
///
/// struct Rto {
///     min: Duration,
/// }
///
/// let setting: Setting<Config> = field!(rto.min, Everywhere, Kind::ANY_SPAN, "the minimum retransmission time-out");
/// let mut config = Config { rto: Rto { min: Duration::ZERO } };
/// (setting.set)(&mut config, Value::Span(Duration::from_secs(1)))?;
/// assert_eq!((setting.key, config.rto.min), ("rto.min", Duration::from_secs(1)));
/// # Ok::<(), anabranch_base::setting::Refusal>(())
/// ```
#[macro_export]
macro_rules! field {
    (@entry $key:expr, $first:ident $(. $more:ident)*, $scope:ident, $kind:expr, $doc:literal) => {
        $crate::setting::Setting {
            key: $key,
            scope: $crate::setting::Scope::$scope,
            kind: $kind,
            doc: $doc,
            get: |target| $crate::setting::shown(&target.$first $(. $more)*),
            set: |target, value| $crate::setting::put(&mut target.$first $(. $more)*, value),
        }
    };
    ($first:ident $(. $more:ident)*, $scope:ident, $kind:expr, $doc:literal) => {
        $crate::field!(
            @entry concat!(stringify!($first) $(, ".", stringify!($more))*), $first $(. $more)*, $scope, $kind, $doc
        )
    };
    ($key:literal = $first:ident $(. $more:ident)*, $scope:ident, $kind:expr, $doc:literal) => {
        $crate::field!(@entry $key, $first $(. $more)*, $scope, $kind, $doc)
    };
}

/// A setting of scenarios whose values are written in ways of their own: it is read and shown by its key.
pub const fn shaped<T>(key: &'static str, values: &'static str, doc: &'static str) -> Setting<T> {
    let kind = Kind::Shaped(values);
    Setting { key, scope: Scope::Scenarios, kind, doc, get: |_| None, set: |_, _| Ok(()) }
}

/// A key of scenarios that is known, and from which nothing follows yet.
pub const fn planned<T>(key: &'static str, doc: &'static str) -> Setting<T> {
    let kind = Kind::NotBuilt;
    Setting { key, scope: Scope::Scenarios, kind, doc, get: |_| None, set: |_, _| Ok(()) }
}

/// The value of a field, for [`Setting::get`].
pub fn shown<S: Settable>(field: &S) -> Option<Value> {
    Some(field.value())
}

/// The value of a field that may have none.
pub fn shown_some<S: Settable>(field: &Option<S>) -> Option<Value> {
    field.as_ref().map(Settable::value)
}

/// Writes `value` to a field that may have none.
///
/// # Errors
/// The value is of another kind than the field.
pub fn put_some<S: Settable>(field: &mut Option<S>, value: Value) -> Result<(), Refusal> {
    *field = Some(of_kind(value)?);
    Ok(())
}

/// Writes `value` to a field, for [`Setting::set`].
///
/// # Errors
/// The value is of another kind than the field.
pub fn put<S: Settable>(field: &mut S, value: Value) -> Result<(), Refusal> {
    *field = of_kind(value)?;
    Ok(())
}

fn of_kind<S: Settable>(value: Value) -> Result<S, Refusal> {
    let message = format!("{value:?} is of another kind than the setting");
    S::of_value(value).ok_or_else(|| Refusal::new(message, "a value of the setting's kind"))
}
