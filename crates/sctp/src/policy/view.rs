//! The input of policies: the current state of the paths, and the windows at both ends.

use std::fmt;

use anabranch_base::{BitRate, ByteCount, Duration, Time};

/// A path of one association: a (local address, remote address) pair. An id is never used twice, except those of
/// paths that carried only probes and never answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(u16);

/// The known ability of a path to carry data (RFC 9260 §5.4, §8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathState {
    /// Not verified yet: only HEARTBEATs go to it.
    Unconfirmed,
    /// Verified and working.
    Active,
    /// Verified and working, and a secondary path: new data goes to the ordinary paths, which are not full. Data may
    /// be in flight on it, and the peer may use it.
    Spare,
    /// Verified and working, and kept as a backup while another path is active.
    Standby,
    /// It has potentially failed, and is probed; data goes to other paths (RFC 7829).
    PotentiallyFailed,
    /// It had more errors in a row than the limit allows; HEARTBEATs still probe it.
    Inactive,
    /// Removed, because one of its addresses is lost.
    Removed,
}

/// The cause that stops packets with data on a path, even if its window has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// The loss response holds the path's data.
    LossResponse,
    /// The single packet after a time-out is not acknowledged yet (RFC 9260 §7.2.3).
    TimeOut,
    /// The burst of this event is used up (RFC 9260 §6.1 D).
    Burst,
    /// The pacer is closed.
    Pacer,
}

/// The values of a path that the user or the scenario gives, for use before the first measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hints {
    /// The configured rate of the narrowest link.
    pub rate: Option<BitRate>,
    /// The configured delay, one way.
    pub delay: Option<Duration>,
    /// The configured delay of a round trip.
    pub round_trip: Option<Duration>,
    /// The configured fraction of lost packets, 0 to 1.
    pub loss: Option<f64>,
}

/// The measured delays of a path, one way: data and its SACKs may take different paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneWay {
    /// The one-way delay of the packet that was acknowledged last, including queues.
    pub delay: Duration,
    /// The least one-way delay; it follows a lasting rise.
    pub least: Duration,
    /// The one-way delay of the SACKs for this path's data, smoothed.
    pub back: Duration,
}

impl OneWay {
    /// Returns true if packets wait in a queue: the one-way delay exceeds the least one by an eighth of the least round
    /// trip and a millisecond.
    pub fn is_queueing(self) -> bool {
        self.delay > self.least + (self.least + self.back) / 8 + Duration::from_millis(1)
    }
}

/// The rate at which a path delivers, in the weight of chunks against cwnd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The highest rate of the last spans of at least a round trip.
    pub rate: BitRate,
    /// The highest rate of all; it falls to 37 % in four seconds unless it is reached again.
    pub peak: BitRate,
}

/// The current state of one path.
#[derive(Clone, Debug)]
pub struct PathSample {
    /// The id.
    pub id: PathId,
    /// True if it may carry data.
    pub state: PathState,
    /// The largest IP packet it carries.
    pub mtu: ByteCount,
    /// The largest SCTP packet it carries: the MTU less the headers of IP and UDP.
    pub packet_limit: ByteCount,
    /// The unit in which windows are counted and grown (M-SCTP-18 `unit`).
    pub unit: ByteCount,
    /// The congestion window.
    pub cwnd: ByteCount,
    /// The slow-start threshold.
    pub ssthresh: ByteCount,
    /// The weight of chunks last sent on it that are neither acknowledged nor marked for retransmission.
    pub flight: ByteCount,
    /// True if the last packet must also fit into cwnd (M-SCTP-3 `strict_window`).
    pub is_strict: bool,
    /// The cause that stops packets with data now, besides cwnd.
    pub blocked_by: Option<Blocker>,
    /// True if only its pacer stopped packets for which its window had room, when sending last ended. The window that
    /// would have been used counts as used (RFC 9002 §7.8: "without pacing delay").
    pub is_paced: bool,
    /// True if a chunk that was sent before the last cut for a loss is not acknowledged.
    pub cut_open: bool,
    /// True if a chunk that was sent before the last report of a congestion mark (ECNE) on it is not acknowledged.
    pub ecn_open: bool,
    /// True if a chunk that was sent before the last sign of a loss is not acknowledged. It is kept for loss responses
    /// that [follow progress](super::response::LossResponse::follows_progress) alone.
    pub loss_open: bool,
    /// True if it has used up its share of a buffer that is split among the paths. Then no new data may go to it;
    /// lost chunks may.
    pub has_used_share: bool,
    /// The smoothed round-trip time, once measured.
    pub srtt: Option<Duration>,
    /// The least round-trip time measured.
    pub min_rtt: Option<Duration>,
    /// The round-trip time variation.
    pub rttvar: Duration,
    /// The current retransmission time-out, including back-off.
    pub rto: Duration,
    /// The time-out without back-off, and with its own minimum if one is set, for losses that are not congestion
    /// (M-WA-5, M-WA-7).
    pub recovery_rto: Duration,
    /// The recent delivery rate, in the weight of chunks against cwnd (M-BERP-1).
    pub bandwidth: Option<BitRate>,
    /// The one-way delays, once measured.
    pub one_way: Option<OneWay>,
    /// The rates over spans of at least a round trip, once measured.
    pub delivery: Option<Delivery>,
    /// Set if the least delay was not seen for a while: packets that leave with at most this flight show whether it has
    /// risen.
    pub drain_to: Option<ByteCount>,
    /// The recent fraction of chunks marked lost, 0 to 1 (M-CMT-6).
    pub loss_rate: f64,
    /// The configured values, for use before anything was measured.
    pub hints: Hints,
}

