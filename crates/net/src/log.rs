//! Warnings and notes about the system, as events of `tracing` (feature `tracing`).

#[cfg(feature = "tracing")]
pub(crate) use tracing::{debug, warn};

/// Takes the fields of an event, and does nothing.
#[cfg(not(feature = "tracing"))]
macro_rules! ignored {
    (% $field:ident, $($rest:tt)*) => {{ let _ = &$field; $crate::log::ignored!($($rest)*) }};
    ($field:ident, $($rest:tt)*) => {{ let _ = &$field; $crate::log::ignored!($($rest)*) }};
    ($key:ident = % $value:expr, $($rest:tt)*) => {{ let _ = &$value; $crate::log::ignored!($($rest)*) }};
    ($key:ident = $value:expr, $($rest:tt)*) => {{ let _ = &$value; $crate::log::ignored!($($rest)*) }};
    ($message:literal) => {{}};
}
#[cfg(not(feature = "tracing"))]
pub(crate) use {ignored, ignored as debug, ignored as warn};
