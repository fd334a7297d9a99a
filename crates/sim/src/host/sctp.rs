//! One end of an SCTP flow: the real endpoint with an application on top.

mod build;
mod departed;
#[cfg(test)]
mod lanes;
#[cfg(test)]
mod marks;
mod report;
mod slabs;

pub(super) use build::ends;
use departed::departed;
pub(super) use slabs::Slabs;

use std::any::Any;
use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Machine, Seed, Time};
use anabranch_sctp::association::{
    Association, Message, Outgoing, Part, Reliability, SackCounters, Transmit,
};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{
    Arrival, AssociationId, Channel, Endpoint, EndpointConfig, EndpointError, join,
};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::{Hints, PathId, PathSample, Registry};
use anabranch_sctp::wire::{CommonHeader, PathRole, Ppid, StreamId};
use bytes::Bytes;

use super::address::{PathNumber, address};
use super::{Delivered, Inbound, Outbound, PathReport, PathView, Received, Transport};
use crate::application::{Sender, pattern};
use crate::observe::Host;

/// One end of an SCTP flow.
#[derive(Debug)]
pub(super) struct SctpEnd {
    endpoint: Endpoint,
    id: Option<AssociationId>,
    /// The addresses of both hosts, one for each path.
    locals: Vec<SocketAddr>,
    peers: Vec<SocketAddr>,
    sender: Option<Sender>,
    settings: FlowSettings,
    /// The hints for each path of the flow.
    hints: Vec<Hints>,
    /// The position of the next message in the peer's stream.
    expected: u64,
    is_open: bool,
    is_silent: bool,
    failure: Option<String>,
    deliveries: Vec<Delivered>,
    /// The message of which parts were received.
    begun: Option<Message>,
    /// The data that had arrived and could not be delivered when the application last read.
    held: ByteCount,
    /// Packets that left the association together.
    packets: Vec<u8>,
    batch: Option<Batch>,
    slabs: Slabs,
    /// The paths as last reported, if they are watched.
    told: Option<Vec<PathSample>>,
    /// The data that had arrived on each path at the end of the warm-up.
    received_in_warmup: Option<Vec<Received>>,
}

/// The settings of both ends of a flow.
#[derive(Clone, Debug)]
pub(super) struct FlowSettings {
    /// The association's settings.
    pub config: Config,
    /// The policies that the settings name.
    pub registry: Registry,
    /// The SCTP port of both ends.
    pub port: u16,
    /// The scenario's path for each of the flow's paths.
    pub paths: Vec<usize>,
    /// True if messages are ordered.
    pub ordered: bool,
    /// True if the association is closed when everything was sent.
    pub closes: bool,
    /// The headers around an SCTP packet.
    pub overhead: ByteCount,
    /// The end of the warm-up.
    pub warmup: Time,
}

/// Packets that left the association together; the end sends them one by one.
#[derive(Debug)]
struct Batch {
    path: usize,
    transmit: Transmit,
    /// The packets that were not sent yet.
    rest: Bytes,
}

impl SctpEnd {
    /// One end, not connected. It sends the messages of `sender`.
    ///
    /// # Errors
    /// The settings are invalid for an association.
    pub(super) fn new(
        host: Host,
        settings: FlowSettings,
        sender: Option<Sender>,
        seed: Seed,
    ) -> Result<SctpEnd, EndpointError> {
        let addresses = |host| -> Vec<SocketAddr> {
            settings.paths.iter().map(|path| address(PathNumber::new(*path), host)).collect()
        };
        let config = EndpointConfig {
            association: settings.config.clone(),
            registry: settings.registry.clone(),
            port: settings.port,
            accepts: host == Host::Second,
            local: addresses(host),
            max_associations: 1,
        };
        let locals = config.local.clone();
        Ok(SctpEnd {
            endpoint: Endpoint::new(config, seed)?,
            id: None,
            locals,
            peers: addresses(host.other()),
            sender,
            settings,
            hints: Vec::new(),
            expected: 0,
            is_open: false,
            is_silent: false,
            failure: None,
            deliveries: Vec::new(),
            begun: None,
            held: ByteCount::ZERO,
            packets: Vec::new(),
            batch: None,
            slabs: Slabs::new(),
            told: None,
            received_in_warmup: None,
        })
    }

