//! Reasons in words, as the frames of a protocol carry them to the other end: text that a terminal can show, of a
//! bounded length.

use bytes::{BufMut, BytesMut};

/// How the reason begins for which a listening end does not serve a peer of the wrong kind; why follows.
pub const REFUSED: &str = "refused: ";
/// How the reason begins for which a listening end cannot serve a peer now.
pub const BUSY: &str = "busy with another ";

/// The longest reason, in bytes.
pub const MAX_WHY: usize = 1024;

/// Writes a reason behind `bytes`. What is beyond [`MAX_WHY`] is cut, control characters become spaces.
pub fn encode(why: &str, bytes: &mut BytesMut) {
    let why = why.replace(char::is_control, " ");
    bytes.put_slice(&why.as_bytes()[..why.floor_char_boundary(MAX_WHY)]);
}

/// Reads a reason; `None` if it is not text, or holds control characters. The length is the caller's to check.
pub fn decode(why: &[u8]) -> Option<String> {
    std::str::from_utf8(why).ok().filter(|why| !why.contains(char::is_control)).map(str::to_owned)
}
