//! The laws for any bytes: the bodies of the fuzz targets of this crate. `hostile_bytes.rs` runs them on its own
//! inputs, so that they are exercised without a fuzzer, too.
#![allow(dead_code, unused_imports, reason = "each fuzz target uses one of the bodies")]

mod content;
mod cookie;
mod input;
mod peer;
mod walk;
mod wire;

pub(crate) use content::{INIT, KINDS, Parts};
pub(crate) use cookie::cookie;
pub(crate) use input::Input;
pub(crate) use peer::{STATES, association, framed, is_entered};
pub(crate) use walk::handshake;
pub(crate) use wire::{chunks, packet, parameters};
