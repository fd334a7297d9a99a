//! Decides from the load of the ordinary paths whether secondary paths carry new data.

use anabranch_base::{ByteCount, Duration, Time};

/// The load of the ordinary paths, when no more can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Data waits, and no ordinary path has room for it.
    Full(FullPaths),
    /// Data waits for the peer's window alone. The ordinary paths have room, and no queue.
    PeerLimited,
    /// No data waits, and an ordinary path has room.
    Light,
    /// The scheduler waits on purpose, or the last data has just filled the windows.
    Unclear,
}

/// Ordinary paths that are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FullPaths {
    /// The sum of their windows in slow start.
    pub starting: ByteCount,
    /// The longest of their smoothed round trips.
    pub round_trip: Duration,
}

/// Measures for how long the ordinary paths have been full.
///
/// Data that waits for a moment is no reason to use a secondary path: bursts of the application and the pacer make it
/// wait on any path. As in CoDel (RFC 8289 §3.2), only a queue that persists shows that the rate is too high.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoadClock {
    /// True if secondary paths carry new data.
    is_open: bool,
    /// The time since which data waits, and the time at which this has lasted long enough.
    full: Option<Time>,
    opens_at: Time,
    /// The sum of windows in slow start, when last full.
    starting: ByteCount,
    /// The time since which only the peer's window limits the sender.
    peer_limited: Option<Time>,
}

impl LoadClock {
    /// Returns true if secondary paths carry new data.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Opens secondary paths if the ordinary paths have been full for long enough. Returns true if this changes.
    pub(super) fn open_due(&mut self, now: Time) -> bool {
        let opens = !self.is_open && self.full.is_some() && self.opens_at <= now;
        self.is_open |= opens;
        opens
    }

    /// Records the load at the end of an event. Returns true if it closes the secondary paths.
    pub(super) fn on_load(&mut self, load: Load, now: Time) -> bool {
        if load != Load::PeerLimited {
            self.peer_limited = None;
        }
        match load {
            Load::Full(paths) => {
                // A window in slow start that has just grown is not at its limit.
                if self.full.is_none() || paths.starting > self.starting {
                    self.full = Some(now);
                }
                self.starting = paths.starting;
                self.opens_at = self.full.unwrap_or(now) + PATIENCE.max(paths.round_trip * 2);
                false
            }
            Load::Light => self.close(),
            Load::PeerLimited => {
                let since = *self.peer_limited.get_or_insert(now);
                now.since(since) >= PEER_PATIENCE && self.close()
            }
            Load::Unclear => false,
        }
    }

    fn close(&mut self) -> bool {
        std::mem::take(self).is_open
    }
}

/// The least time for which the ordinary paths are full before secondary paths carry new data: the interval of CoDel
/// (RFC 8289 §4.2).
const PATIENCE: Duration = Duration::from_millis(100);
/// The time after which a limit of the peer's window closes secondary paths. A loss that holds up the peer's buffer is
/// repaired in less.
const PEER_PATIENCE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn full(starting: u64, round_trip: u64) -> Load {
        let round_trip = Duration::from_millis(round_trip);
        Load::Full(FullPaths { starting: ByteCount::new(starting), round_trip })
    }

    /// The first of these milliseconds at which the secondary paths are open, if each load is there from its time on.
    fn opens(loads: &[(u64, Load)]) -> Option<u64> {
        let mut clock = LoadClock::default();
        (0..3_000).find(|&now| {
            let is_open = clock.open_due(at(now));
            let load = loads.iter().rev().find(|(from, _)| *from <= now);
            clock.on_load(load.map_or(Load::Light, |(_, load)| *load), at(now));
            is_open
        })
    }

    #[test]
    fn secondary_paths_open_when_the_others_were_full_for_two_round_trips() {
        assert_eq!(opens(&[(10, full(0, 20))]), Some(110));
        assert_eq!(opens(&[(10, full(0, 300))]), Some(610));
        assert_eq!(opens(&[(10, full(0, 20)), (50, Load::Unclear), (60, full(0, 20))]), Some(110));
        assert_eq!(opens(&[(10, full(0, 20)), (50, Load::Light), (51, full(0, 20))]), Some(151));
    }

    #[test]
    fn a_window_that_doubles_is_not_at_its_limit() {
        let doubling = [(0, full(10, 20)), (80, full(20, 20)), (160, full(40, 20)), (240, full(0, 20))];
        assert_eq!(opens(&doubling), Some(260), "100 ms after it last grew");
    }

    #[test]
    fn secondary_paths_close_when_nothing_waits_or_the_peer_limits_the_sender_for_a_second() {
        let mut clock = LoadClock::default();
        let open = |clock: &mut LoadClock| {
            clock.on_load(full(0, 20), at(0));
            assert!(clock.open_due(at(100)) && clock.is_open());
        };
        open(&mut clock);
        assert!(!clock.on_load(Load::Unclear, at(100)) && clock.on_load(Load::Light, at(101)));
        assert!(!clock.is_open() && !clock.on_load(Load::Light, at(102)), "once");
        open(&mut clock);
        assert!(!clock.on_load(Load::PeerLimited, at(200)));
        assert!(!clock.on_load(full(0, 20), at(900)));
        assert!(!clock.on_load(Load::PeerLimited, at(1_300)), "it was full in between");
        assert!(clock.on_load(Load::PeerLimited, at(2_300)));
    }
}
