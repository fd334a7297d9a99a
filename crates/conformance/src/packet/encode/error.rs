//! The reasons for which a packet of a script cannot be written.

use crate::script::{Node, Value};

/// The reason for which a packet of a script cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PacketError {
    /// No chunk, parameter or cause has this name.
    #[error("`{name}` is not a known {family}")]
    UnknownName {
        /// The name.
        name: String,
        /// The family in which it was looked up.
        family: &'static str,
    },
    /// A field has another name, or a value that it cannot have.
    #[error("`{node}` has no field `{field}` with the value `{value}`")]
    BadField {
        /// The chunk, the parameter or the cause.
        node: String,
        /// The field.
        field: String,
        /// The value.
        value: String,
    },
    /// A length does not fit its field.
    #[error("`{node}` is longer than 65535 bytes")]
    TooLong {
        /// The chunk, the parameter or the cause.
        node: String,
    },
}

/// The error for the field `field` of `node`.
pub(super) fn bad(node: &Node, field: &str, value: &Value) -> PacketError {
    PacketError::BadField { node: node.name.clone(), field: field.to_owned(), value: value.to_string() }
}
