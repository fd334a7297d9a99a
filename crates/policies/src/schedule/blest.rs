//! Blocking estimation: a slow path stays unused when its packets would take room in the peer's buffer that the quick
//! path needs meanwhile (Ferlin, Alay, Mehani, Boreli: "BLEST: Blocking Estimation-based MPTCP Scheduler for
//! Heterogeneous Networks", IFIP Networking 2016, section IV).

use anabranch_base::{ByteCount, Duration, Time};

use anabranch_sctp::policy::schedule::lowest_rtt::{quicker_to_wait_for, quickest_with_room, round_trip};
use anabranch_sctp::policy::schedule::{ChunksInFlight, Index, QueueView, Scheduler};
use anabranch_sctp::policy::{PathId, PathSample, Registry, View};
use anabranch_sctp::seq::Tsn;

/// Takes the path with the shortest round trip, `F`. While that one is full, it takes the quickest path with room,
/// `S`, unless `F` would then be blocked before the packet on `S` is acknowledged:
///
/// ```text
/// rtts = RTT_S / RTT_F
/// X = MSS_F · (CWND_F + (rtts − 1) / 2) · rtts              what F can send meanwhile
/// wait for F if X · λ > |M| − MSS_S · (inflight_S + 1)
/// ```
///
/// `|M|` is the connection's send window in Multipath TCP; in SCTP it is the peer's whole receive buffer, which all
/// paths share. `λ` corrects the estimate once for each round trip of `S`: it grows if the peer's window blocked a path
/// with room, and shrinks otherwise. The values are those of the authors' implementation for Linux.
#[derive(Debug)]
pub(super) struct Blest {
    /// λ.
    correction: f64,
    /// When λ was last corrected.
    since: Option<Time>,
    /// True if the peer's window blocked a path with room since then.
    was_blocked: bool,
}

impl Default for Blest {
    fn default() -> Blest {
        Blest { correction: FIRST, since: None, was_blocked: false }
    }
}

impl Scheduler for Blest {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let slow = quickest_with_room(queue, view)?;
        let waits = quicker_to_wait_for(slow, queue, view).is_some_and(|fast| {
            self.correct(round_trip(slow), view.now);
            self.blocks(fast, slow, view.receive_buffer)
        });
        (!waits).then_some((slow.id, Index::OLDEST))
    }

    /// Requests no copy: it is called when nothing more can leave, and the reason is noted.
    fn copy(&mut self, _in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        let is_blocked = |sample: &PathSample| sample.may_send() && view.peer_window < sample.unit;
        self.was_blocked |= !view.queued.is_zero() && view.paths.iter().any(is_blocked);
        None
    }
}

impl Blest {
    /// Returns true if a packet on `slow` would block `fast`.
    fn blocks(&self, fast: &PathSample, slow: &PathSample, buffer: ByteCount) -> bool {
        let rounds = round_trip(slow).as_secs_f64() / round_trip(fast).as_secs_f64().max(f64::MIN_POSITIVE);
        let packets = fast.cwnd.get() as f64 / fast.unit.get().max(1) as f64 + (rounds - 1.0) / 2.0;
        let meanwhile = fast.unit.get() as f64 * packets * rounds;
        let left = buffer.saturating_sub(slow.flight + slow.unit);
        meanwhile * self.correction > left.get() as f64
    }

    /// Corrects λ if the last correction is a round trip of the slow path ago.
    fn correct(&mut self, round_trip: Duration, now: Time) {
        let since = *self.since.get_or_insert(now);
        if now.since(since) < round_trip {
            return;
        }
        let step = if std::mem::take(&mut self.was_blocked) { AFTER_BLOCKING } else { AFTER_NONE };
        self.correction = (self.correction + step).clamp(LEAST, MOST);
        self.since = Some(now);
    }
}

