//! SCTP (RFC 9260) without I/O: multihomed, sending over all paths at once.

pub mod seq;
pub mod wire;
