//! The knowledge of the lanes so far, as far as the next steps need it.

use anabranch_base::{BitRate, Duration};

/// The lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    pub(super) lanes: Vec<LaneKnowledge>,
}

/// One lane.
#[derive(Clone, Debug)]
pub(super) struct LaneKnowledge {
    /// The size of the smallest IP packet.
    pub(super) least_size: u16,
    /// True if nothing came back.
    pub(super) is_dead: bool,
    pub(super) least_round_trip: Option<Duration>,
    pub(super) forward: Direction,
    pub(super) reverse: Direction,
}

/// One direction of a lane.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    /// The capacity, once trains or a fill showed it.
    pub(super) capacity: Option<BitRate>,
    /// The size of the largest IP packet that arrived.
    pub(super) full_size: u16,
    /// The growth of the delay at rest that is not exceeded in 19 of 20 cases.
    pub(super) rest_growth: Option<Duration>,
    /// The other lanes whose delay grew while this one was filled.
    pub(super) sharing: u8,
    pub(super) losses: Losses,
}

/// The losses by chance so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Losses {
    pub(super) sent: u64,
    pub(super) lost: u64,
    /// The runs of consecutive losses.
    pub(super) runs: u64,
    /// The time of the packets.
    pub(super) time: Duration,
}

impl Knowledge {
    /// Nothing but the smallest sizes.
    pub(super) fn new(least_sizes: impl IntoIterator<Item = u16>) -> Knowledge {
        Knowledge { lanes: least_sizes.into_iter().map(LaneKnowledge::new).collect() }
    }

    /// The lanes that are not dead.
    pub(super) fn live(&self) -> Vec<usize> {
        (0..self.lanes.len()).filter(|lane| !self.lanes[*lane].is_dead).collect()
    }

    /// One direction of a lane.
    pub(super) fn direction(&self, lane: usize, is_forward: bool) -> &Direction {
        let lane = &self.lanes[lane];
        if is_forward { &lane.forward } else { &lane.reverse }
    }

    /// One direction of a lane, to change it.
    pub(super) fn direction_mut(&mut self, lane: usize, is_forward: bool) -> &mut Direction {
        let lane = &mut self.lanes[lane];
        if is_forward { &mut lane.forward } else { &mut lane.reverse }
    }

    /// Both directions of all live lanes.
    pub(super) fn directions(&self) -> Vec<(usize, bool)> {
        self.live().into_iter().flat_map(|lane| [(lane, true), (lane, false)]).collect()
    }

    /// The longest of the least round trips.
    pub(super) fn longest_round_trip(&self) -> Duration {
        let known = self.live().into_iter().filter_map(|lane| self.lanes[lane].least_round_trip).max();
        known.unwrap_or(UNKNOWN_ROUND_TRIP)
    }
}

impl LaneKnowledge {
    fn new(least_size: u16) -> LaneKnowledge {
        LaneKnowledge {
            least_size,
            is_dead: false,
            least_round_trip: None,
            forward: Direction::default(),
            reverse: Direction::default(),
        }
    }
}

impl Default for Direction {
    fn default() -> Direction {
        Direction {
            capacity: None,
            full_size: 1_200,
            rest_growth: None,
            sharing: 0,
            losses: Losses::default(),
        }
    }
}

impl Losses {
    /// Adds a flight in which the packets `arrived`, in the order of their numbers.
    pub(super) fn add(&mut self, arrived: &[bool], time: Duration) {
        self.sent += arrived.len() as u64;
        self.lost += arrived.iter().filter(|arrived| !**arrived).count() as u64;
        self.runs += arrived.chunk_by(|a, b| a == b).filter(|run| !run[0]).count() as u64;
        self.time += time;
    }

    /// Returns true if there is a loss whose share is not known well enough.
    pub(super) fn needs_more(&self) -> bool {
        self.runs < self.runs_needed() && self.lost as f64 >= LEAST_SHARE * self.sent as f64 && self.lost > 2
    }

    /// The further time after which the share would be known well enough.
    pub(super) fn time_needed(&self) -> Duration {
        let missing = self.runs_needed().saturating_sub(self.runs);
        self.time * missing / self.runs.max(1)
    }

    /// The runs after which the 95 % interval of the share is half of it wide. Independent runs of geometric length have
    /// the relative variance (2 − 1/m)/n, if the mean length is m: 1.96² · (2 − 1/m)/n ≤ 0.25².
    fn runs_needed(&self) -> u64 {
        let inverse_length = self.runs as f64 / self.lost.max(1) as f64;
        (1.96 * 1.96 * (2.0 - inverse_length.min(1.0)) / (0.25 * 0.25) * MARGIN) as u64
    }
}

const UNKNOWN_ROUND_TRIP: Duration = Duration::from_millis(300);
/// Below this share a loss does not matter.
const LEAST_SHARE: f64 = 0.003;
/// Exact intervals are a little wider than normal ones.
const MARGIN: f64 = 1.1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_watched_until_its_interval_is_half_of_it_wide() {
        let mut losses = Losses::default();
        let single: Vec<bool> = (0..2_000).map(|n| n % 100 != 7).collect();
        losses.add(&single, Duration::from_secs(8));
        assert_eq!((losses.lost, losses.runs), (20, 20));
        assert!(losses.needs_more());
        // 67 runs are needed: 47 more, at 20 in 8 s.
        assert_eq!(losses.time_needed(), Duration::from_millis(18_800));
        (0..3).for_each(|_| losses.add(&single, Duration::from_secs(8)));
        assert!(!losses.needs_more());
    }

    #[test]
    fn losses_in_runs_need_more_runs_and_rare_ones_none() {
        let mut losses = Losses::default();
        let runs: Vec<bool> = (0..7_000).map(|n| n % 100 >= 5).collect();
        losses.add(&runs, Duration::from_secs(1));
        assert_eq!((losses.lost, losses.runs), (350, 70));
        assert!(losses.needs_more());
        let rare = Losses { sent: 10_000, lost: 29, runs: 29, time: Duration::from_secs(8) };
        assert!(!rare.needs_more());
    }
}
