//! Changes of the windows of paths, by order of controllers and limits.

use anabranch_base::{ByteCount, Time};

use super::PathTable;
use crate::config::{BurstRule, MaxBurst};
use crate::policy::PathId;
use crate::policy::congestion::CutWindow;
use crate::policy::ns2::Ns2;

impl PathTable {
    /// Lets cwnd of path `id` grow by `by`.
    pub(crate) fn grow(&mut self, id: PathId, by: ByteCount) {
        self.sample_mut(id).cwnd += by;
    }

    /// Ends slow start at the current window. RFC 9260 §7.2.1 begins congestion avoidance above the threshold, so the
    /// threshold is set one byte below the window.
    pub(crate) fn end_slow_start(&mut self, id: PathId) {
        let sample = self.sample_mut(id);
        sample.ssthresh = sample.cwnd.saturating_sub(ByteCount::new(1));
    }

    /// Shrinks cwnd of path `id` by `by`, in favour of another path.
    pub(crate) fn shrink(&mut self, id: PathId, by: ByteCount) {
        let cwnd = &mut self.sample_mut(id).cwnd;
        *cwnd = cwnd.saturating_sub(by);
    }

    /// Limits the window of a new path to `most`, in whole units, and at least one.
    pub(crate) fn fit_first_window(&mut self, id: PathId, most: ByteCount) {
        let sample = self.sample_mut(id);
        if sample.cwnd > most {
            let units = most.get() / sample.unit.get().max(1);
            sample.cwnd = sample.unit * units.max(1);
        }
    }

    /// Sets the window that the controller gives.
    pub(crate) fn apply(&mut self, id: PathId, window: CutWindow) {
        let sample = self.sample_mut(id);
        (sample.cwnd, sample.ssthresh) = (window.cwnd, window.ssthresh);
    }

    /// Sending begins: the RFC's rule for bursts cuts cwnd itself (M-SCTP-10).
    pub(crate) fn bound_windows(&mut self, limit: MaxBurst) {
        if limit.rule != BurstRule::Rfc {
            return;
        }
        for sample in &mut self.samples {
            sample.cwnd = sample.cwnd.min(sample.flight + sample.unit * u64::from(limit.packets));
        }
    }

    /// The number of whole RTOs that have passed since data last left on path `id`, or since the last count
    /// (M-SCTP-17). `ns2` decides whether they count while data is in flight, and where the next count starts.
    pub(crate) fn take_idle_rtos(&mut self, id: PathId, ns2: Ns2, now: Time) -> u64 {
        let (path, sample) = self.at(id);
        if ns2.decays_with(sample.flight) { path.liveness.take_idle_rtos(sample.rto, ns2, now) } else { 0 }
    }

    /// Sets the threshold of paths without a configured one to the peer's receive buffer.
    pub(crate) fn set_initial_ssthresh(&mut self, peer_buffer: ByteCount) {
        self.replace_ssthresh(ByteCount::MAX, peer_buffer);
    }

    /// The peer's receive buffer has grown from `before` to `peer_buffer`: raises the threshold where it still has
    /// its first value, so that slow start continues.
    pub(crate) fn raise_initial_ssthresh(&mut self, before: ByteCount, peer_buffer: ByteCount) {
        self.replace_ssthresh(before, peer_buffer);
    }

    fn replace_ssthresh(&mut self, before: ByteCount, after: ByteCount) {
        for sample in self.samples.iter_mut().filter(|sample| sample.ssthresh == before) {
            sample.ssthresh = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::super::tests::table;
    use super::*;

    #[test]
    fn idle_rtos_are_counted_once_and_only_with_nothing_in_flight() {
        let mut table = table();
        let id = PathId::FIRST;
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        assert_eq!(table.take_idle_rtos(id, Ns2::NONE, at(9)), 0, "no data ever left");
        table.on_chunk_sent(id, ByteCount::new(1_460), at(10));
        assert_eq!(table.take_idle_rtos(id, Ns2::NONE, at(13)), 0, "data is in flight");
        table.on_left_flight(id, ByteCount::new(1_460));
        assert_eq!(table.take_idle_rtos(id, Ns2::NONE, at(13)), 3);
        assert_eq!(table.take_idle_rtos(id, Ns2::NONE, at(13)), 0);
    }
}
