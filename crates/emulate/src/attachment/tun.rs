//! A path's two TUN interfaces, one in each network namespace, at which whole IP packets are read and written.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};

use anabranch_base::{ByteCount, Time};
use tun_rs::SyncDevice;

use crate::attachment::{Attachment, ReadPoint, ReceivedDatagram};
use crate::clock::Clock;
use crate::ip;
use crate::network::{Datagram, PathInput, PathOutput, Way};
use crate::report::{PathEnds, PathReport, TrafficCounters};
use crate::socket::ReceiveBuffers;

/// A path's two interfaces.
#[derive(Debug)]
pub struct TunAttachment {
    path: usize,
    tunnel: Tunnel,
    forward: TrafficCounters,
    reverse: TrafficCounters,
    memory: Vec<u8>,
}

/// Two interfaces and what they are called.
pub struct Tunnel {
    /// From which packets go forward.
    pub near: SyncDevice,
    /// From which packets go back.
    pub far: SyncDevice,
    /// For reports.
    pub ends: PathEnds,
}

impl TunAttachment {
    /// The attachment of the scenario's `path`-th path.
    ///
    /// # Errors
    /// The error of the operating system for the interfaces.
    pub fn open(path: usize, tunnel: Tunnel) -> io::Result<TunAttachment> {
        tunnel.near.set_nonblocking(true)?;
        tunnel.far.set_nonblocking(true)?;
        let (forward, reverse) = (TrafficCounters::default(), TrafficCounters::default());
        Ok(TunAttachment { path, tunnel, forward, reverse, memory: vec![0; LARGEST] })
    }

    /// The next packet that goes this way, unless it is for the link alone; `None` where nothing waits.
    fn read(&mut self, way: Way) -> io::Result<Option<Datagram>> {
        let device = match way {
            Way::Forward => &self.tunnel.near,
            Way::Reverse => &self.tunnel.far,
        };
        let length = device.recv(&mut self.memory)?;
        let packet = &self.memory[..length.min(LARGEST)];
        Ok((!ip::stays_on_its_link(packet)).then(|| Datagram::of_packet(packet.to_vec())))
    }

    fn traffic(&mut self, way: Way) -> &mut TrafficCounters {
        match way {
            Way::Forward => &mut self.forward,
            Way::Reverse => &mut self.reverse,
        }
    }
}

impl Attachment for TunAttachment {
    fn receive(
        &mut self,
        point: ReadPoint,
        clock: &Clock,
        _: &mut ReceiveBuffers,
        incoming: &mut Vec<ReceivedDatagram>,
    ) {
        let ReadPoint::Interface(way) = point else { return };
        for _ in 0..MOST_PACKETS {
            match self.read(way) {
                Ok(Some(datagram)) => {
                    // A TUN device does not tell when a packet came.
                    let at = clock.now();
                    self.traffic(way).on_received(ByteCount::of_len(datagram.bytes.len()));
                    incoming
                        .push(ReceivedDatagram { at, entry: PathInput { path: self.path, way, datagram } });
                }
                Ok(None) => {}
                Err(_) => break,
            }
        }
    }

    fn send(&mut self, departure: &PathOutput) {
        let PathOutput { way, datagram, .. } = departure;
        let device = match way {
            Way::Forward => &self.tunnel.far,
            Way::Reverse => &self.tunnel.near,
        };
        let sent = device.send(&datagram.bytes);
        let traffic = self.traffic(*way);
        match sent {
            Ok(_) => traffic.on_sent(ByteCount::of_len(datagram.bytes.len())),
            // The interface is down, or damage has made the packet one that the kernel does not know.
            Err(_) => traffic.unsent += 1,
        }
    }

    /// Interfaces have no clients to be forgotten.
    fn forget_idle(&mut self, _: Time) {}

    fn read_points(&self) -> Vec<(ReadPoint, BorrowedFd<'_>)> {
        let Tunnel { near, far, .. } = &self.tunnel;
        vec![
            (ReadPoint::Interface(Way::Forward), near.as_fd()),
            (ReadPoint::Interface(Way::Reverse), far.as_fd()),
        ]
    }

    fn report(&self, name: &str) -> PathReport {
        PathReport {
            name: name.to_owned(),
            ends: self.tunnel.ends.clone(),
            forward: self.forward,
            reverse: self.reverse,
        }
    }
}

impl std::fmt::Debug for Tunnel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tunnel").field("ends", &self.ends).finish_non_exhaustive()
    }
}

/// The largest IP packet.
const LARGEST: usize = 65_536;
/// Then the other interfaces have their turn: half a millisecond.
const MOST_PACKETS: usize = 256;
