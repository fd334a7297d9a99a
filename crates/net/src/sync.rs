//! Locks and shared pointers of what is synchronised by hand: those of the standard library, or those of `loom`, which tries
//! every order in which threads may run (`make loom`).

#[cfg(anabranch_loom)]
pub(crate) use loom::sync::{Arc, Mutex, MutexGuard};
#[cfg(not(anabranch_loom))]
pub(crate) use std::sync::{Arc, Mutex, MutexGuard};
