//! The sending half of a subflow: its window, its timer, and its recovery from losses by NewReno (RFC 6582, with the
//! timer of its impatient variant) or by selective acknowledgements (RFC 6675), both with limited transmit (RFC 3042).

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::model::{Tcp, TcpGrowth, TcpRecovery};
use anabranch_sctp::association::PathCounters;

use super::position::Position;
use super::rounds::Rounds;
use super::scoreboard::{MISSING_REPORTS, Scoreboard};
use super::segment::{Acknowledgement, DataSegment};
use super::timer::RetransmissionTimer;
use super::window::CongestionWindow;

/// The sending half of a subflow.
#[derive(Clone, Debug)]
pub(super) struct SubflowSender {
    board: Scoreboard,
    window: CongestionWindow,
    timer: RetransmissionTimer,
    rounds: Rounds,
    phase: Phase,
    recovery: TcpRecovery,
    growth: TcpGrowth,
    mss: ByteCount,
    /// The most that may be outstanding.
    limit: ByteCount,
    first_window: f64,
    duplicates: u32,
    /// The end of the sent data at the last loss: no duplicates below it begin a recovery (RFC 6582 §3.2 step 2).
    recover: Position,
    /// True if the next lost segment leaves without room in the window.
    is_urgent: bool,
    /// The end of the connection's data that timed out, until an acknowledgement answers the time-out.
    timed_out: Option<Position>,
    /// True if the first segment left again after a time-out.
    was_timed_out: bool,
    last_sent: Time,
    /// The counters of the subflow; segments count as chunks.
    pub counters: PathCounters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// Fast recovery, until this is acknowledged.
    Recovery {
        until: Position,
        is_first_partial: bool,
    },
    /// After a time-out, until this is acknowledged.
    Loss {
        until: Position,
    },
}

/// The effect of an acknowledgement on the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Consequence {
    /// The packets acknowledged, as growth counts them.
    pub packets: f64,
    /// True if the window was full.
    pub was_full: bool,
    /// True if the window grows by congestion avoidance.
    pub grows: bool,
    /// A loss was found, with so many packets outstanding.
    pub lost_with: Option<f64>,
}

impl SubflowSender {
    /// A sender of which nothing has left, on a subflow whose opening took `handshake`.
    pub(super) fn new(settings: &Tcp, handshake: Duration) -> SubflowSender {
        let limit = settings.bytes(settings.window);
        let threshold = settings.initial_ssthresh.unwrap_or(limit);
        let window = CongestionWindow::new(settings.bytes(settings.initial_window), threshold, settings.mss);
        SubflowSender {
            first_window: window.packets(),
            board: Scoreboard::default(),
            window,
            timer: RetransmissionTimer::new(settings.min_rto, handshake),
            rounds: Rounds::default(),
            phase: Phase::Open,
            recovery: settings.recovery,
            growth: settings.growth,
            mss: settings.mss,
            limit,
            duplicates: 0,
            recover: Position::START,
            is_urgent: false,
            timed_out: None,
            was_timed_out: false,
            last_sent: Time::ZERO,
            counters: PathCounters::default(),
        }
    }

    /// An acknowledgement arrived.
    pub(crate) fn handle_acknowledgement(
        &mut self,
        now: Time,
        acknowledgement: &Acknowledgement,
    ) -> Consequence {
        let was_full = self.is_full();
        let flight = self.flight();
        let is_duplicate = acknowledgement.next == self.board.unacknowledged() && !self.board.is_empty();
        let news = self.board.on_acknowledgement(acknowledgement.next, &acknowledgement.blocks);
        self.rounds.on_acknowledgement(acknowledgement, self.board.next());
        if let Some(sent) = news.timed {
            self.timer.on_sample(now.since(sent));
        }
        let mut consequence = Consequence { was_full, ..Consequence::default() };
        if !news.acknowledged.is_zero() {
            consequence.packets = self.packets(news.acknowledged);
            self.on_advance(now, news.acknowledged, &mut consequence);
        } else if is_duplicate {
            self.on_duplicate(now);
        }
        self.look_for_losses(flight, &mut consequence);
        consequence
    }

