//! One end of a TCP connection, which only the simulator has: traffic beside SCTP, and Multipath TCP (M-NET-7, M-MP-1). No
//! data travel, only their headers; a connection opens without packets, a round trip after its flow starts.

mod assembly;
mod build;
mod connection;
mod control;
mod limits;
mod position;
mod receiver;
mod rounds;
mod scoreboard;
mod segment;
mod sender;
mod source;
mod subflow;
mod timer;
#[cfg(test)]
mod walks;
mod window;

pub(super) use build::ends;
pub use segment::following_data;

use anabranch_base::{ByteCount, Duration, Ecn, Machine, Time};

use super::sctp::Slabs;
use super::{Delivered, Inbound, Outbound, PathReport, PathView, Received, Transport};
use assembly::Assembly;
use connection::{ConnectionSender, Departure};
use limits::{Limit, TimeInLimits};
use segment::{Acknowledgement, Expected, Format, Header, Segment};
use subflow::Subflow;

/// One end of a TCP connection.
#[derive(Debug)]
pub(super) struct TcpEnd {
    subflows: Vec<Subflow>,
    /// `None` at an end that only receives.
    sender: Option<ConnectionSender>,
    assembly: Assembly,
    deliveries: Vec<Delivered>,
    format: Format,
    warmup: Time,
    /// True if data waited for the receive window alone.
    blocked: TimeInLimits,
    slabs: Slabs,
    /// The paths as last reported, if they are watched.
    told: Option<Vec<Option<PathView>>>,
}

impl TcpEnd {
    /// The first acknowledgement that a subflow owes.
    fn poll_acknowledgement(&mut self) -> Option<Outbound> {
        let taken = |(path, subflow): (usize, &mut Subflow)| {
            let (next, blocks) = subflow.receiver.take_acknowledgement()?;
            Some((path, next, blocks))
        };
        let (path, next, blocks) = self.subflows.iter_mut().enumerate().find_map(taken)?;
        let acknowledgement = Acknowledgement { next, data_next: self.assembly.next(), blocks };
        let header = self.format.acknowledgement(&acknowledgement);
        Some(self.outbound(path, &header, ACKNOWLEDGEMENT))
    }

    fn poll_data(&mut self, now: Time) -> Option<Outbound> {
        let departure = self.sender.as_mut()?.poll(now, &mut self.subflows)?;
        let Departure { path, segment, is_repeated } = departure;
        let header = self.format.data(&segment);
        let outbound = self.outbound(path, &header, AROUND_DATA + segment.size);
        let round = Some(self.subflows[path].sender.round());
        Some(Outbound { round, retransmission: is_repeated, ..outbound })
    }

    fn outbound(&mut self, path: usize, header: &Header, size: ByteCount) -> Outbound {
        self.subflows[path].sender.counters.sent_packets += 1;
        Outbound {
            path,
            size,
            ecn: Ecn::NotEct,
            round: None,
            may_fragment: false,
            retransmission: false,
            bytes: self.slabs.copy(header.as_slice()),
        }
    }

    /// Notes what holds each subflow back.
    fn note_limits(&mut self, now: Time) {
        let Some(sender) = &mut self.sender else { return };
        let mut is_blocked = false;
        for subflow in &mut self.subflows {
            let limit = sender.limit(now, subflow);
            is_blocked |= limit == Limit::ReceiveWindow;
            subflow.limits.set(now, limit);
        }
        self.blocked.set(now, if is_blocked { Limit::ReceiveWindow } else { Limit::Application });
    }
}

impl Transport for TcpEnd {
    fn deliveries(&mut self) -> &mut Vec<Delivered> {
        &mut self.deliveries
    }

    fn held(&self) -> ByteCount {
        self.assembly.held()
    }

    fn watch_paths(&mut self) {
        self.told.get_or_insert_with(|| vec![None; self.subflows.len()]);
    }

    fn take_changed_paths(&mut self) -> Vec<(usize, PathView)> {
        let (Some(told), Some(_)) = (&mut self.told, &self.sender) else { return Vec::new() };
        let views = self.subflows.iter().map(Subflow::path_view).enumerate().zip(told);
        let new = |((path, view), told): ((usize, PathView), &mut Option<PathView>)| {
            (told.replace(view) != Some(view)).then_some((path, view))
        };
        views.filter_map(new).collect()
    }

    fn report(&self, now: Time, path: usize) -> PathReport {
        self.subflows[path].report(now)
    }

    fn received_on(&self, path: usize) -> Option<Received> {
        Some(self.subflows[path].received)
    }

    fn blocked(&self, now: Time) -> Duration {
        self.blocked.span(now, Limit::ReceiveWindow)
    }
}

impl Machine for TcpEnd {
    type Input = Inbound;
    type Output = Outbound;

    fn handle(&mut self, now: Time, packet: Inbound) {
        let Some(subflow) = self.subflows.get_mut(packet.path).filter(|_| !packet.is_damaged) else { return };
        let expected =
            Expected { arriving: subflow.receiver.next(), unacknowledged: subflow.sender.unacknowledged() };
        match self.format.decode(&packet.bytes, expected) {
            Some(Segment::Data(segment)) => {
                subflow.receiver.handle_data(now, segment.start, segment.size);
                if self.assembly.accept(now, &segment, &mut self.deliveries) && now >= self.warmup {
                    subflow.count_received(segment.size);
                }
            }
            Some(Segment::Acknowledgement(acknowledgement)) => {
                if let Some(sender) = &mut self.sender {
                    sender.handle_acknowledgement(now, &mut self.subflows, packet.path, &acknowledgement);
                }
            }
            None => {}
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        for path in 0..self.subflows.len() {
            self.subflows[path].receiver.handle_timeout(now);
            if let Some(sender) =
                self.sender.as_mut().filter(|_| self.subflows[path].sender.is_timed_out(now))
            {
                sender.handle_timeout(now, &mut self.subflows, path);
            }
        }
    }

    fn poll(&mut self, now: Time) -> Option<Outbound> {
        let next = self.poll_acknowledgement().or_else(|| self.poll_data(now));
        if next.is_none() {
            self.note_limits(now);
        }
        next
    }

    fn poll_timeout(&self) -> Option<Time> {
        let timers = self.subflows.iter().filter_map(Subflow::timeout).min();
        let Some(sender) = &self.sender else { return timers };
        let opening = |subflow: &Subflow| (!subflow.has_opened()).then_some(subflow.opens);
        let opening = self.subflows.iter().filter_map(opening).min();
        [timers, sender.due(), opening].into_iter().flatten().min()
    }
}

/// The size of an acknowledgement's packet, and that of IP and TCP headers around data.
const ACKNOWLEDGEMENT: ByteCount = ByteCount::new(40);
const AROUND_DATA: ByteCount = ByteCount::new(52);