    /// This end, with hints for each path of the flow.
    pub(super) fn hinted(self, hints: Vec<Hints>) -> SctpEnd {
        SctpEnd { hints, ..self }
    }

    /// This end, with a role for each path of the flow. The peer learns them from HEARTBEATs.
    pub(super) fn with_roles(mut self, roles: impl Iterator<Item = PathRole>) -> SctpEnd {
        for (local, role) in self.locals.iter().zip(roles) {
            self.endpoint.set_role(Time::ZERO, *local, role);
        }
        self
    }

    /// The association, once there is one.
    pub(super) fn association(&self) -> Option<&Association> {
        self.endpoint.association(self.id?)
    }

    /// The flow's number of a path of the association.
    pub(crate) fn path_number(&self, path: PathId) -> Option<usize> {
        self.number_of(self.association()?.path_addresses(path).local)
    }

    /// The flow's number of the path with the local address `local`.
    fn number_of(&self, local: SocketAddr) -> Option<usize> {
        let path = PathNumber::of(local)?.index();
        self.settings.paths.iter().position(|known| *known == path)
    }

    fn received_by_path(&self) -> Vec<Received> {
        let mut sums = vec![Received::default(); self.settings.paths.len()];
        let Some(association) = self.association() else { return sums };
        for sample in association.paths() {
            let sum = self.path_number(sample.id).and_then(|number| sums.get_mut(number));
            if let Some(sum) = sum {
                let counters = association.path_counters(sample.id);
                sum.bytes += counters.received_bytes;
                sum.packets += counters.received_data_packets;
            }
        }
        sums
    }

    /// Handles everything that follows an event: events, reading, and sending.
    fn settle(&mut self, now: Time) {
        while let Some((id, event)) = self.endpoint.poll_event() {
            self.id.get_or_insert(id);
            match event {
                Event::Connected => self.is_open = true,
                Event::Closed(CloseReason::Graceful) => {}
                Event::Closed(reason) => self.failure = Some(reason.to_string()),
                _ => {}
            }
        }
        let Some(id) = self.id else { return };
        self.hint(id);
        self.read(now, id);
        self.write(now, id);
    }

    /// Returns the association the hints for paths that have none yet: paths may be added while it is open.
    fn hint(&mut self, id: AssociationId) {
        let Some(association) = self.endpoint.association(id) else { return };
        let is_new = |sample: &&PathSample| sample.hints == Hints::default();
        if !association.paths().iter().any(|sample| is_new(&sample)) {
            return;
        }
        let known = |sample: &PathSample| {
            let number = self.number_of(association.path_addresses(sample.id).local)?;
            Some((sample.id, *self.hints.get(number)?))
        };
        let new: Vec<(PathId, Hints)> = association.paths().iter().filter(is_new).filter_map(known).collect();
        for (path, hints) in new {
            if let Some(association) = self.endpoint.association_mut(id) {
                association.set_hints(path, hints);
            }
        }
    }

    fn read(&mut self, now: Time, id: AssociationId) {
        while let Some((received, _)) = self.endpoint.receive(id) {
            let Some(message) = self.join(received) else { continue };
            let bytes = ByteCount::of_len(message.len());
            if self.settings.ordered && !continues(&message, self.expected) && self.failure.is_none() {
                self.failure =
                    Some(format!("what arrived after {} bytes is not what was sent", self.expected));
            }
            self.expected += bytes.get();
            self.deliveries.push(Delivered { bytes, delay: age(message.ppid, now) });
        }
        self.held = self.endpoint.association(id).map_or(ByteCount::ZERO, Association::received_bytes_held);
    }

