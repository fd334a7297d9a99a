//! macOS and iOS. It is compiled in checks, and was never run.
//!
//! A socket is bound to its interface by index (`IP_BOUND_IF`). Changes are found by listing the interfaces each second;
//! routes are not queried, and undelivered packets not reported.

use std::io;
use std::num::NonZeroU32;

use super::{Cause, Device, System};

/// A system of Apple.
#[derive(Debug)]
pub(crate) struct Apple;

impl System for Apple {
    fn bind_to_interface(&self, socket: &socket2::Socket, device: Device<'_>) -> io::Result<()> {
        let index = device.index.and_then(NonZeroU32::new).ok_or(io::ErrorKind::NotFound)?;
        if device.is_ipv4 {
            socket.bind_device_by_index_v4(Some(index))
        } else {
            socket.bind_device_by_index_v6(Some(index))
        }
    }

    fn cause(&self, error: &io::Error) -> Option<Cause> {
        Cause::among(NUMBERS, error)
    }
}

/// `EMSGSIZE`, `ENOBUFS` and `EAFNOSUPPORT` of BSD.
const NUMBERS: [i32; 3] = [40, 55, 47];