    /// The answer to a loss in an open window: the threshold, and for fast recovery the window too.
    pub(super) fn enter_recovery(&mut self, now: Time, threshold: f64) {
        let until = self.board.next();
        self.phase = Phase::Recovery { until, is_first_partial: true };
        self.recover = until;
        self.window.set_threshold(threshold);
        let inflation = match self.recovery {
            TcpRecovery::NewReno => f64::from(MISSING_REPORTS as u32),
            TcpRecovery::Sack => 0.0,
        };
        self.window.set(now, threshold + inflation);
        self.is_urgent = true;
    }

    /// Congestion avoidance lets the window grow.
    pub(super) fn grow(&mut self, now: Time, packets: f64) {
        self.window.grow(now, packets);
    }

    /// Returns true if the timer has expired.
    pub(crate) fn is_timed_out(&self, now: Time) -> bool {
        self.timer.deadline().is_some_and(|deadline| deadline <= now)
    }

    /// Returns true if the first segment left again after a time-out already.
    pub(crate) fn was_timed_out(&self) -> bool {
        self.was_timed_out
    }

    /// The timer expired (RFC 6298 §5.4 to §5.6, RFC 5681 (4)): all that has not arrived is taken for lost, and the window
    /// is one packet. The threshold changes with the first of several time-outs in a row.
    pub(crate) fn time_out(&mut self, now: Time, threshold: Option<f64>) {
        self.counters.timeouts += 1;
        if let Some(threshold) = threshold {
            self.window.set_threshold(threshold);
        }
        self.was_timed_out = true;
        self.window.set(now, 1.0);
        self.board.mark_all();
        self.rounds.on_timeout(self.board.unacknowledged());
        self.recover = self.board.next();
        self.phase = Phase::Loss { until: self.recover };
        self.timed_out = self.board.first().map(|first| first.data + first.size);
        (self.duplicates, self.is_urgent) = (0, true);
        self.timer.back_off();
        self.timer.restart(now);
    }

    /// The connection's data up to `acknowledged` arrived, on whichever subflow: if those that timed out are among them, the
    /// time-out is over (M-MP-3).
    pub(crate) fn on_data_acknowledged(&mut self, now: Time, acknowledged: Position) {
        if self.timed_out.is_some_and(|end| end <= acknowledged) {
            self.timed_out = None;
            self.timer.end_back_off();
            if !self.board.is_empty() {
                self.timer.restart(now);
            }
        }
    }

    /// The lost segment that leaves again now.
    pub(crate) fn poll_repair(&mut self, now: Time) -> Option<DataSegment> {
        if !self.board.waits() || !(self.is_urgent || self.has_window(self.mss)) {
            return None;
        }
        self.is_urgent = false;
        let segment = self.board.repair(now)?;
        self.count_repair(now, &segment);
        Some(segment)
    }

    /// A segment that leaves again because nothing else may, though the window has room.
    pub(crate) fn poll_early_repair(&mut self, now: Time) -> Option<DataSegment> {
        let is_recovering = matches!(self.phase, Phase::Recovery { .. });
        if self.recovery != TcpRecovery::Sack || !is_recovering || !self.has_window(self.mss) {
            return None;
        }
        let segment = self.board.repair_early(now)?;
        self.count_repair(now, &segment);
        Some(segment)
    }

    /// Sends new data. After an idle time-out the window begins anew (RFC 5681 §4.1).
    pub(super) fn send(&mut self, now: Time, data: Position, size: ByteCount, given: Time) -> DataSegment {
        if self.board.is_empty() && now.since(self.last_sent) > self.timer.rto() {
            self.window.set(now, self.window.packets().min(self.first_window));
        }
        let segment = self.board.push(now, data, size, given);
        self.timer.start(now);
        self.last_sent = now;
        self.counters.sent_bytes += size;
        segment
    }

    /// Returns true if `size` more bytes may leave: RFC 3042 allows two segments beyond the window after the first two
    /// duplicates.
    pub(super) fn has_window(&self, size: ByteCount) -> bool {
        let limited = match (self.phase, self.recovery) {
            (Phase::Open, TcpRecovery::NewReno) => f64::from(self.duplicates.min(2)),
            _ => 0.0,
        };
        let allowed = (self.window.packets() + limited) * self.mss.get() as f64;
        (self.board.in_flight() + size).get() as f64 <= allowed
    }

    /// Returns true if the receive window of the path has room for `size` more bytes.
    pub(super) fn has_room(&self, size: ByteCount) -> bool {
        self.board.outstanding() + size <= self.limit
    }

    /// The window.
    pub(super) fn window(&self) -> &CongestionWindow {
        &self.window
    }

