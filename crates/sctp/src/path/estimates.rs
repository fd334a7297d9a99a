//! The estimates for timers, windows and policies: round trips, losses and bandwidth. They are written into the sample
//! of the path.

use anabranch_base::{ByteCount, Duration, Time};

use super::bandwidth::Bandwidth;
use super::loss_rate::LossRate;
use super::memory::Remembered;
use super::rtt::RoundTrip;
use crate::config::RtoSettings;
use crate::policy::PathSample;
use crate::policy::loss_detection::AckedChunk;
use crate::policy::ns2::Ns2;
use crate::seq::Tsn;

/// The estimates of one path.
#[derive(Clone, Debug)]
pub(super) struct Estimates {
    round_trip: RoundTrip,
    loss_rate: LossRate,
    bandwidth: Bandwidth,
    /// The number of rounds of its window that have ended: a round lasts from its first packet to the first
    /// acknowledgement of a packet sent in it, or to a time-out.
    round: u64,
    /// The flight that it carried for another association, until its first round trip is measured.
    remembered: Option<Remembered>,
}

impl Estimates {
    /// The estimates of a path without measurements.
    pub(super) fn new(settings: RtoSettings) -> Estimates {
        Estimates {
            round_trip: RoundTrip::new(settings),
            loss_rate: LossRate::default(),
            bandwidth: Bandwidth::default(),
            round: 0,
            remembered: None,
        }
    }

    /// The path begins anew. The count of rounds continues, because chunks in flight refer to the rounds in which they
    /// left.
    pub(super) fn restart(&mut self, settings: RtoSettings, sample: &mut PathSample) {
        let Estimates { round, remembered, .. } = *self;
        *self = Estimates { round, remembered, ..Estimates::new(settings) };
        self.show(sample);
    }

    /// The bounds of the retransmission time-out change.
    pub(crate) fn set_rto(&mut self, rto: RtoSettings, sample: &mut PathSample) {
        self.round_trip.set_bounds(rto);
        self.show_round_trip(sample);
    }

    /// Sets the measurements of another association on this path.
    pub(super) fn remember(&mut self, known: Option<Remembered>) {
        self.remembered = known;
    }

    /// The window with which the path may continue, once its round trip is known. It is returned only once.
    pub(crate) fn take_remembered_window(&mut self, now: Time) -> Option<ByteCount> {
        let round_trip = self.round_trip.min()?;
        self.remembered.take()?.window(round_trip, now)
    }

    /// A chunk left, for the first time or again.
    pub(super) fn on_sent(&mut self) {
        self.loss_rate.on_sent();
    }

    /// The chunk `tsn` left for the first time: it may be timed.
    pub(crate) fn on_first_sent(&mut self, tsn: Tsn, now: Time) {
        self.round_trip.on_sent(tsn, now);
    }

    /// A copy of the chunk `tsn` left on another path.
    pub(crate) fn on_copied(&mut self, tsn: Tsn) {
        self.round_trip.on_copied(tsn);
    }

    /// The chunk `lost` was marked lost: ends the measurement of a round trip if `ns2` says so.
    pub(super) fn on_loss(&mut self, lost: Tsn, ns2: Ns2) {
        self.round_trip.on_loss(lost, ns2);
        self.loss_rate.on_lost();
    }

    /// No chunk is timed any more.
    pub(crate) fn cancel_measurement(&mut self) {
        self.round_trip.cancel_probe();
    }

    /// A chunk last sent on the path was acknowledged. Returns the round-trip time if the chunk was timed.
    pub(super) fn on_acked(
        &mut self,
        chunk: &AckedChunk,
        sample: &mut PathSample,
        now: Time,
    ) -> Option<Duration> {
        if chunk.round == self.round {
            self.round += 1;
            self.end_window(sample);
        }
        let round_trip = self.round_trip.on_acked(chunk.tsn, now);
        if round_trip.is_some() {
            self.show_round_trip(sample);
        }
        round_trip
    }

    /// A HEARTBEAT came back after `round_trip`.
    pub(super) fn on_round_trip(&mut self, round_trip: Duration, sample: &mut PathSample) {
        self.round_trip.on_sample(round_trip);
        self.show_round_trip(sample);
    }

    /// A SACK acknowledged `weight`.
    pub(crate) fn on_delivered(&mut self, weight: ByteCount, sample: &mut PathSample, now: Time) {
        self.bandwidth.on_delivered(weight, now);
        sample.bandwidth = self.bandwidth.estimate();
    }

    /// The T3-rtx timer expired: the round of packets that it covered ends.
    pub(super) fn on_timeout(&mut self) {
        self.round += 1;
    }

    /// Everything in flight was marked lost, or a round was acknowledged: this window of chunks ends.
    pub(crate) fn end_window(&mut self, sample: &mut PathSample) {
        self.loss_rate.on_window();
        sample.loss_rate = self.loss_rate.rate();
    }

    /// The retransmission time-out doubles.
    pub(super) fn back_off(&mut self, sample: &mut PathSample) {
        self.round_trip.back_off();
        self.show_round_trip(sample);
    }

    /// Notes whether losses are repaired that the loss response does not attribute to congestion.
    pub(crate) fn set_recovering(&mut self, is_recovering: bool, sample: &mut PathSample) {
        self.round_trip.set_recovering(is_recovering);
        self.show_round_trip(sample);
    }

    /// The round of the path's window.
    pub(super) fn round(&self) -> u64 {
        self.round
    }

    /// Writes all estimates into `sample`.
    pub(super) fn show(&self, sample: &mut PathSample) {
        sample.loss_rate = self.loss_rate.rate();
        sample.bandwidth = self.bandwidth.estimate();
        self.show_round_trip(sample);
    }

    fn show_round_trip(&self, sample: &mut PathSample) {
        sample.srtt = self.round_trip.srtt();
        sample.min_rtt = self.round_trip.min();
        sample.rttvar = self.round_trip.rttvar();
        sample.rto = self.round_trip.rto();
        sample.recovery_rto = self.round_trip.recovery_rto();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::policy::testing::sample;

    #[test]
    fn a_path_that_begins_anew_counts_its_rounds_on_and_forgets_what_it_measured() {
        let settings = Config::rfc9260().rto;
        let (mut estimates, mut shown) = (Estimates::new(settings), sample(0));
        estimates.on_timeout();
        estimates.on_sent();
        estimates.on_loss(Tsn::new(1), Ns2::NONE);
        estimates.end_window(&mut shown);
        estimates.on_round_trip(Duration::from_millis(40), &mut shown);
        assert!(shown.loss_rate > 0.0 && shown.srtt.is_some());
        estimates.restart(settings, &mut shown);
        assert_eq!((shown.loss_rate, shown.srtt, shown.rto), (0.0, None, settings.initial));
        assert_eq!(estimates.round(), 1);
    }
}
