//! The detection of paths that share a bottleneck, by `coupled = "auto"` and by RFC 8382, and the goodput with the former.

pub mod draw;
pub(crate) mod equal_links;
pub mod network;
pub(crate) mod rfc8382;
pub mod table;
pub mod trial;