/// The association as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The time of the event that is being handled.
    pub now: Time,
    /// Every path, including removed ones; the path with [`PathId::index`] `i` is at index `i`.
    pub paths: &'a [PathSample],
    /// The path for data when only one path is used.
    pub primary: PathId,
    /// The path for data when no path is active.
    pub last_resort: PathId,
    /// The room that the peer has left: by the last SACK, minus what was sent since.
    pub peer_window: ByteCount,
    /// The peer's whole receive buffer: the largest window it ever advertised.
    pub receive_buffer: ByteCount,
    /// User data that waits to be sent for the first time.
    pub queued: ByteCount,
}

impl PathId {
    /// The first path of an association.
    pub const FIRST: PathId = PathId(0);

    /// The `index`-th path that was added, counted from 0.
    ///
    /// # Panics
    /// Never in practice: an association refuses more paths than the type counts.
    pub fn from_index(index: usize) -> PathId {
        PathId(u16::try_from(index).expect("an association has fewer than 65,536 paths"))
    }

    /// The index of this path in a table of all paths.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl PathState {
    /// The order of preference of paths in this state: 0 for the best.
    pub const fn rank(self) -> u8 {
        match self {
            PathState::Active => 0,
            PathState::Spare => 1,
            PathState::Standby => 2,
            PathState::PotentiallyFailed => 3,
            PathState::Inactive => 4,
            PathState::Unconfirmed | PathState::Removed => 5,
        }
    }

    /// Returns true if data may go to it in normal operation.
    pub const fn carries_data(self) -> bool {
        matches!(self, PathState::Active)
    }

    /// Returns true if data of this end or the peer may be under way on it in normal operation.
    pub(crate) const fn is_in_use(self) -> bool {
        matches!(self, PathState::Active | PathState::Spare)
    }

    /// Returns true if it is verified and has not failed: it may be a secondary path or a backup that rests.
    pub const fn works(self) -> bool {
        matches!(self, PathState::Active | PathState::Spare | PathState::Standby)
    }

    /// Returns true if it worked once and has failed, or potentially failed.
    pub const fn has_failed(self) -> bool {
        matches!(self, PathState::PotentiallyFailed | PathState::Inactive)
    }

    /// The state as a word for documents, tables and status lines.
    pub const fn name(self) -> &'static str {
        match self {
            PathState::Unconfirmed => "unconfirmed",
            PathState::Active => "active",
            PathState::Spare => "spare",
            PathState::Standby => "standby",
            PathState::PotentiallyFailed => "potentially-failed",
            PathState::Inactive => "inactive",
            PathState::Removed => "removed",
        }
    }
}

impl PathSample {
    /// Returns true if the window allows one more packet (RFC 9260 §6.1 B: the packet may pass cwnd by less than one packet
    /// if there was room before it; a strict window needs room for a whole unit).
    pub fn has_window(&self) -> bool {
        self.has_room() && self.blocked_by.is_none()
    }

    /// Returns true if a packet with data may take one more chunk. The window and `blocked_by` were checked before its first
    /// chunk, and the packet passes the window by less than one packet; after a time-out, the packet itself blocks
    /// the path. A strict window is checked again.
    pub(crate) fn has_window_for_more(&self) -> bool {
        !self.is_strict || self.has_room()
    }

    /// Returns true if the window has room for one more packet.
    fn has_room(&self) -> bool {
        if self.is_strict { self.flight + self.unit <= self.cwnd } else { self.flight < self.cwnd }
    }

    /// Returns true if the window is not above its threshold: then it grows by slow start (RFC 9260 §7.2.1).
    pub fn is_below_threshold(&self) -> bool {
        self.cwnd <= self.ssthresh
    }

