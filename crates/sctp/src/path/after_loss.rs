//! The state that loss responses leave on one path: windows of data that count as one loss, held data, a probe, and the
//! times of the timer and of the next retransmission.

use anabranch_base::{ByteCount, Duration, Time};

use crate::policy::PathSample;
use crate::seq::Tsn;

/// The state that loss responses keep on a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LossState {
    /// True if data may not leave.
    holds_data: bool,
    /// True while a packet is read in which the peer reports a mark.
    awaits_echo: bool,
    /// The chunk that left again as a probe for losses, until something is acknowledged.
    tail_probe: Option<TailProbe>,
    /// True if a HEARTBEAT that a response requested is under way.
    is_probed: bool,
    /// The duration of the next timer, if it is not the RTO.
    timer: Option<Duration>,
    /// The time at which the next retransmission may leave, if retransmissions are spread over round trips.
    resends_at: Option<Time>,
    /// The highest TSN outstanding at the last cut for a loss, until it and all TSNs below it are acknowledged.
    cut_until: Option<Tsn>,
    /// The same for the last report of a congestion mark.
    ecn_until: Option<Tsn>,
    /// The same for the last sign of a loss, with or without a cut.
    loss_until: Option<Tsn>,
}

/// A chunk that leaves again as a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TailProbe {
    /// The TSN.
    pub tsn: Tsn,
    /// The number of the packet in which it had left.
    pub departure: u64,
    /// The weight against the window.
    pub weight: ByteCount,
}

impl LossState {
    /// The window was cut for a loss; `highest` is the highest TSN outstanding.
    pub(crate) fn on_cut(&mut self, highest: Option<Tsn>) {
        self.cut_until = highest;
    }

    /// The peer reported a congestion mark; `highest` is the highest TSN outstanding.
    pub(crate) fn on_ecn_echo(&mut self, highest: Option<Tsn>) {
        self.ecn_until = highest;
    }

    /// A sign of a loss was answered; `highest` is the highest TSN outstanding.
    pub(crate) fn on_loss(&mut self, highest: Option<Tsn>) {
        self.loss_until = highest;
    }

    /// `lowest` is the lowest TSN last sent on the path that is not acknowledged.
    pub(crate) fn on_lowest_unacked(&mut self, lowest: Option<Tsn>) {
        let is_open = |until: &Tsn| lowest.is_some_and(|lowest| !until.is_before(lowest));
        self.cut_until = self.cut_until.filter(is_open);
        self.ecn_until = self.ecn_until.filter(is_open);
        self.loss_until = self.loss_until.filter(is_open);
    }

    /// Returns true if a chunk that was sent before the last cut is outstanding.
    pub(crate) fn is_cut_open(&self) -> bool {
        self.cut_until.is_some()
    }

    /// Returns true if a chunk that was sent before the last report of a mark is outstanding, or such a report is being read.
    pub(crate) fn is_ecn_open(&self) -> bool {
        self.awaits_echo || self.ecn_until.is_some()
    }

    /// Returns true if a chunk that was sent before the last sign of a loss is outstanding.
    pub(crate) fn is_loss_open(&self) -> bool {
        self.loss_until.is_some()
    }

    /// Writes into `sample` which windows of data are open.
    pub(crate) fn show(&self, sample: &mut PathSample) {
        sample.cut_open = self.is_cut_open();
        sample.ecn_open = self.is_ecn_open();
        sample.loss_open = self.is_loss_open();
    }

    /// Sets whether data may leave.
    pub(crate) fn hold_data(&mut self, is_held: bool) {
        self.holds_data = is_held;
    }

    /// Returns true if data may not leave.
    pub(crate) fn holds_data(&self) -> bool {
        self.holds_data
    }

    /// Notes that the current packet reports a mark, or that it was read to its end.
    pub(crate) fn await_echo(&mut self, is_awaited: bool) {
        self.awaits_echo = is_awaited;
    }

    /// A chunk left again as a probe.
    pub(crate) fn begin_tail_probe(&mut self, probe: TailProbe) {
        self.tail_probe = Some(probe);
    }

    /// Something was acknowledged, or timed out: the probe proves nothing more.
    pub(crate) fn end_tail_probe(&mut self) {
        self.tail_probe = None;
    }

    /// The chunk that left again as a probe, if nothing was acknowledged since.
    pub(crate) fn tail_probe(&self) -> Option<TailProbe> {
        self.tail_probe
    }

    /// The next timer runs for `time`.
    pub(crate) fn set_timer(&mut self, time: Duration) {
        self.timer = Some(time);
    }

    /// The duration of the timer that starts now; `None` for the RTO.
    pub(crate) fn take_timer(&mut self) -> Option<Duration> {
        self.timer.take()
    }

    /// A response requested a HEARTBEAT.
    pub(crate) fn begin_probe(&mut self) {
        self.is_probed = true;
    }

    /// The HEARTBEAT was answered, or its answer is no longer awaited. Returns true if one was under way.
    pub(crate) fn end_probe(&mut self) -> bool {
        std::mem::take(&mut self.is_probed)
    }

    /// Starts to spread retransmissions over round trips if `is_wanted`, else stops it.
    pub(crate) fn spread_resends(&mut self, is_wanted: bool, now: Time) {
        self.resends_at = is_wanted.then(|| self.resends_at.unwrap_or(now));
    }

    /// Returns true if a retransmission may leave now.
    pub(crate) fn may_resend(&self, now: Time) -> bool {
        self.resends_at.is_none_or(|at| at <= now)
    }

    /// A retransmission left at `now`. Returns when the next one may leave, if they are spread over round trips of
    /// `srtt`.
    pub(crate) fn on_resent(&mut self, srtt: Duration, now: Time) -> Option<Time> {
        self.resends_at.as_mut()?;
        self.resends_at = Some(now + srtt.max(LEAST_SPREAD));
        self.resends_at
    }
}

/// The least time between two retransmissions of a path with shorter round trips.
const LEAST_SPREAD: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_open_until_all_that_was_outstanding_is_acknowledged() {
        let mut state = LossState::default();
        state.on_cut(Some(Tsn::new(20)));
        state.on_ecn_echo(Some(Tsn::new(30)));
        let open = [Some(20), Some(21), Some(31)].map(|lowest| {
            state.on_lowest_unacked(lowest.map(Tsn::new));
            (state.is_cut_open(), state.is_ecn_open())
        });
        assert_eq!(open, [(true, true), (false, true), (false, false)]);
        state.on_cut(Some(Tsn::new(40)));
        state.on_lowest_unacked(None);
        assert!(!state.is_cut_open(), "nothing is outstanding");
        state.on_cut(None);
        assert!(!state.is_cut_open(), "nothing was");
    }

    #[test]
    fn retransmissions_are_a_round_trip_apart_where_they_are_spread() {
        let (mut state, at) = (LossState::default(), |ms| Time::ZERO + Duration::from_millis(ms));
        assert_eq!((state.may_resend(at(0)), state.on_resent(Duration::ZERO, at(0))), (true, None));
        state.spread_resends(true, at(5));
        assert!(state.may_resend(at(5)), "the first at once");
        assert_eq!(state.on_resent(Duration::from_millis(40), at(5)), Some(at(45)));
        state.spread_resends(true, at(10));
        assert_eq!([44, 45].map(|ms| state.may_resend(at(ms))), [false, true]);
        assert_eq!(state.on_resent(Duration::ZERO, at(45)), Some(at(46)));
        state.spread_resends(false, at(45));
        assert!(state.may_resend(at(45)));
    }
}
