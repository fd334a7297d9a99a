//! What can be wrong with the bytes of a frame, in the protocols that run over an association. Each has its own frames;
//! the faults are the same.

/// The error of bytes that are not a frame. `E` is the error of what only one protocol's frames contain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError<E> {
    /// No byte.
    #[error("an empty frame")]
    Empty,
    /// An unknown kind: the other end speaks another protocol.
    #[error("a frame of unknown kind {0:#04x}")]
    UnknownKind(u8),
    /// Too short, or bytes left over.
    #[error("a frame {kind} of {length} bytes, expected {expected}")]
    Length {
        /// The kind's name.
        kind: &'static str,
        /// The length.
        length: usize,
        /// What it should be.
        expected: &'static str,
    },
    /// Another version of the protocol.
    #[error(
        "version {found} of the {protocol} protocol, this program speaks {spoken}: use the same release at \
         both ends"
    )]
    Version {
        /// The protocol, as a sentence has it.
        protocol: &'static str,
        /// The peer's version.
        found: u8,
        /// The version of this program.
        spoken: u8,
    },
    /// A field has a value without a meaning.
    #[error("{field} is {value:#x}, which is not valid")]
    Field {
        /// The field.
        field: &'static str,
        /// The value.
        value: u64,
    },
    /// A reason that is not text, or would play tricks on a terminal; as a sentence has it.
    #[error("{0} that is not printable text")]
    Text(&'static str),
    /// A content that means nothing.
    #[error(transparent)]
    Content(#[from] E),
}

impl<E> FrameError<E> {
    /// The length of a frame of this kind, `rest` behind its first byte, is not `expected`.
    pub fn length(kind: &'static str, rest: &[u8], expected: &'static str) -> FrameError<E> {
        FrameError::Length { kind, length: rest.len() + 1, expected }
    }
}
