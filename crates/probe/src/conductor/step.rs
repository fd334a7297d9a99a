//! The steps of a measurement, and the time that each takes.

use anabranch_base::Duration;

use crate::progress::Phase;

/// A step: one segment of packets, and the pause after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Packets of all sizes over all lanes, both ways.
    Sizes,
    /// Small packets over all lanes, both ways.
    Rest,
    /// Trains over all lanes, one after another, both ways.
    Trains,
    /// One lane is filled in one direction.
    Fill(FillOf),
    /// Many small packets over all lanes, both ways; `length` is the time.
    Chance {
        /// The time.
        length: Duration,
        /// True if it continues a first one, on the lanes that lost packets.
        is_more: bool,
    },
    /// Every lane is filled in one direction.
    Together {
        /// True if it is from this end to the other.
        is_forward: bool,
    },
}

/// A fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FillOf {
    pub(super) lane: usize,
    pub(super) is_forward: bool,
    pub(super) attempt: u8,
}

/// The times and the amounts of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    pub(super) rest: Duration,
    /// The rounds of all sizes.
    pub(super) size_rounds: u32,
    pub(super) trains: u32,
    /// The most packets of a fill; `None` for as many as its time has.
    pub(super) fill_packets: Option<u32>,
    pub(super) chance: Duration,
    /// The most packets of a lane and direction for losses by chance.
    pub(super) chance_packets: u32,
    /// The time for which a rare loss is watched longer.
    pub(super) longest_chance: Duration,
    pub(super) has_together: bool,
    /// The distance of the small packets of pauses.
    pub(super) pause_gap: Duration,
}

impl Schedule {
    /// The whole measurement.
    pub(super) const FULL: Schedule = Schedule {
        rest: Duration::from_secs(4),
        size_rounds: 3,
        trains: 6,
        fill_packets: None,
        chance: Duration::from_secs(8),
        chance_packets: u32::MAX,
        longest_chance: Duration::from_secs(25),
        has_together: true,
        pause_gap: Duration::from_millis(20),
    };

    /// At most 2 MB a lane in both directions together.
    pub(super) const LIGHT: Schedule = Schedule {
        rest: Duration::from_secs(2),
        size_rounds: 1,
        trains: 3,
        fill_packets: Some(360),
        chance: Duration::from_secs(4),
        chance_packets: 1_000,
        longest_chance: Duration::ZERO,
        has_together: false,
        pause_gap: Duration::from_millis(20),
    };

    /// The steps for these lanes after [`Step::Sizes`], by which they are found.
    pub(super) fn steps(&self, lanes: &[usize]) -> Vec<Step> {
        let fill = |lane: &usize, is_forward| Step::Fill(FillOf { lane: *lane, is_forward, attempt: 0 });
        let mut steps = vec![Step::Rest, Step::Trains];
        steps.extend(lanes.iter().flat_map(|lane| [fill(lane, true), fill(lane, false)]));
        steps.push(Step::Chance { length: self.chance, is_more: false });
        if self.has_together && lanes.len() > 1 {
            steps.extend([Step::Together { is_forward: true }, Step::Together { is_forward: false }]);
        }
        steps
    }

    /// The time that a step commonly takes, its pause included.
    pub(super) fn estimate(&self, step: &Step, lanes: usize) -> Duration {
        let segment = match step {
            Step::Sizes => SIZE_GAP * (self.size_rounds * SIZES.len() as u32).into(),
            Step::Rest => self.rest,
            Step::Trains => TRAIN_SLOT * (u64::from(self.trains) * lanes as u64),
            Step::Fill(_) if self.fill_packets.is_some() => Duration::from_millis(700),
            Step::Fill(_) => Duration::from_millis(1_800),
            Step::Chance { length, .. } => *length,
            Step::Together { .. } => TOGETHER,
        };
        segment + PAUSE
    }
}

impl Step {
    /// The phase, for the user.
    pub(super) fn phase(&self) -> Phase {
        match self {
            Step::Sizes => Phase::Sizes,
            Step::Rest => Phase::Rest,
            Step::Trains => Phase::Trains,
            Step::Fill(_) => Phase::Fill,
            Step::Chance { .. } => Phase::Chance,
            Step::Together { .. } => Phase::Together,
        }
    }

    /// The fill, if the step is one.
    pub(super) fn fill(&self) -> Option<FillOf> {
        match self {
            Step::Fill(fill) => Some(*fill),
            _ => None,
        }
    }
}

/// The sizes of IP packets that are tried: the smallest MTUs of IP, those of tunnels, of PPPoE, and of Ethernet.
pub(super) const SIZES: [u16; 18] = [
    576, 1_000, 1_200, 1_280, 1_300, 1_340, 1_360, 1_380, 1_400, 1_420, 1_432, 1_440, 1_452, 1_460, 1_472,
    1_480, 1_492, 1_500,
];
/// The distance of packets of all sizes: 0.6 Mbit/s.
pub(super) const SIZE_GAP: Duration = Duration::from_micros(18_500);
/// The packets of a train.
pub(super) const TRAIN: u16 = 20;
/// The time of one train: as long as it takes at 1 Mbit/s.
pub(super) const TRAIN_SLOT: Duration = Duration::from_millis(250);
/// The time of filling all lanes together.
pub(super) const TOGETHER: Duration = Duration::from_millis(1_500);
/// The common time of a pause.
const PAUSE: Duration = Duration::from_millis(300);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_take_about_half_a_minute() {
        let time = |schedule: Schedule| {
            let steps = schedule.steps(&[0, 1]);
            let all = steps.iter().chain([&Step::Sizes]);
            all.fold(Duration::ZERO, |sum, step| sum + schedule.estimate(step, 2)).as_secs_f64()
        };
        let (full, light) = (time(Schedule::FULL), time(Schedule::LIGHT));
        assert!((26.0..33.0).contains(&full), "{full}");
        assert!((10.0..17.0).contains(&light), "{light}");
    }
}
