//! The sending programs of each step, for one direction.

use anabranch_base::{BitRate, Duration};

use super::knowledge::Knowledge;
use super::step::{SIZE_GAP, SIZES, Schedule, Step, TOGETHER, TRAIN, TRAIN_SLOT};
use crate::protocol::{Limits, Program, Stage};

/// The programs of all live lanes from one end.
pub(super) fn programs(
    step: &Step,
    is_forward: bool,
    schedule: &Schedule,
    known: &Knowledge,
    limits: &Limits,
) -> Vec<Program> {
    let live = known.live();
    let count = live.len() as u64;
    let program = |(turn, lane): (u64, usize)| {
        let planner = Planner { lane, is_forward, schedule, known, limits };
        match step {
            Step::Sizes => planner.sizes(),
            Step::Rest => planner.small(schedule.rest, REST_GAP),
            Step::Trains => planner.trains(turn, count),
            Step::Fill(fill) if fill.lane == lane && fill.is_forward == is_forward => planner.fill(),
            Step::Fill(_) => planner.small(LONGEST, REST_GAP),
            Step::Chance { length, is_more } => planner.chance(*length, *is_more),
            Step::Together { is_forward: filled } if *filled == is_forward => planner.together(),
            Step::Together { .. } => planner.small(TOGETHER, REST_GAP),
        }
    };
    (0..).zip(live.iter().copied()).map(program).collect()
}

/// The programs of a pause: small packets.
pub(super) fn pause(schedule: &Schedule, known: &Knowledge) -> Vec<Program> {
    let limits = Limits::default();
    let small = |lane: &usize| {
        let planner = Planner { lane: *lane, is_forward: true, schedule, known, limits: &limits };
        planner.small(LONGEST, schedule.pause_gap)
    };
    known.live().iter().map(small).collect()
}

/// Plans the program of one lane in one direction.
struct Planner<'a> {
    lane: usize,
    is_forward: bool,
    schedule: &'a Schedule,
    known: &'a Knowledge,
    limits: &'a Limits,
}

