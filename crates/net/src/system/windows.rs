//! Windows. It is compiled in checks, and was never run.
//!
//! Interfaces are strong hosts (RFC 1122 §3.3.4.2): packets with the source address of an interface leave by it, so that
//! a socket need not be bound to it. Changes are found by listing the interfaces each second.

use std::io;

use super::{Cause, System};

/// Windows.
#[derive(Debug)]
pub(crate) struct Windows;

impl System for Windows {
    fn cause(&self, error: &io::Error) -> Option<Cause> {
        Cause::among(NUMBERS, error)
    }
}

/// `WSAEMSGSIZE`, `WSAENOBUFS` and `WSAEAFNOSUPPORT`.
const NUMBERS: [i32; 3] = [10_040, 10_055, 10_047];
