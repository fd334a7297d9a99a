//! Loss detection by time: RACK (RFC 8985) for each path. A chunk is lost when a packet that left after it on its path
//! arrived, and the reordering window has passed.

use anabranch_base::{Duration, Time};

use super::departure::DepartureDetection;
use super::reordering::Reordering;
use super::{AckedChunk, DepartedChunk, Hole, LossDetection, RoundTrips, SackFindings, SackNews};
use crate::policy::PathId;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;

/// The rule of RFC 8985 over the [order of departures](DepartureDetection), which has its recoveries.
///
/// While no packet of a path is late, a chunk is lost as soon as three packets overtook it, or after a quarter of the
/// least round trip if fewer did. Where packets are late, only time counts.
#[derive(Debug)]
pub(crate) struct RackDetection {
    order: DepartureDetection,
    paths: Vec<PathTime>,
    /// The highest chunk that the last SACK reports, if the SACK may have lacked room for others that had arrived.
    reported: Option<Tsn>,
    /// The time at which such a SACK came last.
    cut_short_at: Time,
}

/// The state of one path.
#[derive(Clone, Copy, Debug, Default)]
struct PathTime {
    /// The packet that left last of those that arrived (RACK.xmit_ts), and its round trip (RACK.rtt).
    newest: Option<(u64, Duration)>,
    /// The same before the current SACK.
    newest_before: Option<(u64, Duration)>,
    reordering: Reordering,
    /// The least round trip of such packets in the present round trip and in the one before; the lateness of others is
    /// measured from it.
    soonest: [Option<Duration>; 2],
    soonest_since: Time,
    trips: RoundTrips,
    /// The time at which the next chunk is lost.
    due: Option<Time>,
}

impl RackDetection {
    /// A rule that declares a chunk lost when `threshold` packets overtook it, while no packet is late.
    pub(crate) fn new(threshold: u8) -> RackDetection {
        RackDetection {
            order: DepartureDetection::new(threshold),
            paths: Vec::new(),
            reported: None,
            cut_short_at: Time::ZERO,
        }
    }

    /// Reads the packets that arrived.
    fn follow(&mut self, news: &SackNews) {
        self.paths.resize(news.paths.len(), PathTime::default());
        for (path, &trips) in self.paths.iter_mut().zip(&news.round_trips) {
            path.trips = trips;
            path.newest_before = path.newest;
            path.reordering.advance_period(trips, news.at);
        }
        let was_unreported = |tsn: Tsn| self.reported.is_some_and(|reported| tsn.is_after(reported));
        for chunk in news.acked.iter().filter(|chunk| !chunk.was_copied) {
            self.paths[chunk.path.index()].on_arrived(chunk, !was_unreported(chunk.tsn), news.at);
        }
        self.reported = news.may_be_cut_short().then_some(news.highest_reported);
        if self.reported.is_some() {
            self.cut_short_at = news.at;
        }
    }

    /// Declares the holes lost that are due, and notes when the next one is due.
    fn judge(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        self.paths.iter_mut().for_each(|path| path.due = None);
        for hole in &mut news.holes {
            let is_overtaken_often = self.order.count(hole);
            if self.paths[hole.path.index()].is_lost(hole, is_overtaken_often, news.at) {
                self.order.lose(hole, progress);
            }
        }
    }
}

impl PathTime {
    /// A packet arrived: the newest so far, or one that was overtaken. It is late if the last SACK would have reported
    /// it, had it arrived by then.
    fn on_arrived(&mut self, chunk: &AckedChunk, was_reportable: bool, now: Time) {
        let round_trip = now.since(chunk.sent_at);
        // RFC 8985 §6.2 step 2: such an acknowledgement answers the first transmission.
        if chunk.is_retransmitted && self.trips.least.is_none_or(|least| round_trip < least) {
            return;
        }
        let is_overtaken = self.newest_before.is_some_and(|(newest, _)| chunk.departure < newest);
        if is_overtaken && was_reportable && !chunk.is_retransmitted {
            self.on_late(round_trip, now);
        }
        if self.newest.is_none_or(|(newest, _)| newest <= chunk.departure) {
            self.newest = Some((chunk.departure, round_trip));
            self.note_soonest(round_trip, now);
        }
    }

