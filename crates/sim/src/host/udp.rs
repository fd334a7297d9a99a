//! One end of a stream of datagrams: it sends them when they are due, and tells of those that come. It knows no
//! acknowledgement.

use anabranch_base::{ByteCount, Machine, Time};
use bytes::Bytes;

use super::{Delivered, Inbound, Outbound};
use crate::application::Sender;

/// One end of a UDP flow.
#[derive(Debug)]
pub struct UdpEnd {
    sender: Option<Sender>,
    deliveries: Vec<Delivered>,
    sent: (u64, ByteCount),
}

impl UdpEnd {
    /// An end that sends what `sender` has.
    pub fn new(sender: Option<Sender>) -> UdpEnd {
        UdpEnd { sender, deliveries: Vec::new(), sent: (0, ByteCount::ZERO) }
    }

    /// What was delivered and nobody took yet.
    pub fn deliveries(&mut self) -> &mut Vec<Delivered> {
        &mut self.deliveries
    }

    /// Whether it has sent all of a transfer.
    pub fn is_spent(&self) -> bool {
        self.sender.as_ref().is_some_and(Sender::is_done)
    }

    /// How many datagrams left, and how much user data in them.
    pub fn sent(&self) -> (u64, ByteCount) {
        self.sent
    }
}

impl Machine for UdpEnd {
    type Input = Inbound;
    type Output = Outbound;

    fn handle(&mut self, now: Time, packet: Inbound) {
        // UDP's checksum finds every single bit that is turned over; what comes twice is delivered once.
        if packet.is_damaged || packet.is_duplicate {
            return;
        }
        let delivered =
            Delivered { bytes: ByteCount::of_len(packet.bytes.len()), delay: now.since(packet.sent) };
        self.deliveries.push(delivered);
    }

    fn handle_timeout(&mut self, _: Time) {}

    fn poll(&mut self, now: Time) -> Option<Outbound> {
        let sender = self.sender.as_mut()?;
        let ready = sender.peek(now)?;
        let bytes: Bytes = sender.take(ready);
        self.sent = (self.sent.0 + 1, self.sent.1 + ready.size);
        Some(Outbound {
            may_fragment: false,
            path: 0,
            size: HEADERS + ByteCount::of_len(bytes.len()),
            round: None,
            retransmission: false,
            bytes,
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.sender.as_ref().and_then(Sender::due)
    }
}

/// IPv4 and UDP.
const HEADERS: ByteCount = ByteCount::new(28);