    /// The timer.
    pub(super) fn timer(&self) -> &RetransmissionTimer {
        &self.timer
    }

    /// The bytes in flight.
    pub(super) fn in_flight(&self) -> ByteCount {
        self.board.in_flight()
    }

    /// The first byte that is not acknowledged.
    pub(super) fn unacknowledged(&self) -> Position {
        self.board.unacknowledged()
    }

    /// The first segment that is not acknowledged.
    pub(super) fn first(&self) -> Option<DataSegment> {
        self.board.first()
    }

    /// The number of the current round of packets.
    pub(super) fn round(&self) -> u64 {
        self.rounds.number()
    }

    /// The packets that were outstanding at a loss, without those beyond the window (RFC 5681 (4), RFC 3042).
    pub(super) fn flight(&self) -> f64 {
        let window = match self.phase {
            Phase::Recovery { .. } => self.window.threshold(),
            _ => self.window.packets(),
        };
        window.min(self.board.outstanding().get() as f64 / self.mss.get() as f64)
    }

    /// The acknowledged data, as growth counts it.
    fn packets(&self, acknowledged: ByteCount) -> f64 {
        match self.growth {
            TcpGrowth::PerAck => 1.0,
            TcpGrowth::Bytes => acknowledged.get() as f64 / self.mss.get() as f64,
        }
    }

    /// Returns true if no further full segment had fitted the window: only then it grows.
    fn is_full(&self) -> bool {
        (self.board.in_flight() + self.mss).get() as f64 > self.window.packets() * self.mss.get() as f64
    }

    /// The cumulative acknowledgement moved on.
    fn on_advance(&mut self, now: Time, acknowledged: ByteCount, consequence: &mut Consequence) {
        (self.duplicates, self.timed_out, self.was_timed_out) = (0, None, false);
        let next = self.board.unacknowledged();
        let mut restarts = true;
        match self.phase {
            Phase::Recovery { until, .. } if next >= until => {
                self.leave_recovery(now);
                if self.growth == TcpGrowth::Bytes {
                    self.grow_by(now, consequence);
                }
            }
            Phase::Recovery { until, is_first_partial } => {
                if self.recovery == TcpRecovery::NewReno {
                    self.on_partial(now, acknowledged);
                    restarts = is_first_partial;
                }
                self.phase = Phase::Recovery { until, is_first_partial: false };
            }
            Phase::Loss { until } => {
                if next >= until {
                    self.phase = Phase::Open;
                }
                self.grow_by(now, consequence);
            }
            Phase::Open => self.grow_by(now, consequence),
        }
        if self.board.is_empty() {
            self.timer.stop();
        } else if restarts {
            self.timer.restart(now);
        }
    }

    /// Slow start grows at once; for congestion avoidance the control says by how much.
    fn grow_by(&mut self, now: Time, consequence: &mut Consequence) {
        if !consequence.was_full {
            return;
        }
        if self.window.is_in_slow_start() {
            self.window.grow(now, consequence.packets.min(SLOW_START_LIMIT));
        } else {
            consequence.grows = true;
        }
    }

    /// A partial acknowledgement: the next segment is lost too, and the window deflates by what left the network (RFC
    /// 6582 §3.2 step 3).
    fn on_partial(&mut self, now: Time, acknowledged: ByteCount) {
        let acknowledged = acknowledged.get() as f64 / self.mss.get() as f64;
        let back = if acknowledged >= 1.0 { 1.0 } else { 0.0 };
        self.window.set(now, self.window.packets() - acknowledged + back);
        if self.board.mark_first() {
            self.counters.fast_retransmits += 1;
        }
        self.is_urgent = true;
    }

    /// Leaves recovery: everything outstanding at the loss is acknowledged (RFC 6582 §3.2 step 3, RFC 6675 §5 step B). If
    /// growth counts bytes, this acknowledgement counts with all that it acknowledges: docs/oracle.md has the difference.
    fn leave_recovery(&mut self, now: Time) {
        self.phase = Phase::Open;
        if self.recovery == TcpRecovery::NewReno {
            let flight = self.board.outstanding().get() as f64 / self.mss.get() as f64;
            self.window.set(now, self.window.threshold().min(flight.max(1.0) + 1.0));
        }
    }

