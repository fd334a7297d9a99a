//! One end of a stream of datagrams: it sends them when they are due, and reports those that arrive. There are no
//! acknowledgements.

use anabranch_base::{ByteCount, Ecn, Machine, Time};
use anabranch_sctp::association::PathCounters;
use bytes::Bytes;

use super::{Delivered, Draft, Inbound, Outbound, PathReport, Transport};
use crate::application::Sender;
use crate::observe::{Host, PathState};

/// One end of a UDP flow.
#[derive(Debug)]
pub(super) struct UdpEnd {
    sender: Option<Sender>,
    deliveries: Vec<Delivered>,
    sent: PathCounters,
}

impl UdpEnd {
    /// An end that sends the messages of `sender`.
    pub(super) fn new(sender: Option<Sender>) -> UdpEnd {
        UdpEnd { sender, deliveries: Vec::new(), sent: PathCounters::default() }
    }
}

/// Both ends of a flow of datagrams.
pub(super) fn ends(draft: &Draft<'_>) -> [Box<dyn Transport>; 2] {
    Host::BOTH
        .map(|host| -> Box<dyn Transport> { Box::new(UdpEnd::new(draft.sender(host, ByteCount::ZERO))) })
}

impl Transport for UdpEnd {
    fn deliveries(&mut self) -> &mut Vec<Delivered> {
        &mut self.deliveries
    }

    fn is_spent(&self) -> bool {
        self.sender.as_ref().is_some_and(Sender::is_done)
    }

    fn report(&self, now: Time, _: usize) -> PathReport {
        let app_limited = now.since(Time::ZERO);
        PathReport { counters: self.sent, app_limited, ..PathReport::empty(PathState::Active) }
    }
}

impl Machine for UdpEnd {
    type Input = Inbound;
    type Output = Outbound;

    fn handle(&mut self, now: Time, packet: Inbound) {
        // UDP's checksum detects every single changed bit. A duplicated datagram is delivered once.
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
        self.sent.sent_packets += 1;
        self.sent.sent_bytes += ready.size;
        Some(Outbound {
            path: 0,
            size: HEADERS + ByteCount::of_len(bytes.len()),
            ecn: Ecn::NotEct,
            round: None,
            may_fragment: false,
            retransmission: false,
            bytes,
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.sender.as_ref().and_then(Sender::due)
    }
}

/// The IPv4 and UDP headers.
const HEADERS: ByteCount = ByteCount::new(28);
