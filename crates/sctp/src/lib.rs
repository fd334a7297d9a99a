//! SCTP (RFC 9260) without I/O: multihomed, with data on all paths at once.

/// The types of times, byte counts and seeds, so that a program needs no other crate.
pub use anabranch_base as base;

pub mod association;
pub mod config;
pub mod endpoint;
pub mod event;
mod path;
pub mod policy;
mod receive;
pub mod record;
mod send;
pub mod seq;
pub mod wire;