/// λ before any correction.
const FIRST: f64 = 1.2;
/// The bounds of λ.
const LEAST: f64 = 1.0;
const MOST: f64 = 1.3;
/// The step by which λ grows after a round trip in which the window blocked a path, and shrinks after one in which none was.
const AFTER_BLOCKING: f64 = 0.04;
const AFTER_NONE: f64 = -0.01;

pub(crate) fn add(registry: &mut Registry) {
    registry.schedulers.add("blest", |_| Box::new(Blest::default()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_sctp::policy::schedule::ChunkInFlight;
    use anabranch_sctp::policy::testing::{QUEUE, sample, view};

    /// A full path of 20 ms with a window of ten packets, and one of 60 ms with room.
    fn paths() -> [PathSample; 2] {
        let mut paths = [sample(0), sample(1)];
        for (path, milliseconds) in paths.iter_mut().zip([20, 60]) {
            path.srtt = Some(Duration::from_millis(milliseconds));
            path.cwnd = path.unit * 10;
        }
        paths[0].flight = paths[0].cwnd;
        paths
    }

    fn uses_slow(blest: &mut Blest, paths: &[PathSample], packets: u64, now: Time) -> bool {
        let mut view = view(paths);
        (view.receive_buffer, view.now) = (paths[0].unit * packets, now);
        blest.pick(&QUEUE, &view).is_some_and(|(path, _)| path.index() == 1)
    }

    /// In three of its round trips the quick path sends (10 + 2 / 2) · 3 = 33 packets, by λ taken for 39.6.
    #[test]
    fn the_slow_path_is_used_when_the_buffer_also_holds_what_the_quick_one_sends_meanwhile() {
        let mut paths = paths();
        assert!(!uses_slow(&mut Blest::default(), &paths, 40, Time::ZERO));
        assert!(uses_slow(&mut Blest::default(), &paths, 41, Time::ZERO));
        paths[1].flight = paths[1].unit;
        assert!(!uses_slow(&mut Blest::default(), &paths, 41, Time::ZERO), "one packet more is held");
    }

    /// Of 35 packets 34 are left: 33 λ is no more than that when λ is 1.03.
    #[test]
    fn the_estimate_falls_while_nothing_blocks_and_grows_when_the_window_does() {
        let paths = paths();
        let mut blest = Blest::default();
        let round = Duration::from_millis(60);
        let used: Vec<bool> =
            (0..=22).map(|count| uses_slow(&mut blest, &paths, 35, Time::ZERO + round * count)).collect();
        assert_eq!(used.iter().position(|used| *used), Some(17), "{used:?}");
        assert!((blest.correction - LEAST).abs() < 1e-9, "it stays at its bound: {}", blest.correction);
        blest.was_blocked = true;
        assert!(uses_slow(&mut blest, &paths, 35, Time::ZERO + round * 23 - Duration::from_nanos(1)));
        assert!(!uses_slow(&mut blest, &paths, 35, Time::ZERO + round * 23), "λ is 1.04");
        assert!(uses_slow(&mut blest, &paths, 35, Time::ZERO + round * 24), "λ is 1.03 again");
    }

    #[test]
    fn a_window_too_small_for_a_packet_blocks_the_path_that_has_room() {
        let mut paths = paths();
        let blocked = |paths: &[PathSample], window: u64| {
            let mut blest = Blest::default();
            let view = View { peer_window: ByteCount::new(window), ..view(paths) };
            assert_eq!(blest.copy(&Nothing, &view), None);
            blest.was_blocked
        };
        assert!(blocked(&paths, 1499));
        assert!(!blocked(&paths, 1500));
        paths[1].flight = paths[1].cwnd;
        assert!(!blocked(&paths, 1499), "no path could use it");
    }

    #[derive(Debug)]
    struct Nothing;

    impl ChunksInFlight for Nothing {
        fn lowest(&self) -> Option<ChunkInFlight> {
            None
        }

        fn next_above(&self, _tsn: Tsn) -> Option<ChunkInFlight> {
            None
        }
    }
}
