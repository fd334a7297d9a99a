//! Sums over the windows that share one buffer, and the window that fills a path.

use anabranch_base::ByteCount;

use crate::policy::{PathSample, PathState, View};

/// The paths whose windows take room in the buffer. An inactive path keeps the unit that its time-outs left.
pub(super) fn sharing<'a>(view: &View<'a>) -> impl Iterator<Item = &'a PathSample> {
    view.paths.iter().filter(|sample| sample.state != PathState::Removed)
}

/// The flight that a window of `cwnd` allows: the last packet may pass the window (RFC 9260 §6.1 B), unless it is
/// strict. The result is in whole packets, because packets that do not fit the buffer together would delay each other.
fn in_flight(path: &PathSample, cwnd: ByteCount) -> ByteCount {
    let unit = path.unit.get().max(1);
    let packets = if path.is_strict { cwnd.get() / unit } else { cwnd.get().div_ceil(unit) };
    path.unit * packets
}

/// The room for growth in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// The bytes that the windows leave.
    pub left: ByteCount,
    /// The bytes that the windows exceed the buffer by: packets became larger, and windows count in whole ones.
    pub overdraft: ByteCount,
}

impl Room {
    /// The room that the windows of `view` leave.
    pub(super) fn of(view: &View<'_>) -> Room {
        let taken: ByteCount = sharing(view).map(|path| in_flight(path, path.cwnd)).sum();
        let left = view.receive_buffer.saturating_sub(taken);
        Room { left, overdraft: taken.saturating_sub(view.receive_buffer) }
    }

    /// The room with `frees` more.
    pub(super) fn with(self, frees: ByteCount) -> Room {
        Room { left: self.left + frees, ..self }
    }
}

/// The part of the `wanted` growth that fits into `room`.
pub(super) fn growth_within(path: &PathSample, wanted: ByteCount, room: Room) -> ByteCount {
    let most = (in_flight(path, path.cwnd) + room.left).saturating_sub(room.overdraft);
    let packets = most.get() / path.unit.get().max(1);
    wanted.min((path.unit * packets).saturating_sub(path.cwnd))
}

/// The additional room that growth of `path` by `wanted` needs beyond `room`. An overdraft has to be repaid first.
pub(super) fn missing_for(path: &PathSample, wanted: ByteCount, room: Room) -> ByteCount {
    let grows = in_flight(path, path.cwnd + wanted).saturating_sub(in_flight(path, path.cwnd));
    (grows + room.overdraft).saturating_sub(room.left)
}

/// A window that shrinks for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShrinkingWindow {
    /// By how much it shrinks.
    pub by: ByteCount,
    /// The room that this makes in the buffer.
    pub frees: ByteCount,
}

/// The cut of `path` that makes room for `missing`, as far as its window is above `least`.
pub(super) fn cut(path: &PathSample, missing: ByteCount, least: ByteCount) -> ShrinkingWindow {
    let held = in_flight(path, path.cwnd);
    let packets = missing.get().div_ceil(path.unit.get().max(1));
    let left = held.saturating_sub(path.unit * packets).max(least).min(path.cwnd);
    ShrinkingWindow { by: path.cwnd - left, frees: held - in_flight(path, left) }
}

/// Returns true if the window of `path` fills the path, ⌈b d + 1⌉ packets (WS (58)). It is `false` without a configured rate:
/// the delivery rate shows what the current window carries, not what a larger one would carry.
pub(super) fn is_filled(path: &PathSample) -> bool {
    let Some((rate, delay)) = path.hints.rate.zip(path.hints.round_trip) else { return false };
    let in_flight = u128::from(rate.bits_per_second()) * u128::from(delay.as_nanos());
    let packets = in_flight.div_ceil(u128::from(path.mtu.get().max(1)) * 8 * 1_000_000_000) + 1;
    path.cwnd >= path.unit * u64::try_from(packets).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, Duration};

    use super::*;
    use crate::policy::Hints;
    use crate::policy::testing::sample;

    const fn bytes(count: u64) -> ByteCount {
        ByteCount::new(count)
    }

    #[test]
    fn a_window_of_a_fraction_takes_the_room_of_the_packet_that_passes_it() {
        let mut path = sample(0);
        path.cwnd = bytes(4_404);
        let paths = [path.clone(), path.clone()];
        let mut view = crate::policy::testing::view(&paths);
        view.receive_buffer = bytes(10_000);
        assert_eq!(Room::of(&view), Room { left: bytes(1_000), overdraft: ByteCount::ZERO });
        path.is_strict = true;
        assert_eq!(in_flight(&path, path.cwnd), bytes(3_000));
    }

    #[test]
    fn growth_within_the_last_packet_needs_no_room() {
        let mut path = sample(0);
        path.cwnd = bytes(4_000);
        let room = |left| Room { left: bytes(left), overdraft: ByteCount::ZERO };
        assert_eq!(missing_for(&path, bytes(500), room(0)), ByteCount::ZERO);
        assert_eq!(growth_within(&path, bytes(1_500), room(0)), bytes(500));
        assert_eq!(missing_for(&path, bytes(1_500), room(572)), bytes(928));
        assert_eq!(growth_within(&path, bytes(1_500), room(1_500)), bytes(1_500));
        let overdrawn = Room { left: ByteCount::ZERO, overdraft: bytes(1) };
        assert_eq!(missing_for(&path, bytes(500), overdrawn), bytes(1));
        assert_eq!(growth_within(&path, bytes(500), overdrawn), ByteCount::ZERO);
    }

    #[test]
    fn a_cut_frees_whole_packets_and_stops_at_the_least() {
        let mut path = sample(0);
        path.cwnd = bytes(6_200);
        assert_eq!(
            cut(&path, bytes(928), bytes(1_500)),
            ShrinkingWindow { by: bytes(200), frees: bytes(1_500) }
        );
        assert_eq!(
            cut(&path, bytes(9_000), bytes(3_000)),
            ShrinkingWindow { by: bytes(3_200), frees: bytes(4_500) }
        );
        assert_eq!(cut(&path, bytes(1), bytes(6_200)), ShrinkingWindow { by: bytes(0), frees: bytes(0) });
    }

    #[test]
    fn a_path_of_70_packets_is_filled_by_71() {
        let mut path = sample(0);
        path.hints.rate = Some(BitRate::from_mbps(21));
        path.hints.round_trip = Some(Duration::from_millis(40));
        path.cwnd = path.unit * 71 - ByteCount::new(1);
        assert!(!is_filled(&path));
        path.cwnd = path.unit * 71;
        assert!(is_filled(&path));
        path.hints = Hints::default();
        assert!(!is_filled(&path));
    }
}
