//! How well paths that share a bottleneck are found by `coupled = "auto"`, and what the paths carry with it.

pub mod draw;
pub mod equal_links;
pub mod network;
pub mod table;
pub mod trial;
