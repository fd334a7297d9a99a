//! Departures on a path, and their results: events that concern several parts of the path.

use anabranch_base::{ByteCount, Duration, Ecn, Time};

use super::PathTable;
use crate::policy::PathId;
use crate::policy::loss_detection::AckedChunk;
use crate::seq::Tsn;

impl PathTable {
    /// A packet with codepoint `ecn` arrived on path `id`.
    pub(crate) fn on_arrival(&mut self, id: PathId, ecn: Ecn, now: Time) {
        let path = self.path_mut(id);
        path.reports.count_arrival(ecn);
        path.liveness.on_arrival(now);
    }

    /// A chunk of weight `weight` left on path `id`.
    pub(crate) fn on_chunk_sent(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let (path, sample) = self.at(id);
        let was_idle = sample.flight.is_zero();
        if was_idle {
            path.liveness.on_first_in_flight(now);
        }
        sample.flight += weight;
        path.measured.on_sent(sample.flight, was_idle, now);
        path.liveness.on_sent(now);
        path.estimates.on_sent();
        path.show_blocker(sample);
    }

    /// A chunk left for the first time: it may be timed.
    pub(crate) fn on_first_sent(&mut self, id: PathId, tsn: Tsn, now: Time) {
        let path = self.path_mut(id);
        path.estimates.on_first_sent(tsn, now);
        path.liveness.on_used();
    }

    /// Subtracts `weight` from the path's flight size.
    pub(crate) fn on_left_flight(&mut self, id: PathId, weight: ByteCount) {
        let (path, sample) = self.at(id);
        sample.flight -= weight;
        path.show_blocker(sample);
    }

    /// Adds `weight` to the path's flight size again.
    pub(crate) fn on_returned(&mut self, id: PathId, weight: ByteCount) {
        let (path, sample) = self.at(id);
        sample.flight += weight;
        path.show_blocker(sample);
    }

    /// A chunk last sent on path `id` was acknowledged. Returns the round-trip time if the chunk was timed.
    pub(crate) fn on_acked(&mut self, id: PathId, chunk: &AckedChunk, now: Time) -> Option<Duration> {
        let (path, sample) = self.at(id);
        path.reports.count_acked(chunk.payload);
        if path.liveness.on_acked(chunk, now) {
            path.gate.end_trial();
        }
        path.show_blocker(sample);
        let round_trip = path.estimates.on_acked(chunk, sample, now)?;
        path.reports.count_round_trip(round_trip);
        Some(round_trip)
    }

    /// A HEARTBEAT's round trip took `round_trip`.
    pub(crate) fn on_round_trip(&mut self, id: PathId, round_trip: Duration, now: Time) {
        let (path, sample) = self.at(id);
        path.liveness.on_answer(now);
        path.estimates.on_round_trip(round_trip, sample);
        path.reports.count_round_trip(round_trip);
        self.measure_heartbeat(id, round_trip, now);
    }

    /// Counts the expiry of T3-rtx as a time-out.
    pub(crate) fn count_timeout(&mut self, id: PathId) {
        let path = self.path_mut(id);
        path.liveness.count_timeout();
        path.reports.count_timeout();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use crate::policy::ns2::Ns2;

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
        table.limit_to_one_packet(id);
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
        let as_in_ns2 = Ns2::of_numbers(&[8]);
        let measured = |lose: &dyn Fn(&mut PathTable)| {
            let mut table = table();
            table.on_first_sent(PathId::FIRST, Tsn::new(1), Time::ZERO);
            lose(&mut table);
            table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::from_nanos(1)).is_some()
        };
        assert!(!measured(&|table| table.on_loss(PathId::FIRST, Tsn::new(2), Ns2::NONE)));
        assert!(measured(&|table| table.on_loss(PathId::FIRST, Tsn::new(2), as_in_ns2)));
        assert!(!measured(&|table| table.on_loss(PathId::FIRST, Tsn::new(1), as_in_ns2)));
        assert!(!measured(&|table| table.cancel_measurement(PathId::FIRST)));
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
