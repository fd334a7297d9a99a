//! One TUN interface, from which packets are read and to which they are written, in trains if the kernel offloads
//! segmentation.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd};

use tun_rs::SyncDevice;

use crate::network::{Datagram, TransportChecksum};
use crate::offload::{Piece, Train, split, write_alone};

/// An interface with the packets to be written to it.
pub(super) struct Interface {
    device: SyncDevice,
    train: Train,
}

/// The result of writing a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The system accepted it.
    Taken,
    /// The system refused it: the interface is down, or damage has made the packet unknown to the kernel.
    Refused,
}

impl Interface {
    /// The interface of a device, with or without offload.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(super) fn open(device: SyncDevice) -> io::Result<Interface> {
        device.set_nonblocking(true)?;
        Ok(Interface { device, train: Train::default() })
    }

    /// Reads once into `memory`, and passes each packet to `each`.
    ///
    /// # Errors
    /// `WouldBlock` if nothing can be read; `InvalidData` if the read is not a packet or a train of packets.
    pub(super) fn read(&self, memory: &mut [u8], mut each: impl FnMut(Piece<'_>)) -> io::Result<()> {
        let length = rustix::io::read(&self.device, &mut *memory)?;
        let read = &mut memory[..length];
        if self.has_headers() {
            return split(read, each).map_err(|_| io::ErrorKind::InvalidData.into());
        }
        each(Piece { headers: &[], rest: read, checksum: TransportChecksum::Complete });
        Ok(())
    }

    /// Adds a packet to those to be written, or returns it if they must be written first.
    pub(super) fn hold(&mut self, mut packet: Datagram) -> Result<(), Datagram> {
        if !self.has_headers() {
            packet.complete();
        }
        self.train.join(packet, self.device.udp_gso())
    }

    /// Writes the held packets, all at once or, if the kernel does not accept that, one by one, and passes the result
    /// of each to `each`.
    pub(super) fn write(&mut self, mut each: impl FnMut(Datagram, Sent)) {
        let (device, skipped) = (&self.device, usize::from(!self.has_headers()));
        let write = |pieces: &[IoSlice<'_>]| Ok(rustix::io::writev(device, &pieces[skipped..])?);
        if self.train.write(write).is_ok() {
            self.train.take().for_each(|packet| each(packet, Sent::Taken));
            return;
        }
        let is_alone = self.train.packets().len() == 1;
        for packet in self.train.take() {
            let is_taken = !is_alone && write_alone(&packet, write).is_ok();
            each(packet, if is_taken { Sent::Taken } else { Sent::Refused });
        }
    }

    /// Returns true if each packet is preceded by a header.
    fn has_headers(&self) -> bool {
        self.device.tcp_gso()
    }
}

impl AsFd for Interface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl std::fmt::Debug for Interface {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Interface").field("train", &self.train).finish_non_exhaustive()
    }
}
