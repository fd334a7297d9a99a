//! Reasons as text in the frames of a protocol: printable, of bounded length.

use bytes::{BufMut, BytesMut};

/// The prefix of the reason by which a listening end refuses a peer of the wrong kind.
pub const REFUSED: &str = "refused: ";
/// The prefix of the reason by which a listening end refuses a peer while it is busy.
pub const BUSY: &str = "busy with another ";

/// The longest reason, in bytes.
pub const MAX_WHY: usize = 1024;

/// Appends a reason to `bytes`. It is truncated to [`MAX_WHY`], and its control characters become spaces.
pub fn encode(why: &str, bytes: &mut BytesMut) {
    let why = why.replace(char::is_control, " ");
    let end = (0..=MAX_WHY.min(why.len())).rev().find(|at| why.is_char_boundary(*at)).unwrap_or(0);
    bytes.put_slice(&why.as_bytes()[..end]);
}

/// Decodes a reason; `None` if it is not text or contains control characters. The caller checks the length.
pub fn decode(why: &[u8]) -> Option<String> {
    std::str::from_utf8(why).ok().filter(|why| !why.contains(char::is_control)).map(str::to_owned)
}
