//! The measurements and estimates of a path: by acknowledgements, by losses and by HEARTBEATs.

use anabranch_base::{ByteCount, Duration, Time};

use super::PathTable;
use crate::config::RtoSettings;
use crate::path::PathAddresses;
use crate::path::measured::Acknowledgement;
use crate::path::memory::Remembered;
use crate::policy::ns2::Ns2;
use crate::policy::{OneWay, PathId};
use crate::seq::Tsn;

impl PathTable {
    /// Gives each path its `known` measurements from earlier associations.
    pub(crate) fn remember(&mut self, known: impl Fn(PathAddresses) -> Option<Remembered>) {
        for id in self.ids() {
            let known = known(self.addresses(id));
            self.path_mut(id).estimates.remember(known);
        }
    }

    /// Changes the bounds of the retransmission time-out of each path.
    pub(crate) fn set_rto(&mut self, rto: RtoSettings) {
        for id in self.ids() {
            let (path, sample) = self.at(id);
            path.estimates.set_rto(rto, sample);
        }
    }

    /// The window with which path `id` may continue, once its round trip is known. It is returned only once.
    pub(crate) fn take_remembered_window(&mut self, id: PathId, now: Time) -> Option<ByteCount> {
        self.path_mut(id).estimates.take_remembered_window(now)
    }

    /// A copy of a chunk that was first sent on path `id` left on another path.
    pub(crate) fn on_copied(&mut self, id: PathId, tsn: Tsn) {
        self.path_mut(id).estimates.on_copied(tsn);
    }

    /// The chunk `lost` was marked lost: ends the round-trip measurement if `ns2` says so.
    pub(crate) fn on_loss(&mut self, id: PathId, lost: Tsn, ns2: Ns2) {
        self.path_mut(id).estimates.on_loss(lost, ns2);
    }

    /// The window was cut: cancels the round-trip measurement.
    pub(crate) fn cancel_measurement(&mut self, id: PathId) {
        self.path_mut(id).estimates.cancel_measurement();
    }

    /// Everything in flight was marked lost: this window of chunks ends.
    pub(crate) fn on_all_lost(&mut self, id: PathId) {
        let (path, sample) = self.at(id);
        path.estimates.end_window(sample);
    }

    /// The T3-rtx timer expired: the round of packets that it covered ends.
    pub(crate) fn on_timeout(&mut self, id: PathId) {
        self.path_mut(id).estimates.on_timeout();
    }

    /// Doubles the retransmission time-out of path `id`.
    pub(crate) fn back_off(&mut self, id: PathId) {
        let (path, sample) = self.at(id);
        path.estimates.back_off(sample);
    }

    /// Notes whether path `id` repairs losses that the loss response does not attribute to congestion.
    pub(crate) fn set_recovering(&mut self, id: PathId, is_recovering: bool) {
        let (path, sample) = self.at(id);
        path.estimates.set_recovering(is_recovering, sample);
    }

    /// A SACK acknowledged `weight` that was last sent on path `id`.
    pub(crate) fn on_delivered(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let (path, sample) = self.at(id);
        path.estimates.on_delivered(weight, sample, now);
    }

    /// A SACK that arrived on path `by` newly acknowledged `weight` that was last sent on path `id`. Of its packets
    /// that left only once, the last one left at `sent_at`. Returns the forward delay of that packet.
    pub(crate) fn measure(
        &mut self,
        id: PathId,
        weight: ByteCount,
        sent_at: Option<Time>,
        by: PathId,
        now: Time,
    ) -> Option<Duration> {
        let before = self.path(by).measured.back();
        let least = self.path(id).measured.least();
        if let Some((sent_at, least)) = sent_at.filter(|_| id != by).zip(least) {
            self.path_mut(by).measured.doubt_back(now.since(sent_at), least);
        }
        let back = self.path(by).measured.back();
        let (path, sample) = self.at(id);
        path.measured.on_delivered(weight, sample, now);
        if let Some(sent_at) = sent_at {
            path.measured.on_acknowledged(&Acknowledgement { sent_at, by, back }, sample, now);
        }
        path.measured.show(sample, now);
        let delay = sent_at.and(sample.one_way).map(|OneWay { delay, .. }| delay);
        self.correct_forward_delays(by, before);
        delay
    }

    /// The round of a path's window, for observers.
    pub(crate) fn round(&self, id: PathId) -> u64 {
        self.path(id).estimates.round()
    }

    /// A HEARTBEAT of path `id` returned after `round_trip`.
    pub(super) fn measure_heartbeat(&mut self, id: PathId, round_trip: Duration, now: Time) {
        let (path, sample) = self.at(id);
        let back = path.measured.back();
        path.measured.on_round_trip(round_trip, now);
        path.measured.show(sample, now);
        self.correct_forward_delays(id, back);
    }

    /// The return delay of path `by` was assumed to be `before`. If it has proved shorter, forward delays that were
    /// calculated with it were longer: otherwise the first, slow answer on one path would leave another with a delay
    /// that no packet ever had.
    fn correct_forward_delays(&mut self, by: PathId, before: Option<Duration>) {
        let known = before.zip(self.path(by).measured.back());
        let Some((before, after)) = known.filter(|(before, after)| after < before) else { return };
        let shorter = before.saturating_sub(after);
        for id in self.ids().filter(|id| *id != by) {
            self.path_mut(id).measured.on_shorter_back(by, shorter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The first answer on the second path took 60 ms, half of which counts as its return delay. A SACK that returned
    /// by it after 40 ms left 10 ms for the forward delay; the next answers took 40 ms, so that it was 20.
    #[test]
    fn a_way_there_is_corrected_when_the_way_back_proves_shorter() {
        let mut table = table();
        let (data, other) = (PathId::FIRST, PathId::from_index(1));
        table.on_round_trip(other, Duration::from_millis(60), at(60));
        table.measure(data, ByteCount::new(1_452), Some(at(60)), other, at(100));
        let least = |table: &PathTable| table.sample(data).one_way.map(|delay| delay.least.as_millis());
        assert_eq!(least(&table), Some(10));
        table.measure(other, ByteCount::new(1_452), Some(at(80)), other, at(120));
        table.measure(data, ByteCount::new(1_452), Some(at(90)), other, at(130));
        assert_eq!(least(&table), Some(20));
        assert_eq!(table.sample(other).one_way.map(|delay| delay.least.as_millis()), Some(20));
    }

    /// The forward delay is 100 ms. Everything that was measured on the other path waited in its queue, so that its
    /// return delay seemed to be 240 ms: more than the whole round trip.
    #[test]
    fn a_way_back_that_leaves_no_way_there_is_not_believed() {
        let mut table = table();
        let (data, other) = (PathId::FIRST, PathId::from_index(1));
        table.on_round_trip(data, Duration::from_millis(200), at(200));
        table.on_round_trip(other, Duration::from_millis(480), at(480));
        let delay = table.measure(data, ByteCount::new(1_452), Some(at(400)), other, at(536));
        assert_eq!(delay, Some(Duration::from_millis(100)), "and 36 ms back");
        let least = |table: &PathTable| table.sample(data).one_way.map(|delay| delay.least.as_millis());
        assert_eq!(least(&table), Some(100));
        table.measure(data, ByteCount::new(1_452), Some(at(500)), other, at(590));
        assert_eq!(least(&table), Some(54), "a path may become shorter");
    }
}
