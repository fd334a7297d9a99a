//! The sending half of a connection: which data leave on which subflow (M-MP-1, M-MP-3, M-MP-4).

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Time};
use anabranch_scenario::model::{Tcp, TcpTimeoutPlace};

use super::control::{AckedPackets, Control, LossSign, SubflowLoss, SubflowView, control};
use super::limits::Limit;
use super::position::Position;
use super::segment::{Acknowledgement, DataSegment};
use super::source::SegmentSource;
use super::subflow::Subflow;

/// The sending half of a connection.
#[derive(Debug)]
pub(super) struct ConnectionSender {
    source: SegmentSource,
    control: Box<dyn Control>,
    views: Vec<SubflowView>,
    /// The first byte that has not left.
    next: Position,
    /// The first byte that is not acknowledged.
    acknowledged: Position,
    /// The most that may be unacknowledged; `None` over a single path, whose `window` is its buffer.
    buffer: Option<ByteCount>,
    mss: ByteCount,
    /// The subflow that is next.
    turn: usize,
    place: TcpTimeoutPlace,
    /// The loss rate of each path, from the scenario.
    losses: Vec<f64>,
    /// Segments that timed out elsewhere and wait for a slot here.
    copies: VecDeque<Copied>,
    /// Counts time-outs, so that equal paths take copies in turn.
    copied: usize,
}

/// A copy of a segment's data for another subflow.
#[derive(Clone, Copy, Debug)]
struct Copied {
    to: usize,
    segment: DataSegment,
}

/// A segment that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    /// The subflow.
    pub path: usize,
    /// The segment.
    pub segment: DataSegment,
    /// True if its data left before.
    pub is_repeated: bool,
}

impl ConnectionSender {
    /// A connection that sends the data of `source`; `losses` are the loss rates of its paths.
    pub(super) fn new(settings: &Tcp, source: SegmentSource, losses: Vec<f64>) -> ConnectionSender {
        let count = losses.len();
        ConnectionSender {
            source,
            control: control(settings.control, count),
            views: Vec::with_capacity(count),
            next: Position::START,
            acknowledged: Position::START,
            buffer: (count > 1).then(|| settings.bytes(settings.receive_buffer)),
            mss: settings.mss,
            turn: 0,
            place: settings.timeout_retransmission,
            losses,
            copies: VecDeque::new(),
            copied: 0,
        }
    }

    /// An acknowledgement arrived on a path.
    pub(crate) fn handle_acknowledgement(
        &mut self,
        now: Time,
        subflows: &mut [Subflow],
        path: usize,
        acknowledgement: &Acknowledgement,
    ) {
        let consequence = subflows[path].sender.handle_acknowledgement(now, acknowledgement);
        let acked =
            AckedPackets { at: now, of: path, packets: consequence.packets, was_full: consequence.was_full };
        if consequence.packets > 0.0 {
            self.control.on_acked(&acked);
        }
        if let Some(flight) = consequence.lost_with {
            self.view(subflows);
            let loss = SubflowLoss { of: path, flight, sign: LossSign::Missing };
            let threshold = self.control.on_loss(&loss, &self.views);
            subflows[path].sender.enter_recovery(now, threshold);
        } else if consequence.grows {
            self.view(subflows);
            let growth = self.control.increase(&acked, &self.views);
            subflows[path].sender.grow(now, growth);
        }
        self.on_data_acknowledged(now, subflows, acknowledgement.data_next);
    }

    /// The timer of a path expired: its first segment leaves again there, and as soon as there is a slot on the path with the
    /// least loss of the others (M-MP-3).
    pub(super) fn handle_timeout(&mut self, now: Time, subflows: &mut [Subflow], path: usize) {
        self.view(subflows);
        let flight = subflows[path].sender.flight();
        let loss = SubflowLoss { of: path, flight, sign: LossSign::Timeout };
        let is_first = !subflows[path].sender.was_timed_out();
        let threshold = is_first.then(|| self.control.on_loss(&loss, &self.views));
        subflows[path].sender.time_out(now, threshold);
        let first = subflows[path].sender.first();
        let lacks = |segment: &DataSegment| segment.data >= self.acknowledged;
        if let Some(segment) = first.filter(lacks)
            && self.place == TcpTimeoutPlace::Both
            && let Some(to) = self.other(path)
        {
            self.copies.push_back(Copied { to, segment });
        }
    }

