//! Sums over the windows that share one buffer, and the window that fills a path. It knows no rule.

use anabranch_base::ByteCount;

use crate::policy::{PathSample, PathState, View};

/// The paths whose windows take room in the buffer. One that is inactive keeps the unit that its time-outs left it.
pub(super) fn sharing<'a>(view: &View<'a>) -> impl Iterator<Item = &'a PathSample> {
    view.paths.iter().filter(|sample| sample.state != PathState::Removed)
}

/// What the windows leave of the buffer.
pub(super) fn room_left(view: &View<'_>) -> ByteCount {
    let taken = sharing(view).map(|sample| sample.cwnd).sum();
    view.receive_buffer.saturating_sub(taken)
}

/// Whether the window of `path` is as large as the path, ⌈b d + 1⌉ packets (WS (58)). Never where nobody said what
/// the path carries: the rate of delivery says what the window let through, not what more would.
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
    use crate::policy::view::tests::sample;

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
