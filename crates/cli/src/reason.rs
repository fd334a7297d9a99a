//! Reasons in words, as one end tells them to the other: text that a terminal can show, of a bounded length. It knows no
//! protocol.

use bytes::{BufMut, BytesMut};

/// So many bytes at most.
pub const MAX_WHY: usize = 1024;

/// Writes a reason. What is beyond [`MAX_WHY`] is cut, control characters become spaces.
pub fn encode(why: &str, bytes: &mut BytesMut) {
    let why = why.replace(char::is_control, " ");
    bytes.put_slice(&why.as_bytes()[..why.floor_char_boundary(MAX_WHY)]);
}

/// Reads one; nothing where it is no text or would play tricks on a terminal. Its length is for who knows the frame.
pub fn decode(why: &[u8]) -> Option<String> {
    std::str::from_utf8(why).ok().filter(|why| !why.contains(char::is_control)).map(str::to_owned)
}