    /// The next segment with data.
    pub(super) fn poll(&mut self, now: Time, subflows: &mut [Subflow]) -> Option<Departure> {
        let repaired = |(path, subflow): (usize, &mut Subflow)| {
            let segment = subflow.sender.poll_repair(now)?;
            Some(Departure { path, segment, is_repeated: true })
        };
        if let Some(departure) = subflows.iter_mut().enumerate().find_map(repaired) {
            return Some(departure);
        }
        if let Some(departure) = self.poll_copy(now, subflows) {
            return Some(departure);
        }
        if let Some(departure) = self.poll_new(now, subflows) {
            return Some(departure);
        }
        let early = |(path, subflow): (usize, &mut Subflow)| {
            let segment = subflow.sender.poll_early_repair(now)?;
            Some(Departure { path, segment, is_repeated: true })
        };
        subflows.iter_mut().enumerate().find_map(early)
    }

    /// Returns the limit of a subflow from which nothing leaves now.
    pub(super) fn limit(&mut self, now: Time, subflow: &Subflow) -> Limit {
        let has_data = self.source.peek(now).is_some();
        if now < subflow.opens {
            return Limit::Down;
        }
        if !has_data {
            return Limit::Application;
        }
        if !subflow.sender.has_window(self.mss) {
            return Limit::CongestionWindow;
        }
        if subflow.sender.has_room(self.mss) && self.has_room(self.mss) {
            Limit::Scheduler
        } else {
            Limit::ReceiveWindow
        }
    }

    /// When the application has more data, if that depends only on the time.
    pub(super) fn due(&self) -> Option<Time> {
        self.source.due()
    }

    /// A copy whose subflow has a slot: it goes before new data, and counts in that subflow's flight.
    fn poll_copy(&mut self, now: Time, subflows: &mut [Subflow]) -> Option<Departure> {
        let acknowledged = self.acknowledged;
        self.copies.retain(|copy| copy.segment.data >= acknowledged);
        let may_leave = |copy: &Copied| {
            let Subflow { sender, opens, .. } = &subflows[copy.to];
            let size = copy.segment.size;
            now >= *opens && sender.has_window(size) && sender.has_room(size)
        };
        let at = self.copies.iter().position(may_leave)?;
        let Copied { to, segment } = self.copies.remove(at)?;
        let sender = &mut subflows[to].sender;
        sender.counters.retransmitted_chunks += 1;
        let segment = sender.send(now, segment.data, segment.size, segment.given);
        Some(Departure { path: to, segment, is_repeated: true })
    }

    /// New data on the subflows with window in turn, a segment on each (M-SCH-1).
    fn poll_new(&mut self, now: Time, subflows: &mut [Subflow]) -> Option<Departure> {
        let count = subflows.len();
        let may_send = |path: &usize| {
            let Subflow { sender, opens, .. } = &subflows[*path];
            now >= *opens && sender.has_window(self.mss) && sender.has_room(self.mss)
        };
        let path = (0..count).map(|step| (self.turn + step) % count).find(may_send)?;
        if !self.has_room(self.mss) {
            return None;
        }
        let ready = self.source.peek(now)?;
        self.source.take(ready);
        self.turn = (path + 1) % count;
        let segment = subflows[path].sender.send(now, self.next, ready.size, ready.since);
        self.next = self.next + ready.size;
        Some(Departure { path, segment, is_repeated: false })
    }

    /// Returns true if the receive buffer has room for `size` more bytes (M-MP-4).
    fn has_room(&self, size: ByteCount) -> bool {
        self.buffer.is_none_or(|buffer| self.next.since(self.acknowledged) + size <= buffer)
    }

    /// The connection's data up to `acknowledged` arrived.
    fn on_data_acknowledged(&mut self, now: Time, subflows: &mut [Subflow], acknowledged: Position) {
        if acknowledged <= self.acknowledged {
            return;
        }
        self.acknowledged = acknowledged.min(self.next);
        if subflows.len() > 1 {
            subflows.iter_mut().for_each(|subflow| subflow.sender.on_data_acknowledged(now, acknowledged));
        }
    }

    /// The other path that loses least; equal ones in turn.
    fn other(&mut self, path: usize) -> Option<usize> {
        let count = self.losses.len();
        self.copied += 1;
        let others = (0..count).map(|step| (self.copied + step) % count).filter(|other| *other != path);
        others.min_by(|a, b| self.losses[*a].total_cmp(&self.losses[*b]))
    }

    fn view(&mut self, subflows: &[Subflow]) {
        self.views.clear();
        self.views.extend(subflows.iter().map(Subflow::view));
    }
}