    /// Adds a part to the message that it continues, and returns a message that is whole.
    fn join(&mut self, part: Message) -> Option<Message> {
        if part.part == Part::Whole {
            return Some(part);
        }
        let message = match self.begun.take() {
            Some(mut begun) => begun.append(part).is_ok().then_some(begun),
            None => Some(part),
        };
        let is_whole = message.as_ref().is_some_and(|message| message.part == Part::Whole);
        if is_whole {
            return message;
        }
        self.begun = message;
        None
    }

    fn write(&mut self, now: Time, id: AssociationId) {
        let Some(sender) = self.sender.as_mut().filter(|_| self.is_open) else { return };
        let Some(association) = self.endpoint.association_mut(id) else { return };
        while let Some(ready) = sender.peek(now) {
            if association.send_space() < ready.size {
                return;
            }
            let message = Outgoing {
                stream: StreamId::new(0),
                ppid: stamp(ready.since),
                unordered: !self.settings.ordered,
                immediate: false,
                reliability: Reliability::Full,
                payload: sender.take(ready),
            };
            if let Err(error) = association.send(now, message) {
                self.failure = Some(error.to_string());
                self.sender = None;
                return;
            }
        }
        if self.settings.closes && sender.is_done() {
            association.close(now);
            self.sender = None;
        }
    }

    /// The next of the packets that left together.
    fn next_of_batch(&mut self) -> Option<Outbound> {
        let Batch { path, transmit, rest } = self.batch.as_mut()?;
        if rest.is_empty() {
            return None;
        }
        let packet = rest.split_to(transmit.segment_size.min(rest.len()));
        Some(Outbound {
            path: *path,
            size: self.settings.overhead + ByteCount::of_len(packet.len()),
            ecn: transmit.ecn,
            round: carries_data(&packet).then_some(transmit.round),
            may_fragment: transmit.may_fragment,
            retransmission: transmit.retransmission,
            bytes: packet,
        })
    }

    fn end_warmup(&mut self, now: Time) {
        if self.received_in_warmup.is_none() && now >= self.settings.warmup {
            self.received_in_warmup = Some(self.received_by_path());
        }
    }
}

impl Transport for SctpEnd {
    /// Starts the four-way handshake.
    fn open(&mut self, now: Time) {
        match self.endpoint.connect(&self.peers) {
            Ok(id) => self.id = Some(id),
            Err(error) => self.failure = Some(error.to_string()),
        }
        self.settle(now);
    }

    fn join(&mut self, now: Time, other: &mut dyn Transport) {
        let other: &mut dyn Any = other;
        let Some(other) = other.downcast_mut::<SctpEnd>() else {
            self.failure = Some("the other end does not speak SCTP".to_owned());
            return;
        };
        match join(now, &mut self.endpoint, &mut other.endpoint) {
            Ok((near, far)) => (self.id, other.id) = (Some(near), Some(far)),
            Err(error) => self.failure = Some(error.to_string()),
        }
        self.settle(now);
        other.settle(now);
    }

    fn fall_silent(&mut self) {
        self.is_silent = true;
    }

    fn deliveries(&mut self) -> &mut Vec<Delivered> {
        &mut self.deliveries
    }

    fn held(&self) -> ByteCount {
        self.held
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn watch_paths(&mut self) {
        self.told.get_or_insert_default();
    }

    fn take_changed_paths(&mut self) -> Vec<(usize, PathView)> {
        let Some(mut told) = self.told.take() else { return Vec::new() };
        let samples = self.association().map_or(&[][..], Association::paths);
        let is_new =
            |sample: &&PathSample| told.get(sample.id.index()).is_none_or(|old| differs(old, sample));
        let view = |sample: &PathSample| Some((self.path_number(sample.id)?, sample.into()));
        let changed = samples.iter().filter(is_new).filter_map(view).collect();
        told.clear();
        told.extend_from_slice(samples);
        self.told = Some(told);
        changed
    }

    fn report(&self, now: Time, path: usize) -> PathReport {
        report::path(self, now, path)
    }

    fn received_on(&self, path: usize) -> Option<Received> {
        let before = self.received_in_warmup.as_ref().and_then(|sums| sums.get(path));
        let before = before.copied().unwrap_or_default();
        let all = self.received_by_path().get(path).copied().unwrap_or_default();
        Some(Received {
            bytes: all.bytes.saturating_sub(before.bytes),
            packets: all.packets.saturating_sub(before.packets),
        })
    }

    fn blocked(&self, now: Time) -> Duration {
        self.association().map_or(Duration::ZERO, |association| association.blocked(now))
    }

    fn receive_buffer(&self) -> Option<ByteCount> {
        self.association().map(Association::receive_buffer)
    }

    fn sacks(&self) -> Option<SackCounters> {
        self.association().map(Association::sack_counters)
    }
}

impl Machine for SctpEnd {
    type Input = Inbound;
    type Output = Outbound;