    /// The same acknowledgement again: a segment left the network.
    fn on_duplicate(&mut self, now: Time) {
        self.duplicates += 1;
        if self.recovery == TcpRecovery::NewReno && matches!(self.phase, Phase::Recovery { .. }) {
            self.window.grow(now, 1.0);
        }
    }

    /// Marks segments as lost, and tells the first loss of a window.
    fn look_for_losses(&mut self, flight: f64, consequence: &mut Consequence) {
        let is_due =
            self.duplicates as usize >= MISSING_REPORTS && self.board.unacknowledged() >= self.recover;
        match (self.recovery, self.phase) {
            (TcpRecovery::NewReno, Phase::Open) if is_due => {
                self.counters.fast_retransmits += u64::from(self.board.mark_first());
                consequence.lost_with = Some(flight);
            }
            (TcpRecovery::Sack, Phase::Open) => {
                let mut lost = self.board.mark_missing();
                if lost == 0 && is_due {
                    lost = u64::from(self.board.mark_first());
                }
                self.counters.fast_retransmits += lost;
                consequence.lost_with = (lost > 0).then_some(flight);
            }
            (TcpRecovery::Sack, Phase::Recovery { .. }) => {
                self.counters.fast_retransmits += self.board.mark_missing();
            }
            _ => {}
        }
    }

    fn count_repair(&mut self, now: Time, segment: &DataSegment) {
        self.timer.start(now);
        self.last_sent = now;
        self.counters.retransmitted_chunks += 1;
        self.counters.sent_bytes += segment.size;
    }
}

