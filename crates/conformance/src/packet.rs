//! Writes the packets that a script injects, reads those that leave the machine, and compares them with what the
//! script expects. Scripts name fields in packetdrill's notation.

mod compare;
mod decode;
mod encode;
mod form;
mod learn;
mod numbers;
#[cfg(test)]
mod testing;
mod value;

pub(crate) use compare::differences;
pub(crate) use decode::{LivePacket, decode};
pub(crate) use encode::encode;
pub(crate) use numbers::Numbers;

/// The length of the common header (RFC 9260 §3.1).
const HEADER: usize = 12;
/// The length of the header of a chunk, a parameter or a cause.
const NODE_HEADER: usize = 4;
