//! Tables, chains and rules of nftables as messages to the kernel.

mod existing;
mod matches;
mod rule;
mod table;
mod verdicts;

pub(crate) use existing::{Existing, existing};
pub(crate) use matches::LOOPBACK_INTERFACE;
pub(crate) use rule::{Family, Rule};
pub(crate) use table::{Chain, Hook, Table, transaction};

/// The name of the table, of family inet, that leads flows to a capture. The kernel removes it with its process.
pub const TABLE: &str = "anabranch";
/// The name of the table, of family inet, that drops what goes beside a strict capture. It stays until
/// [`release`](crate::release()).
pub const STRICT_TABLE: &str = "anabranch_strict";
