//! The errors of frames, which are the same for all protocols over an association; each has its own frames.

/// The error of bytes that are not a frame. `E` is the error of content that only one protocol has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError<E> {
    /// The frame is empty.
    #[error("an empty frame")]
    Empty,
    /// The kind is unknown: the other end uses another protocol.
    #[error("a frame of unknown kind {0:#04x}")]
    UnknownKind(u8),
    /// The frame is too short or too long.
    #[error("a frame {kind} of {length} bytes, expected {expected}")]
    Length {
        /// The kind's name.
        kind: &'static str,
        /// The length of the frame.
        length: usize,
        /// The expected length.
        expected: &'static str,
    },
    /// The peer uses another version of the protocol.
    #[error(
        "version {found} of the {protocol} protocol, this program uses {supported}: use the same release at \
         both ends"
    )]
    Version {
        /// The name of the protocol within a sentence.
        protocol: &'static str,
        /// The peer's version.
        found: u8,
        /// The version of this program.
        supported: u8,
    },
    /// A field has an undefined value.
    #[error("{field} is {value:#x}, which is not valid")]
    Field {
        /// The field's name.
        field: &'static str,
        /// The value.
        value: u64,
    },
    /// A reason is not text, or contains control characters; its name within a sentence.
    #[error("{0} that is not printable text")]
    Text(&'static str),
    /// The content is invalid.
    #[error(transparent)]
    Content(#[from] E),
}

impl<E> FrameError<E> {
    /// The error of a frame of this kind whose length, `rest` after its first byte, is not `expected`.
    pub fn length(kind: &'static str, rest: &[u8], expected: &'static str) -> FrameError<E> {
        FrameError::Length { kind, length: rest.len() + 1, expected }
    }
}