    /// Returns true if a flight of `flight` uses the whole window, as growth demands (RFC 9260 §7.2.1; M-SCTP-4): a strict
    /// window is fully used when it has no room for a unit. A window that only the pacer left unused counts as used.
    pub(crate) fn was_fully_used(&self, flight: ByteCount) -> bool {
        self.is_full(flight) || self.is_paced
    }

    /// Returns true if a chunk of `weight` leaves the window no room for another packet.
    pub(crate) fn is_filled_by(&self, weight: ByteCount) -> bool {
        self.is_full(self.flight + weight)
    }

    fn is_full(&self, flight: ByteCount) -> bool {
        if self.is_strict { flight + self.unit > self.cwnd } else { flight >= self.cwnd }
    }

    /// Returns true if packets wait in a queue of the path: its round-trip time is at least a quarter above the least.
    pub fn is_queueing(&self) -> bool {
        let Some((smoothed, least)) = self.srtt.zip(self.min_rtt) else { return false };
        smoothed.saturating_sub(least) > least / 4
    }

    /// Returns true if new data may go to it now.
    pub fn may_send(&self) -> bool {
        self.may_send_if(self.has_window())
    }

    /// Returns true if one more chunk of new data may go into a packet that has data.
    pub(crate) fn may_send_more(&self) -> bool {
        self.may_send_if(self.has_window_for_more())
    }

    fn may_send_if(&self, has_window: bool) -> bool {
        self.state.carries_data() && has_window && !self.has_used_share
    }
}

impl View<'_> {
    /// The sample of `path`.
    pub fn path(&self, path: PathId) -> &PathSample {
        &self.paths[path.index()]
    }

    /// The paths that carry data, in order of their ids.
    pub fn active(&self) -> impl Iterator<Item = &PathSample> + Clone {
        self.paths.iter().filter(|sample| sample.state.carries_data())
    }

    /// The first path after `path`, in a circle, that satisfies `fits`; `path` itself comes last.
    #[inline]
    pub fn next_after(&self, path: PathId, fits: impl Fn(&PathSample) -> bool) -> Option<PathId> {
        let start = path.index() + 1;
        let (before, after) = self.paths.split_at(start.min(self.paths.len()));
        after.iter().chain(before).find(|sample| fits(sample)).map(|sample| sample.id)
    }
}

impl fmt::Display for PathId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "path {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{sample, view};

    #[test]
    fn only_a_window_that_is_not_strict_is_passed_by_its_last_packet() {
        let mut path = sample(0);
        path.flight = path.cwnd - ByteCount::new(1);
        assert!(path.has_window());
        path.is_strict = true;
        assert!(!path.has_window());
        path.flight = path.cwnd - path.unit;
        assert!(path.has_window());
    }

    #[test]
    fn a_window_is_fully_used_without_room_for_more_or_when_only_the_pacer_left_room() {
        let mut path = sample(0);
        assert!(path.was_fully_used(path.cwnd) && !path.was_fully_used(path.cwnd - ByteCount::new(1)));
        path.is_strict = true;
        assert!(path.was_fully_used(path.cwnd - ByteCount::new(1499)));
        assert!(!path.was_fully_used(path.cwnd - path.unit));
        path.is_paced = true;
        assert!(path.was_fully_used(path.cwnd / 2));
    }

    #[test]
    fn a_path_queues_when_its_round_trips_are_a_quarter_above_the_least() {
        let mut path = sample(0);
        assert!(!path.is_queueing(), "nothing was measured");
        path.min_rtt = Some(Duration::from_millis(40));
        path.srtt = Some(Duration::from_millis(50));
        assert!(!path.is_queueing());
        path.srtt = Some(Duration::from_millis(51));
        assert!(path.is_queueing());
    }

    #[test]
    fn a_share_that_is_taken_keeps_new_data_out_and_leaves_the_window_open() {
        let mut path = sample(0);
        path.has_used_share = true;
        assert_eq!((path.may_send(), path.has_window()), (false, true));
    }

    #[test]
    fn the_next_path_goes_round_and_comes_back_to_itself() {
        let mut paths = [sample(0), sample(1), sample(2)];
        paths[2].flight = paths[2].cwnd;
        let view = view(&paths);
        assert_eq!(view.next_after(PathId(0), PathSample::may_send), Some(PathId(1)));
        assert_eq!(view.next_after(PathId(1), PathSample::may_send), Some(PathId(0)));
        assert_eq!(view.next_after(PathId(2), |sample| sample.id == PathId(2)), Some(PathId(2)));
    }
}