impl Planner<'_> {
    fn sizes(&self) -> Program {
        let packets = self.schedule.size_rounds * SIZES.len() as u32;
        self.program(SIZES.to_vec(), 0, vec![stage(packets, 1, SIZE_GAP)])
    }

    fn small(&self, time: Duration, gap: Duration) -> Program {
        let packets = u32::try_from(time.as_nanos() / gap.as_nanos().max(1)).unwrap_or(u32::MAX).max(1);
        self.program(vec![self.small_size()], 0, vec![stage(packets, 1, gap)])
    }

    /// Trains of the lanes follow one another; those of the directions begin half a slot apart.
    fn trains(&self, turn: u64, lanes: u64) -> Program {
        let slot = TRAIN_SLOT.as_nanos() / 1_000;
        let after = slot * turn + if self.is_forward { 0 } else { slot / 2 };
        let packets = self.schedule.trains * u32::from(TRAIN);
        let stage = stage(packets, TRAIN, TRAIN_SLOT * lanes);
        self.program(vec![self.full_size()], u32::try_from(after).unwrap_or(u32::MAX), vec![stage])
    }

    fn fill(&self) -> Program {
        let rate = self.rate();
        let stages = match self.schedule.fill_packets {
            Some(packets) => vec![self.paced(scaled(rate, LIGHT_LOAD), None, packets)],
            None => vec![
                self.paced(scaled(rate, LOAD), Some(FIRST_STAGE), u32::MAX),
                self.paced(scaled(rate, SECOND_LOAD), Some(SECOND_STAGE), u32::MAX),
            ],
        };
        self.program(vec![self.full_size()], 0, stages)
    }

    fn together(&self) -> Program {
        let stage = self.paced(scaled(self.rate(), TOGETHER_LOAD), Some(TOGETHER), u32::MAX);
        self.program(vec![self.full_size()], 0, vec![stage])
    }

    fn chance(&self, length: Duration, is_more: bool) -> Program {
        let direction = self.known.direction(self.lane, self.is_forward);
        if is_more && !direction.losses.needs_more() {
            return self.small(length, REST_GAP);
        }
        let share = (0.9 / f64::from(direction.sharing + 1)).min(CHANCE_LOAD);
        let bits = f64::from(self.small_size()) * 8.0;
        let rate =
            (scaled(self.rate(), share).bits_per_second() as f64 / bits).clamp(LEAST_CHANCE, MOST_CHANCE);
        let gap = Duration::from_nanos((1e9 / rate) as u64);
        let packets = (length.as_secs_f64() * rate) as u32;
        let packets = packets.min(self.schedule.chance_packets).max(1);
        self.program(vec![self.small_size()], 0, vec![stage(packets, 1, gap)])
    }

    /// Packets of full size at `rate`, as far as the other end allows.
    fn paced(&self, rate: BitRate, time: Option<Duration>, most: u32) -> Stage {
        // A rate is computed from the gap again, so that rounding could exceed a limit that is met exactly.
        let limit = scaled(self.limits.rate, 0.99);
        let rate = rate.min(limit).max(LEAST_RATE);
        let bits = u64::from(self.full_size()) * 8 * 1_000_000_000;
        let gap = Duration::from_nanos((bits / rate.bits_per_second().max(1)).max(1_000));
        let packets =
            time.map_or(most, |time| u32::try_from(time.as_nanos() / gap.as_nanos()).unwrap_or(most));
        stage(packets.min(most).clamp(1, MOST_PACKETS), 1, gap)
    }

    fn rate(&self) -> BitRate {
        self.known.direction(self.lane, self.is_forward).capacity.unwrap_or(UNKNOWN_RATE)
    }

    fn full_size(&self) -> u16 {
        self.known.direction(self.lane, self.is_forward).full_size
    }

    fn small_size(&self) -> u16 {
        self.known.lanes[self.lane].least_size
    }

    fn program(&self, sizes: Vec<u16>, after_us: u32, stages: Vec<Stage>) -> Program {
        Program { lane: u8::try_from(self.lane).unwrap_or(u8::MAX), after_us, sizes, stages }
    }
}

fn stage(packets: u32, burst: u16, gap: Duration) -> Stage {
    Stage { packets, burst, gap_ns: gap.as_nanos() }
}

fn scaled(rate: BitRate, factor: f64) -> BitRate {
    BitRate::from_bits_per_second((rate.bits_per_second() as f64 * factor) as u64)
}

/// The distance of small packets.
pub(super) const REST_GAP: Duration = Duration::from_millis(20);
/// The load of the first stage of a fill: a queue grows by a quarter of the time.
const LOAD: f64 = 1.25;
const FIRST_STAGE: Duration = Duration::from_millis(1_200);
/// The load of the second, for deep queues, and capacities that were underestimated.
const SECOND_LOAD: f64 = 2.5;
const SECOND_STAGE: Duration = Duration::from_millis(4_800);
/// The load of the only stage of a light fill.
const LIGHT_LOAD: f64 = 1.5;
const TOGETHER_LOAD: f64 = 1.1;
/// The load of small packets below the knee.
const CHANCE_LOAD: f64 = 0.45;
/// The fewest and most small packets a second.
const LEAST_CHANCE: f64 = 50.0;
const MOST_CHANCE: f64 = 4_000.0;
/// The capacity that is tried first where trains show none.
const UNKNOWN_RATE: BitRate = BitRate::from_mbps(10);
/// The least rate of a fill.
const LEAST_RATE: BitRate = BitRate::from_bits_per_second(64_000);
/// The most packets of a stage.
const MOST_PACKETS: u32 = 400_000;
/// The longest segment and pause.
const LONGEST: Duration = Duration::from_secs(20);
