//! Android: Linux, of which programs see less. It is compiled in checks, and was never run.
//!
//! Programs may not query routes or subscribe to changes, so that the interfaces are listed each second. The IP options of
//! Linux are there.

use std::io;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

use super::{Cause, Device, System, ip};

/// Android.
#[derive(Debug)]
pub(crate) struct Android;

impl System for Android {
    fn bind_to_interface(&self, socket: &socket2::Socket, device: Device<'_>) -> io::Result<()> {
        socket.bind_device(Some(device.name.as_bytes()))
    }

    fn prepare(&self, socket: &UdpSocket) {
        ip::leave_out_times(socket);
    }

    fn set_fragmentation(&self, socket: &UdpSocket, local: SocketAddr, is_allowed: bool) -> io::Result<()> {
        ip::set_fragmentation(socket, local, is_allowed)
    }

    fn report_errors(&self, socket: &UdpSocket, is_ipv4: bool, is_wanted: bool) {
        ip::report_errors(socket, is_ipv4, is_wanted);
    }

    fn next_error(&self, socket: &UdpSocket) -> Option<(SocketAddr, io::Error)> {
        ip::next_error(socket)
    }

    fn cause(&self, error: &io::Error) -> Option<Cause> {
        Cause::among(ip::NUMBERS, error)
    }
}
