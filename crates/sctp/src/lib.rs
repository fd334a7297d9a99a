//! SCTP (RFC 9260) without I/O: multihomed, sending over all paths at once.

pub mod config;
pub mod event;
pub mod policy;
pub mod record;
pub mod seq;
pub mod wire;
