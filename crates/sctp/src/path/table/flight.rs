//! What leaves on a path, and what becomes of it: acknowledged, lost, or given up by the retransmission timer.

use anabranch_base::{ByteCount, Duration, Time};

use super::{Path, PathTable};
use crate::policy::PathId;
use crate::policy::loss_detection::AckedChunk;
use crate::seq::Tsn;

impl PathTable {
    /// A chunk of weight `weight` left on path `id`.
    pub fn on_chunk_sent(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let flight = &mut self.samples[id.index()].flight;
        let path = &mut self.paths[id.index()];
        let was_idle = flight.is_zero();
        if was_idle {
            path.silence.begin(now);
        }
        *flight += weight;
        path.measured.on_sent(*flight, was_idle, now);
        path.last_data = Some(now);
        path.loss_rate.on_sent();
        self.show_blocker(id);
    }

    /// A chunk left for the first time: it may be timed.
    pub fn on_first_sent(&mut self, id: PathId, tsn: Tsn, now: Time) {
        let path = &mut self.paths[id.index()];
        path.round_trip.on_sent(tsn, now);
        path.health.on_used();
    }

    /// A copy of a chunk that was first sent on path `id` left on another path.
    pub fn on_copied(&mut self, id: PathId, tsn: Tsn) {
        self.paths[id.index()].round_trip.on_copied(tsn);
    }

    /// A chunk was marked lost: no chunk is timed any more.
    pub fn on_loss(&mut self, id: PathId) {
        let path = &mut self.paths[id.index()];
        path.round_trip.cancel_probe();
        path.loss_rate.on_lost();
    }

    /// The chunk `tsn` was marked lost; other chunks may still be timed
    /// ([`Ns2Rule::Accounts`](crate::policy::ns2::Ns2Rule::Accounts)).
    pub fn on_loss_without_cut(&mut self, id: PathId, tsn: Tsn) {
        let path = &mut self.paths[id.index()];
        path.round_trip.on_copied(tsn);
        path.loss_rate.on_lost();
    }

    /// The window was cut: cancels the round-trip measurement.
    pub fn cancel_measurement(&mut self, id: PathId) {
        self.paths[id.index()].round_trip.cancel_probe();
    }

    /// Everything in flight was marked lost: this window of chunks ends.
    pub fn on_all_lost(&mut self, id: PathId) {
        self.end_window(id);
    }

    /// Subtracts `weight` from the path's flight size.
    pub fn on_left_flight(&mut self, id: PathId, weight: ByteCount) {
        self.samples[id.index()].flight -= weight;
        self.show_blocker(id);
    }

    /// Whether no data has left path `id` for a round trip: all that is in flight should be acknowledged.
    pub fn is_resting(&self, id: PathId, now: Time) -> bool {
        let since = self.paths[id.index()].last_data.zip(self.samples[id.index()].srtt);
        since.is_some_and(|(last, srtt)| last + srtt <= now)
    }

    /// Adds `weight` to the path's flight size again.
    pub fn on_returned(&mut self, id: PathId, weight: ByteCount) {
        self.samples[id.index()].flight += weight;
        self.show_blocker(id);
    }

    /// A chunk last sent on path `id` was acknowledged. Returns the round-trip time if the chunk was timed.
    pub fn on_acked(&mut self, id: PathId, chunk: &AckedChunk, now: Time) -> Option<Duration> {
        let path = &mut self.paths[id.index()];
        path.counters.acked_bytes += chunk.payload;
        let ends_round = chunk.round == path.round;
        path.round += u64::from(ends_round);
        if chunk.sent_at >= path.doubtful_before {
            path.timeouts_in_row = 0;
            path.is_probing_window = false;
        }
        // It is not known which of several paths delivered a copied chunk.
        if !chunk.was_copied {
            path.silence.begin(now);
        }
        let sample = path.round_trip.on_acked(chunk.tsn, now);
        if let Some(sample) = sample {
            path.count_round_trip(sample);
            self.show_round_trip(id);
        }
        self.show_blocker(id);
        if ends_round {
            self.end_window(id);
        }
        sample
    }

    /// A SACK acknowledged `weight` that was last sent on path `id`.
    pub fn on_delivered(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let bandwidth = &mut self.paths[id.index()].bandwidth;
        bandwidth.on_delivered(weight, now);
        self.samples[id.index()].bandwidth = bandwidth.estimate();
    }

    /// The T3-rtx timer expired: the round of packets that it covered ends.
    pub fn on_timeout(&mut self, id: PathId) {
        self.paths[id.index()].round += 1;
    }

    /// Counts the expiry as a time-out.
    pub fn count_timeout(&mut self, id: PathId) {
        let path = &mut self.paths[id.index()];
        path.timeouts_in_row = path.timeouts_in_row.saturating_add(1);
        path.counters.timeouts += 1;
    }

