//! The definition of a setting: its key, its values, its meaning, and its access to the field it sets. Each table of
//! settings is beside its struct; files, command lines and references are made from it.

mod kind;
mod value;

pub use kind::{Kind, Named, Words};
pub use value::{Settable, Value};

/// One setting of a `T`.
#[derive(Clone, Copy, Debug)]
pub struct Setting<T: 'static> {
    /// The name, with dots between tables: `rto.min`. A key that is a prefix of others (`max_burst` beside
    /// `max_burst.packets`) may be written in place of their table.
    pub key: &'static str,
    /// The places where it can be set.
    pub scope: Scope,
    /// The kind of its values.
    pub kind: Kind,
    /// The meaning, as a row of a reference.
    pub doc: &'static str,
    /// Returns the value; `None` if another setting determines it.
    pub get: fn(&T) -> Option<Value>,
    /// Sets a value of its kind.
    pub set: fn(&mut T, Value) -> Result<(), Refusal>,
}

/// One variant of a table whose `kind` determines its other keys: `{ kind = "burst", … }`.
#[derive(Clone, Copy, Debug)]
pub struct Variant<T: 'static> {
    /// The kind, as users write it.
    pub name: &'static str,
    /// The name of such a table in a sentence: `a drop-tail queue`.
    pub what: &'static str,
    /// The meaning, as a row of a reference.
    pub doc: &'static str,
    /// A value of this kind, before its settings are set.
    pub new: fn() -> T,
    /// True if a value is of this kind.
    pub is: fn(&T) -> bool,
    /// The other keys.
    pub settings: &'static [Setting<T>],
    /// The required ones among them.
    pub required: &'static [&'static str],
    /// An example of the other keys.
    pub example: &'static str,
}

/// The places where a setting can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Scenario files and the command line of tools with real sockets.
    Everywhere,
    /// Scenario files only.
    Scenarios,
    /// The command line of tools with real sockets only.
    Tools,
}

/// The error of a value of the right kind that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The problem.
    pub message: String,
    /// The expected value.
    pub expected: String,
}

impl Scope {
    /// Returns true if a setting of this scope can be set at `place`: in scenarios, or on the tools' command line.
    pub fn includes(self, place: Scope) -> bool {
        self == Scope::Everywhere || self == place
    }
}

impl Refusal {
    /// A refusal with the problem and the expected value.
    pub fn new(message: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), expected: expected.into() }
    }
}

/// Makes the [`Setting`] of a field of its target: the field, whose path is the key, scope, kind and meaning. Another
/// key is given before the field: `"max_burst" = max_burst.packets`.
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

/// A setting of scenarios whose values have a special syntax: it is read and written by its key.
pub const fn shaped<T>(key: &'static str, values: &'static str, doc: &'static str) -> Setting<T> {
    let kind = Kind::Shaped(values);
    Setting { key, scope: Scope::Scenarios, kind, doc, get: |_| None, set: |_, _| Ok(()) }
}

/// A planned key of scenarios, without effect yet.
pub const fn planned<T>(key: &'static str, doc: &'static str) -> Setting<T> {
    let kind = Kind::NotBuilt;
    Setting { key, scope: Scope::Scenarios, kind, doc, get: |_| None, set: |_, _| Ok(()) }
}

/// The value of a field, for [`Setting::get`].
pub fn shown<S: Settable>(field: &S) -> Option<Value> {
    Some(field.value())
}

/// The value of an optional field.
pub fn shown_some<S: Settable>(field: &Option<S>) -> Option<Value> {
    field.as_ref().map(Settable::value)
}

/// Writes `value` to an optional field.
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