/// Slow start grows by at most this for an acknowledgement (RFC 3465 §2.2).
const SLOW_START_LIMIT: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tcp::segment::Blocks;

    /// Segments of 100 bytes.
    fn sender(recovery: TcpRecovery) -> SubflowSender {
        let limit = anabranch_link::config::QueueLimit::Packets;
        let settings = Tcp {
            recovery,
            initial_window: limit(8),
            initial_ssthresh: Some(ByteCount::new(200)),
            mss: ByteCount::new(100),
            ..Tcp::default()
        };
        SubflowSender::new(&settings, Duration::ZERO)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn position(number: u64) -> Position {
        Position::after(100 * number)
    }

    /// Sends as much new data as the window allows, and says how many segments.
    fn fill(sender: &mut SubflowSender, now: Time) -> u64 {
        let mut count = 0;
        while sender.has_window(ByteCount::new(100)) {
            let next = sender.board.next();
            sender.send(now, next, ByteCount::new(100), now);
            count += 1;
        }
        count
    }

    /// An acknowledgement, and the answer to a loss that it tells: half the window.
    fn acknowledge(sender: &mut SubflowSender, now: Time, next: u64, blocks: &[(u64, u64)]) -> Consequence {
        let ranges: Vec<_> = blocks.iter().map(|(from, to)| position(*from)..position(*to)).collect();
        let acknowledgement =
            Acknowledgement { next: position(next), data_next: position(next), blocks: Blocks::of(&ranges) };
        let consequence = sender.handle_acknowledgement(now, &acknowledgement);
        if let Some(flight) = consequence.lost_with {
            sender.enter_recovery(now, (flight / 2.0).max(2.0));
        }
        consequence
    }

    fn repaired(sender: &mut SubflowSender, now: Time) -> Vec<u64> {
        std::iter::from_fn(|| sender.poll_repair(now).map(|segment| segment.start.get() / 100)).collect()
    }

    #[test]
    fn newreno_repairs_a_hole_with_each_partial_acknowledgement() {
        let mut a = sender(TcpRecovery::NewReno);
        // A -> 0 to 7; 0 and 2 are lost
        assert_eq!(fill(&mut a, at(0)), 8);
        // A <- 0, twice: limited transmit
        acknowledge(&mut a, at(40), 0, &[]);
        acknowledge(&mut a, at(41), 0, &[]);
        assert_eq!((fill(&mut a, at(41)), repaired(&mut a, at(41))), (2, vec![]));
        // A <- 0, the third: half of the eight, and three that left the network
        assert_eq!(acknowledge(&mut a, at(42), 0, &[]).lost_with, Some(8.0));
        assert_eq!((a.window.packets(), a.window.threshold()), (7.0, 4.0));
        assert_eq!((repaired(&mut a, at(42)), fill(&mut a, at(42))), (vec![0], 0));
        // A <- 2: partial
        acknowledge(&mut a, at(82), 2, &[]);
        assert_eq!((repaired(&mut a, at(82)), a.window.packets()), (vec![2], 6.0));
        // A <- 10: all that had left
        acknowledge(&mut a, at(122), 10, &[]);
        assert_eq!((a.phase, a.counters.fast_retransmits), (Phase::Open, 2));
        assert!(a.window.packets() <= 4.0);
    }

    #[test]
    fn selective_acknowledgements_repair_both_holes_in_one_recovery() {
        let mut a = sender(TcpRecovery::Sack);
        fill(&mut a, at(0));
        // A <- 0, blocks 1, then 3, 4: 0 has three beyond it, 2 has two
        acknowledge(&mut a, at(40), 0, &[(1, 2)]);
        acknowledge(&mut a, at(41), 0, &[(3, 4), (1, 2)]);
        assert_eq!(acknowledge(&mut a, at(42), 0, &[(3, 5), (1, 2)]).lost_with, Some(8.0));
        assert_eq!((repaired(&mut a, at(42)), a.window.packets()), (vec![0], 4.0));
        // A <- 0, blocks 3 to 6: 2 is lost too, and leaves as soon as the pipe is short enough
        acknowledge(&mut a, at(43), 0, &[(3, 6), (1, 2)]);
        acknowledge(&mut a, at(44), 0, &[(3, 7), (1, 2)]);
        assert_eq!(repaired(&mut a, at(44)), [2]);
        acknowledge(&mut a, at(84), 2, &[(3, 8)]);
        acknowledge(&mut a, at(85), 8, &[]);
        assert_eq!(
            (a.phase, a.counters.fast_retransmits, a.counters.retransmitted_chunks),
            (Phase::Open, 2, 2)
        );
    }

    #[test]
    fn a_time_out_leaves_one_packet_and_keeps_the_threshold_of_the_first() {
        let mut a = sender(TcpRecovery::NewReno);
        fill(&mut a, at(0));
        assert!(!a.is_timed_out(at(999)) && a.is_timed_out(at(1_000)));
        assert_eq!(a.flight(), 8.0);
        a.time_out(at(1_000), Some(4.0));
        assert_eq!(
            (a.window.packets(), a.window.threshold(), repaired(&mut a, at(1_000))),
            (1.0, 4.0, vec![0])
        );
        assert!(a.was_timed_out() && a.is_timed_out(at(3_000)));
        a.time_out(at(3_000), None);
        assert_eq!(a.window.threshold(), 4.0);
        // A <- 1: slow start
        repaired(&mut a, at(3_000));
        acknowledge(&mut a, at(3_040), 1, &[]);
        assert_eq!((a.window.packets(), repaired(&mut a, at(3_040))), (2.0, vec![1, 2]));
        // Duplicates of what had left before the time-out begin no recovery.
        for _ in 0..5 {
            assert_eq!(acknowledge(&mut a, at(3_050), 1, &[]).lost_with, None);
        }
    }

    /// M-MP-3.
    #[test]
    fn a_time_out_ends_when_its_data_arrive_elsewhere() {
        let mut a = sender(TcpRecovery::Sack);
        fill(&mut a, at(0));
        for now in [1_000, 3_000, 7_000] {
            a.time_out(at(now), None);
            repaired(&mut a, at(now));
        }
        assert_eq!(a.timer.deadline(), Some(at(15_000)));
        a.on_data_acknowledged(at(7_500), Position::after(99));
        assert_eq!(a.timer.deadline(), Some(at(15_000)), "not all of the first segment");
        a.on_data_acknowledged(at(7_500), Position::after(100));
        assert_eq!(a.timer.deadline(), Some(at(8_500)), "the back-off is over");
        assert_eq!((a.first().map(|first| first.start), a.window.packets()), (Some(Position::START), 1.0));
    }

    #[test]
    fn a_window_that_is_not_full_does_not_grow_and_starts_anew_after_a_pause() {
        let mut a = sender(TcpRecovery::NewReno);
        let send = |a: &mut SubflowSender, now| {
            let next = a.board.next();
            a.send(now, next, ByteCount::new(100), now);
        };
        send(&mut a, at(0));
        assert!(!acknowledge(&mut a, at(40), 1, &[]).grows);
        a.grow(at(40), 4.0);
        send(&mut a, at(5_000));
        assert_eq!(a.window.packets(), 8.0, "as at first");
    }
}