    /// A packet with this round trip was overtaken. It is late compared with the fastest of the packets that
    /// overtake: any of them may be the one whose round trip determines when a chunk is lost.
    fn on_late(&mut self, round_trip: Duration, now: Time) {
        let soonest = self.soonest.into_iter().flatten().min().unwrap_or(round_trip);
        self.reordering.on_late(round_trip.saturating_sub(soonest), self.trips, now);
    }

    fn note_soonest(&mut self, round_trip: Duration, now: Time) {
        if now.since(self.soonest_since) >= self.trips.smoothed.unwrap_or_default() {
            self.soonest = [None, self.soonest[0]];
            self.soonest_since = now;
        }
        self.soonest[0] = Some(self.soonest[0].map_or(round_trip, |soonest| soonest.min(round_trip)));
    }

    /// Returns true if the chunk, which did not arrive, is lost. If not, it is due later.
    fn is_lost(&mut self, hole: &Hole, is_overtaken_often: bool, now: Time) -> bool {
        let Some((_, round_trip)) = self.newest.filter(|(newest, _)| hole.departure < *newest) else {
            return false;
        };
        let window = match self.reordering.window(self.trips) {
            // A chunk that a peer really took back is left to the time-out.
            _ if hole.was_acked => return false,
            None if is_overtaken_often => return true,
            window => window.unwrap_or(self.trips.least.unwrap_or(round_trip) / 4),
        };
        let due = hole.sent_at + round_trip + window;
        if due > now {
            self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
        }
        due <= now
    }
}

impl LossDetection for RackDetection {
    fn on_sent(&mut self, chunk: &DepartedChunk) {
        self.order.on_sent(chunk);
    }

    fn on_moved(&mut self, tsn: Tsn, from: PathId, to: PathId) -> Option<bool> {
        self.order.on_moved(tsn, from, to)
    }

