//! Handles failing paths: detects suspicious silence, probes the paths, and moves their data (RFC 7829; M-SCTP-15,
//! M-CMT-7).

use anabranch_base::{Duration, Time};

use super::reading::SackReading;
use super::{Sender, view};
use crate::association::ground::Ground;
use crate::policy::congestion::CutCause;
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathSample};

impl Sender {
    /// Checks for silent paths when a SACK arrives. A path with chunks in flight that is silent for too long while
    /// another path delivers has potentially failed. This alone changes neither its window nor its error count.
    #[inline]
    pub(super) fn judge_silence(&mut self, ground: &mut Ground, reading: &SackReading, now: Time) {
        if !ground.settings.config.failover.quick {
            return;
        }
        for path in ground.paths.ids() {
            if self.is_suspiciously_silent(ground, path, reading, now) && !self.is_next_refused(path) {
                ground.paths.counters_mut(path).suspicions += 1;
                let change = ground.paths.suspect(path);
                ground.announce(path, change, now);
                ground.probe_failed(path, now);
            }
        }
    }

    /// Takes back the lowest chunk that failed paths have in flight, if another path has room for it and no lower one is
    /// marked: marks it lost, as after a time-out. The other chunks stay in flight. So until the failed path answers, no
    /// more is sent again than the windows of other paths allow, and its T3-rtx timer keeps running.
    #[inline]
    pub(super) fn take_back_one(&mut self, ground: &mut Ground) {
        if !ground.settings.config.failover.quick || !ground.paths.has_failed_path() {
            return;
        }
        // A chunk with a copy in flight on another path leaves the failed path, and is not marked.
        while self.take_back_lowest(ground) {}
    }

    /// Takes back the lowest chunk that failed paths have in flight, if another path has room and no lower chunk is
    /// marked. Returns true if there was one.
    fn take_back_lowest(&mut self, ground: &mut Ground) -> bool {
        let has_room = |sample: &PathSample| sample.state.carries_data() && sample.has_window();
        if !ground.paths.samples().iter().any(has_room) {
            return false;
        }
        let ack_point = self.buffer.ack_point();
        let failed = ground.paths.ids().filter(|&id| ground.paths.sample(id).state.has_failed());
        let stranded = failed.filter_map(|path| Some((self.buffer.lowest_on(path)?, path)));
        let lowest = stranded.min_by_key(|(tsn, _)| tsn.distance_from(ack_point));
        let marked = self.buffer.marked().next().map(|lost| lost.tsn);
        let lowest = lowest.filter(|(tsn, _)| marked.is_none_or(|marked| tsn.is_before(marked)));
        if let Some((tsn, path)) = lowest {
            _ = self.mark_lost(ground, tsn, path, LostBy::Timeout);
            ground.paths.silence_mut(path).on_flight_moved();
        }
        lowest.is_some()
    }

    /// Confirms the failure of a suspected path, on which a HEARTBEAT was not answered within RTO. The losses count as
    /// congestion, as at a time-out (RFC 9260 §7.2.3).
    pub(crate) fn confirm_suspicion(&mut self, ground: &mut Ground, path: PathId, now: Time) {
        if ground.paths.silence_mut(path).take_pending_cut() {
            let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
            let signal = Signal::Timeout { again: false };
            if let Some(cause) = self.rules.response.on_signal(signal, path, &view).cut {
                self.cut(ground, path, cause, now);
            }
        }
    }

    /// Ends the suspicion of `path`, on which a HEARTBEAT was answered. If no chunk that was in flight at the suspicion
    /// was acknowledged on this path, they count as lost (RFC 9260 §7.2.4).
    pub(crate) fn settle_suspicion(&mut self, ground: &mut Ground, path: PathId, now: Time) {
        if ground.paths.silence_mut(path).on_answered() {
            self.cut(ground, path, CutCause::Missing, now);
        }
    }

    /// Returns true if the silence of `path` suggests that it failed: another path delivers a SACK that would also
    /// acknowledge what was sent on `path`.
    fn is_suspiciously_silent(
        &mut self,
        ground: &Ground,
        path: PathId,
        reading: &SackReading,
        now: Time,
    ) -> bool {
        let Some(left_at) = self.buffer.lowest_left_at(path) else { return false };
        let sample = ground.paths.sample(path);
        let Some(srtt) = sample.srtt.filter(|_| sample.state.is_in_use() && !sample.flight.is_zero()) else {
            return false;
        };
        ground.paths.samples().iter().filter(|other| other.id != path && other.state.is_in_use()).any(
            |other| {
                let from =
                    ground.paths.silence(path).suspicious_from(left_at, srtt, return_delay(sample, other));
                reading.has_delivered(other.id) && from <= now
            },
        )
    }

    /// Returns true if the peer may have no room for the lowest chunk of `path`, so that it drops the chunk when it arrives.
    fn is_next_refused(&mut self, path: PathId) -> bool {
        let lowest = self.buffer.lowest_on(path);
        lowest.is_none_or(|tsn| self.peer_window.probe() == Some(tsn) || self.is_refused(tsn))
    }
}

/// The longest time that a SACK for data sent on `path` takes to return, if SACKs for data sent on `other` arrive. It
/// returns in half of the round trip of `other`, because queues delay data more than SACKs; or on `path`, if the last
/// packet arrived there, in the minimum one-way delay.
fn return_delay(path: &PathSample, other: &PathSample) -> Duration {
    let own = path.one_way.map_or(Duration::ZERO, |delay| delay.least);
    own.max(other.srtt.unwrap_or(other.rto) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::OneWay;
    use crate::policy::testing::sample;

    #[test]
    fn a_sack_may_take_the_way_back_of_the_path_or_of_the_other() {
        let ms = Duration::from_millis;
        let (mut path, mut other) = (sample(0), sample(1));
        other.rto = ms(1_000);
        assert_eq!(return_delay(&path, &other), ms(500), "the other was not measured yet");
        other.srtt = Some(ms(20));
        assert_eq!(return_delay(&path, &other), ms(10));
        path.one_way = Some(OneWay { delay: ms(400), least: ms(300), back: ms(10) });
        assert_eq!(return_delay(&path, &other), ms(300), "its last packet brought the SACK");
    }
}
