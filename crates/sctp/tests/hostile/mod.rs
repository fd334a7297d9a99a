//! What must hold for any bytes whatever: the bodies of the fuzz targets of this crate. `hostile_bytes.rs`
//! runs them on inputs of its own, so that they are exercised without a fuzzer too.
#![allow(dead_code, unused_imports, reason = "each fuzz target uses one of the bodies")]

mod content;
mod cookie;
mod input;
mod peer;
mod walk;
mod wire;

pub use content::{INIT, KINDS, Parts};
pub use cookie::cookie;
pub use input::Input;
pub use peer::{STATES, association, framed, is_entered};
pub use walk::handshake;
pub use wire::{chunks, packet, parameters};