    fn handle(&mut self, now: Time, packet: Inbound) {
        if self.is_silent {
            return;
        }
        self.end_warmup(now);
        let addresses = self.locals.get(packet.path).zip(self.peers.get(packet.path));
        let Some((&local, &remote)) = addresses else { return };
        let Inbound { ecn, bytes, .. } = packet;
        let memory = ByteCount::of_len(bytes.len());
        let arrival = Arrival { local, remote, channel: Channel::PLAIN, ecn, bytes, memory };
        self.endpoint.handle(now, &arrival);
        self.settle(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.is_silent {
            return;
        }
        self.end_warmup(now);
        self.endpoint.handle_timeout(now);
        self.settle(now);
    }

    fn poll(&mut self, now: Time) -> Option<Outbound> {
        if self.is_silent {
            return None;
        }
        if let Some(next) = self.next_of_batch() {
            return Some(next);
        }
        self.batch = None;
        let departure = self.endpoint.poll_transmit(now, &mut self.packets, SEGMENTS)?;
        let path = self.number_of(departure.local)?;
        let rest = departed(&mut self.packets, &mut self.slabs);
        self.batch = Some(Batch { path, transmit: departure.transmit, rest });
        self.next_of_batch()
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.is_silent {
            return None;
        }
        let due = self.sender.as_ref().filter(|_| self.is_open).and_then(Sender::due);
        match (self.endpoint.poll_timeout(), due) {
            (Some(first), Some(second)) => Some(first.min(second)),
            (first, second) => first.or(second),
        }
    }
}

/// The number of packets that may leave together.
const SEGMENTS: usize = 8;

fn differs(old: &PathSample, new: &PathSample) -> bool {
    let seen = |sample: &PathSample| {
        (sample.state, sample.cwnd, sample.ssthresh, sample.flight, sample.srtt, sample.rto)
    };
    seen(old) != seen(new)
}

/// The type of a DATA chunk (RFC 9260 §3.2).
const DATA: u8 = 0;

/// Returns true if a packet has DATA; a SACK may be before it.
fn carries_data(packet: &[u8]) -> bool {
    let mut rest = packet.get(CommonHeader::LEN..).unwrap_or_default();
    while let [kind, _, high, low, ..] = rest {
        if *kind == DATA {
            return true;
        }
        let length = usize::from(u16::from_be_bytes([*high, *low])).max(4).next_multiple_of(4);
        rest = rest.get(length..).unwrap_or_default();
    }
    false
}

/// The payload protocol identifier belongs to the application: here it is the time at which the message was sent, in
/// microseconds modulo 2³².
fn stamp(since: Time) -> Ppid {
    Ppid::new((since.as_nanos() / 1_000) as u32)
}

/// The time since a stamp was made, to the microsecond; correct up to 71 minutes.
fn age(stamp: Ppid, now: Time) -> Duration {
    let micros = ((now.as_nanos() / 1_000) as u32).wrapping_sub(stamp.get());
    Duration::from_micros(u64::from(micros))
}

/// Returns true if the message is what the peer's application sent from `position` on.
fn continues(message: &Message, position: u64) -> bool {
    let mut at = position;
    message.chunks().all(|chunk| {
        let is_same = chunk[..] == *pattern(at, chunk.len());
        at += chunk.len() as u64;
        is_same
    })
}
