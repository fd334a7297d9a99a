//! A path's two TUN interfaces, one in each network namespace, for complete IP packets.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};

use anabranch_base::{ByteCount, Time};
use tun_rs::SyncDevice;

use super::interface::{Interface, Sent};
use crate::attachment::{Attachment, Handover, ReadPoint, ReceivedDatagram};
use crate::clock::Clock;
use crate::ip;
use crate::network::{Datagram, PathInput, PathOutput, Way};
use crate::offload::{Header, Piece};
use crate::report::{PathEnds, PathReport, TrafficCounters};
use crate::socket::ReceiveBuffers;

/// A path's two interfaces.
#[derive(Debug)]
pub(crate) struct TunAttachment {
    path: usize,
    near: Side,
    far: Side,
    ends: PathEnds,
    /// The buffer for one read.
    memory: Vec<u8>,
    /// The memory of sent packets, for reuse.
    spare: Vec<Vec<u8>>,
}

/// One interface with its traffic.
#[derive(Debug)]
struct Side {
    interface: Interface,
    /// The traffic that enters the path at this interface and leaves it at the other one.
    traffic: TrafficCounters,
}

/// Two interfaces and their names.
pub(crate) struct Tunnel {
    /// The interface from which packets go forward.
    pub near: SyncDevice,
    /// The interface from which packets go back.
    pub far: SyncDevice,
    /// The ends of the path in reports.
    pub ends: PathEnds,
}

impl TunAttachment {
    /// The attachment of the scenario's `path`-th path.
    ///
    /// # Errors
    /// The error of the operating system for the interfaces.
    pub(crate) fn open(path: usize, tunnel: Tunnel) -> io::Result<TunAttachment> {
        let Tunnel { near, far, ends } = tunnel;
        let side = |device| {
            Interface::open(device).map(|interface| Side { interface, traffic: TrafficCounters::default() })
        };
        let memory = vec![0; Header::LEN + LARGEST];
        Ok(TunAttachment { path, near: side(near)?, far: side(far)?, ends, memory, spare: Vec::new() })
    }

    /// Reads one packet or train in `direction`.
    fn read(&mut self, direction: Way, at: Time, incoming: &mut Vec<ReceivedDatagram>) -> io::Result<()> {
        let side = match direction {
            Way::Forward => &mut self.near,
            Way::Reverse => &mut self.far,
        };
        side.interface.read(&mut self.memory, |Piece { headers, rest, checksum }| {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.clear();
            bytes.extend_from_slice(headers);
            bytes.extend_from_slice(rest);
            if ip::stays_on_its_link(&bytes) {
                return;
            }
            side.traffic.on_received(ByteCount::of_len(bytes.len()));
            let datagram = Datagram::of_packet(bytes).with(checksum);
            incoming.push(ReceivedDatagram { at, entry: PathInput { path: self.path, direction, datagram } });
        })
    }

    /// Writes the held packets of `direction`.
    fn write(&mut self, direction: Way) {
        let TunAttachment { near, far, spare, .. } = self;
        let (from, to) = match direction {
            Way::Forward => (near, far),
            Way::Reverse => (far, near),
        };
        to.interface.write(|datagram, sent| {
            match sent {
                Sent::Taken => from.traffic.on_sent(ByteCount::of_len(datagram.bytes.len())),
                Sent::Refused => from.traffic.unsent += 1,
            }
            if spare.len() < MOST_SPARE {
                spare.push(datagram.bytes);
            }
        });
    }

    fn hold(&mut self, direction: Way, datagram: Datagram) -> Result<(), Datagram> {
        match direction {
            Way::Forward => self.far.interface.hold(datagram),
            Way::Reverse => self.near.interface.hold(datagram),
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
        let ReadPoint::Interface(direction) = point else { return };
        let (at, before) = (clock.now(), incoming.len());
        for _ in 0..MOST_PACKETS {
            match self.read(direction, at, incoming) {
                // The next one may be valid.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
                Ok(()) if incoming.len() - before < MOST_PACKETS => {}
                Ok(()) | Err(_) => break,
            }
        }
    }

    /// A TUN device reports no arrival times.
    fn knows_arrivals(&self) -> bool {
        false
    }

    fn send(&mut self, departure: PathOutput) -> Handover {
        let PathOutput { direction, datagram, .. } = departure;
        if let Err(next) = self.hold(direction, datagram) {
            self.write(direction);
            // Every packet is accepted as the first.
            let _ = self.hold(direction, next);
        }
        Handover::Held
    }

    fn flush(&mut self) {
        Way::BOTH.into_iter().for_each(|direction| self.write(direction));
    }

    /// Interfaces have no clients.
    fn forget_idle(&mut self, _: Time) {}

    fn read_points(&self) -> Vec<(ReadPoint, BorrowedFd<'_>)> {
        vec![
            (ReadPoint::Interface(Way::Forward), self.near.interface.as_fd()),
            (ReadPoint::Interface(Way::Reverse), self.far.interface.as_fd()),
        ]
    }

    fn report(&self, name: &str) -> PathReport {
        PathReport {
            name: name.to_owned(),
            ends: self.ends.clone(),
            forward: self.near.traffic,
            reverse: self.far.traffic,
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
/// The most packets read before other interfaces: half a millisecond.
const MOST_PACKETS: usize = 256;
/// The most packets whose memory is kept: four megabytes a path.
const MOST_SPARE: usize = 2_048;