    /// The time-out of path `id` expired at `now`: what left before is no sign of life any more. Its acknowledgement may have
    /// been lost with the path.
    pub fn doubt_before(&mut self, id: PathId, now: Time) {
        self.paths[id.index()].doubtful_before = now;
    }

    /// Whether it shows that path `id` works now, if a chunk that left there at `sent_at` is acknowledged.
    pub fn shows_life(&self, id: PathId, sent_at: Time) -> bool {
        sent_at >= self.paths[id.index()].doubtful_before
    }

    /// Whether time-outs were counted since a chunk was last acknowledged.
    pub fn has_timed_out(&self, id: PathId) -> bool {
        self.paths[id.index()].timeouts_in_row > 0
    }

    /// Allows only one packet in flight until a chunk is acknowledged (RFC 9260 §7.2.3).
    pub fn try_one_packet(&mut self, id: PathId) {
        self.paths[id.index()].is_probing_window = true;
        self.show_blocker(id);
    }

    /// The round of a path's window, for observers.
    pub fn round(&self, id: PathId) -> u64 {
        self.paths[id.index()].round
    }

    fn end_window(&mut self, id: PathId) {
        let estimate = &mut self.paths[id.index()].loss_rate;
        estimate.on_window();
        self.samples[id.index()].loss_rate = estimate.rate();
    }
}

impl Path {
    pub(super) fn count_round_trip(&mut self, sample: Duration) {
        self.counters.round_trips += 1;
        self.counters.round_trip_sum += sample;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;

    const WEIGHT: ByteCount = ByteCount::new(1460);

    fn acked(path: PathId) -> AckedChunk {
        let (tsn, weight, payload) = (Tsn::new(1), ByteCount::new(100), ByteCount::new(84));
        AckedChunk {
            tsn,
            path,
            round: 0,
            departure: 0,
            sent_at: Time::ZERO,
            weight,
            payload,
            is_retransmitted: false,
            was_copied: false,
            was_lost: false,
        }
    }

    /// M-SCTP-3: the overshoot rule would allow a second packet, because a chunk weighs less than a unit.
    #[test]
    fn after_a_time_out_one_packet_may_be_in_flight() {
        let mut table = table();
        let id = PathId::FIRST;
        table.on_chunk_sent(id, WEIGHT, Time::ZERO);
        table.on_left_flight(id, WEIGHT);
        table.try_one_packet(id);
        table.count_timeout(id);
        assert!(table.sample(id).may_send());
        table.on_chunk_sent(id, ByteCount::new(100), Time::ZERO);
        assert!(!table.sample(id).may_send(), "cwnd has room, but the single packet is unanswered");
        table.on_left_flight(id, ByteCount::new(100));
        table.on_acked(id, &acked(id), Time::ZERO);
        assert!(table.sample(id).may_send());
        assert!(!table.has_timed_out(id), "an ack ends the row");
    }

    /// The chunk that is timed has TSN 1.
    #[test]
    fn a_loss_that_does_not_cut_ends_the_measurement_of_the_lost_chunk_alone() {
        let measured = |lose: fn(&mut PathTable)| {
            let mut table = table();
            table.on_first_sent(PathId::FIRST, Tsn::new(1), Time::ZERO);
            lose(&mut table);
            table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::from_nanos(1)).is_some()
        };
        assert!(!measured(|table| table.on_loss(PathId::FIRST)));
        assert!(measured(|table| table.on_loss_without_cut(PathId::FIRST, Tsn::new(2))));
        assert!(!measured(|table| table.on_loss_without_cut(PathId::FIRST, Tsn::new(1))));
        assert!(!measured(|table| table.cancel_measurement(PathId::FIRST)));
    }

    #[test]
    fn a_round_ends_with_the_first_acknowledgement_of_one_of_its_packets() {
        let mut table = table();
        assert_eq!(table.round(PathId::FIRST), 0);
        let rounds = [(); 2].map(|()| {
            table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::ZERO);
            table.round(PathId::FIRST)
        });
        assert_eq!(rounds, [1, 1], "the second packet of round 0 ends nothing");
    }

    /// Otherwise a chunk that is sent again would belong to the lost round, and losses that take the rest of a round
    /// (M-NET-4) would never end.
    #[test]
    fn a_round_of_which_nothing_is_acknowledged_ends_with_the_time_out() {
        let mut table = table();
        table.on_timeout(PathId::FIRST);
        assert_eq!(table.round(PathId::FIRST), 1);
        table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::ZERO);
        assert_eq!(table.round(PathId::FIRST), 1, "a packet of round 0 after all");
    }
}