    fn on_marked(&mut self, tsn: Tsn, path: PathId, by: LostBy) {
        self.order.on_marked(tsn, path, by);
    }

    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        self.order.begin(news);
        self.follow(news);
        self.judge(news, progress);
        self.order.advance(news, progress);
    }

    fn counts_time(&self) -> bool {
        true
    }

    fn due(&self, path: PathId) -> Option<Time> {
        self.paths.get(path.index())?.due
    }

    fn on_due(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        self.order.begin(news);
        self.paths.resize(news.paths.len(), PathTime::default());
        self.judge(news, progress);
    }

    fn on_spurious(&mut self, path: PathId, round_trip: Option<Duration>, now: Time) {
        let Some(path) = self.paths.get_mut(path.index()) else { return };
        match round_trip {
            // It may have arrived long before a SACK had room to report it.
            Some(round_trip) if now - round_trip < self.cut_short_at => {}
            Some(round_trip) => path.on_late(round_trip, now),
            None => path.reordering.on_spurious(path.trips),
        }
    }

    fn on_undone(&mut self, path: PathId) {
        self.order.remove_path(path);
    }

    fn remove_path(&mut self, path: PathId) {
        self.order.remove_path(path);
        if let Some(path) = self.paths.get_mut(path.index()) {
            *path = PathTime::default();
        }
    }

    fn on_timeout(&mut self, path: PathId) {
        self.order.on_timeout(path);
    }

    fn enter_recovery(&mut self, path: PathId, highest: Tsn) {
        self.order.enter_recovery(path, highest);
    }

    fn advances_by_path(&self) -> bool {
        true
    }

    fn recovers_by_path(&self) -> bool {
        true
    }

    fn is_in_recovery(&self, path: PathId) -> bool {
        self.order.is_in_recovery(path)
    }

    fn slow_start_goes_on(&self) -> bool {
        true
    }

    fn is_cut_for(&self, path: PathId, lost: Tsn) -> bool {
        self.order.is_cut_for(path, lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::loss_detection::PathNews;
    use crate::policy::testing::sacks::{acked, hole, news, sacked};

    const TRIPS: RoundTrips =
        RoundTrips { least: Some(Duration::from_millis(40)), smoothed: Some(Duration::from_millis(48)) };

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The packet `number` leaves at `number` ms, with the TSN of that number.
    fn arrived(number: u32) -> AckedChunk {
        AckedChunk { sent_at: at(u64::from(number)), ..acked(number, 0) }
    }

    fn missing(number: u32) -> Hole {
        Hole { sent_at: at(u64::from(number)), ..hole(number, 0, 0) }
    }

    fn sack(ms: u64, acked: Vec<AckedChunk>, holes: Vec<Hole>) -> SackNews {
        let paths = vec![PathNews::default(); 2];
        SackNews { at: at(ms), paths, departed: 90, round_trips: vec![TRIPS; 2], ..news(0, 90, acked, holes) }
    }

    /// A SACK has room for a limited number of gap blocks. A chunk without room is not late.
    #[test]
    fn what_a_sack_had_no_room_for_is_not_late() {
        for (blocks, is_late) in [(1, true), (64, false)] {
            let mut rack = RackDetection::new(3);
            let progress = &mut SackFindings::default();
            let mut first = sack(40, vec![acked(9, 0)], vec![]);
            (first.blocks, first.highest_reported) = (blocks, Tsn::new(4));
            rack.on_sack(&mut first, &mut SackFindings { advanced: vec![false; 2], ..progress.clone() });
            let mut second = sack(75, vec![acked(5, 0)], vec![]);
            rack.on_sack(&mut second, &mut SackFindings { advanced: vec![false; 2], ..progress.clone() });
            assert_eq!(rack.paths[0].reordering.window(TRIPS).is_some(), is_late, "{blocks} blocks");
        }
    }

    #[test]
    fn without_reordering_three_packets_show_a_loss_and_fewer_after_a_quarter_of_a_round_trip() {
        let mut rack = RackDetection::new(3);
        let mut two = sack(53, vec![arrived(12), arrived(13)], vec![missing(11)]);
        assert!(sacked(&mut rack, &mut two).missing.is_empty());
        assert_eq!(rack.due(PathId::FIRST), Some(at(11 + 40 + 10)), "sent, round trip, quarter");
        let mut due = sack(61, vec![], vec![missing(11)]);
        let mut found = SackFindings::default();
        rack.on_due(&mut due, &mut found);
        assert_eq!((found.missing.len(), rack.due(PathId::FIRST)), (1, None));
        let three = vec![arrived(15), arrived(16), arrived(17)];
        assert_eq!(sacked(&mut rack, &mut sack(62, three, vec![missing(14)])).missing.len(), 1);
    }

    #[test]
    fn where_packets_are_late_only_time_counts() {
        let mut rack = RackDetection::new(3);
        sacked(&mut rack, &mut sack(60, vec![arrived(20)], vec![]));
        // It left before packet 20, and comes 24 ms later than the packets after it.
        sacked(&mut rack, &mut sack(82, vec![arrived(18)], vec![]));
        let three = vec![arrived(45), arrived(46), arrived(47)];
        assert!(sacked(&mut rack, &mut sack(87, three, vec![missing(44)])).missing.is_empty());
        assert_eq!(rack.due(PathId::FIRST), Some(at(44 + 40 + 30)), "24 ms and a quarter of it");
    }

    #[test]
    fn an_acknowledgement_sooner_than_the_least_round_trip_is_no_evidence() {
        let mut rack = RackDetection::new(3);
        let again = AckedChunk { is_retransmitted: true, ..arrived(30) };
        sacked(&mut rack, &mut sack(60, vec![again], vec![missing(29)]));
        assert_eq!(rack.due(PathId::FIRST), None);
        sacked(&mut rack, &mut sack(70, vec![again], vec![missing(29)]));
        assert_eq!(rack.due(PathId::FIRST), Some(at(29 + 40 + 10)), "it answers the retransmission");
    }
}
