//! Our stack as the tests and the benchmark of the core drive it: one association in virtual time.
#![allow(dead_code, unused_imports, reason = "the workloads use a part of what tests use")]

#[path = "../../../crates/sctp/tests/stacks/anabranch.rs"]
mod anabranch;
#[path = "../../../crates/sctp/tests/stacks/pool.rs"]
mod pool;
#[path = "../../../crates/sctp/tests/stacks/stack.rs"]
mod stack;
#[path = "../../../crates/sctp/tests/stacks/transfer.rs"]
pub(crate) mod transfer;

pub(crate) use anabranch::Anabranch;
pub(crate) use stack::{Buffers, Datagram, Life, PORT, Role, Stack};
