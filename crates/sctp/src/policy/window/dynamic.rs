//! Window management by rank (M-CWM-2; WS §5.1): a better path takes room from a worse one.

use std::cmp::{Ordering, Reverse};

use anabranch_base::{ByteCount, Duration};

use super::shared::{Room, cut, is_filled, missing_for, sharing};
use super::{Grant, WindowLimit};
use crate::policy::{PathId, PathSample, View};

/// Grants growth in the order of the paths' ranks.
#[derive(Debug)]
pub struct Dynamic {
    bound: Bound,
}

/// The bound on windows besides the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Windows do not grow beyond what fills their path.
    Filled,
    /// Windows grow while there is room or a path of lower rank.
    None,
}

impl Dynamic {
    /// The rule with `bound`.
    pub fn new(bound: Bound) -> Dynamic {
        Dynamic { bound }
    }
}

impl WindowLimit for Dynamic {
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant {
        let ours = view.path(path);
        if self.bound == Bound::Filled && is_filled(ours) {
            return Grant::REFUSED;
        }
        let room = Room::of(view);
        let missing = missing_for(ours, wanted, room);
        if missing.is_zero() {
            return Grant::free(wanted);
        }
        let worse = |other: &&PathSample| by_rank(other, ours) == Ordering::Greater;
        let cuts = sharing(view).filter(worse).map(|other| (other, cut(other, missing, other.unit)));
        match cuts.filter(|(_, cut)| cut.frees >= missing).max_by(|one, other| by_rank(one.0, other.0)) {
            Some((victim, cut)) => Grant { by: wanted, taken: Some((victim.id, cut.by)) },
            None => Grant::REFUSED,
        }
    }

    fn room(&self, view: &View<'_>) -> ByteCount {
        view.receive_buffer
    }

    fn set_limits(&mut self, _limits: &[(PathId, ByteCount)]) {}
}

/// The better path first: the higher rate, then the lower delay, then the lower id.
fn by_rank(one: &PathSample, other: &PathSample) -> Ordering {
    let rank = |path: &PathSample| {
        let rate = path.hints.rate.or(path.bandwidth).unwrap_or_default();
        let delay = path.hints.round_trip.or(path.min_rtt).unwrap_or(Duration::MAX);
        (Reverse(rate), delay, path.id)
    };
    rank(one).cmp(&rank(other))
}

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;

    use super::*;
    use crate::policy::testing::{sample, view};

    /// Paths of 21 and 10 Mbit/s with windows of `windows` units, in a buffer of 20.
    fn grant(windows: [u64; 2], asks: usize) -> Grant {
        let paths = [0, 1].map(|index| {
            let mut path = sample(index);
            path.cwnd = path.unit * windows[index];
            path.hints.rate = Some(BitRate::from_mbps([21, 10][index]));
            path
        });
        let mut view = view(&paths);
        view.receive_buffer = paths[0].unit * 20;
        Dynamic::new(Bound::Filled).grant(PathId::from_index(asks), paths[0].unit, &view)
    }

    #[test]
    fn what_exceeds_the_buffer_is_made_good_before_another_window_grows() {
        // Packets became larger, so that two windows of nine units and a half take twenty.
        let mut paths = [0, 1].map(sample);
        paths.iter_mut().for_each(|path| path.cwnd = path.unit * 9 + path.unit / 2);
        let mut view = view(&paths);
        view.receive_buffer = paths[0].unit * 18;
        let unit = paths[0].unit;
        let taken = Dynamic::new(Bound::None).grant(PathId::FIRST, unit, &view).taken;
        assert_eq!(
            taken,
            Some((PathId::from_index(1), unit * 5 / 2)),
            "two for the excess and one for the growth"
        );
    }

    #[test]
    fn golden_g15_the_better_path_takes_from_the_worse_and_never_the_other_way() {
        let unit = ByteCount::new(1500);
        assert_eq!(grant([12, 8], 0), Grant { by: unit, taken: Some((PathId::from_index(1), unit)) });
        assert_eq!(grant([12, 8], 1), Grant::REFUSED);
    }

    #[test]
    fn while_there_is_room_no_window_shrinks() {
        let unit = ByteCount::new(1500);
        assert_eq!(grant([12, 7], 1), Grant::free(unit));
    }

    #[test]
    fn a_last_packet_is_not_taken() {
        assert_eq!(grant([19, 1], 0), Grant::REFUSED);
    }

    #[test]
    fn a_filled_path_stays_as_it_is_unless_it_may_pass_that() {
        let mut path = sample(0);
        path.hints.rate = Some(BitRate::from_mbps(12));
        path.hints.round_trip = Some(Duration::from_millis(3));
        path.cwnd = path.unit * 4;
        let (wanted, paths) = (path.unit, [path]);
        let view = view(&paths);
        assert_eq!(Dynamic::new(Bound::Filled).grant(PathId::FIRST, wanted, &view), Grant::REFUSED);
        assert_eq!(Dynamic::new(Bound::None).grant(PathId::FIRST, wanted, &view), Grant::free(wanted));
    }

    #[test]
    fn of_equal_rates_the_shorter_path_is_better_and_of_equal_paths_the_first() {
        let (mut one, mut other) = (sample(0), sample(1));
        assert_eq!(by_rank(&one, &other), Ordering::Less);
        (one.hints.round_trip, other.hints.round_trip) =
            (Some(Duration::from_millis(80)), Some(Duration::from_millis(40)));
        assert_eq!(by_rank(&one, &other), Ordering::Greater);
        (one.bandwidth, other.bandwidth) = (Some(BitRate::from_mbps(2)), Some(BitRate::from_mbps(1)));
        assert_eq!(by_rank(&one, &other), Ordering::Less);
    }
}
