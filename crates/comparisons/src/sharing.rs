//! How well paths that share a bottleneck are found by `coupled = "auto"` and by RFC 8382, and what the paths carry with the
//! former.

pub mod draw;
pub mod equal_links;
pub mod network;
pub mod rfc8382;
pub mod table;
pub mod trial;
