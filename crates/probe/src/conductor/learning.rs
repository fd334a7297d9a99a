//! Reads a segment: for the recording, and for the steps that follow.

use anabranch_base::{BitRate, Duration};
use anabranch_diagnose::recording::Purpose;

use super::Conductor;
use super::capacity;
use super::fill::{FillControl, FillEnd};
use super::knowledge::Losses;
use super::measured::{self, MeasuredLane};
use super::pausing::Pausing;
use super::step::{FillOf, Step, TRAIN};
use crate::error::ProbeError;

impl Conductor {
    /// Records the flights of a segment, and learns from them.
    pub(super) fn learn(&mut self, pausing: &Pausing, lanes: &[MeasuredLane]) -> Result<(), ProbeError> {
        self.record(&pausing.step, lanes);
        match pausing.step {
            Step::Sizes => return self.learn_sizes(lanes),
            Step::Rest => self.learn_rest(lanes),
            Step::Trains => self.learn_trains(lanes),
            Step::Fill(of) => self.learn_fill(of, pausing, lanes),
            Step::Chance { is_more, .. } => self.learn_chance(pausing, is_more, lanes),
            Step::Together { .. } => {}
        }
        Ok(())
    }

    fn record(&mut self, step: &Step, lanes: &[MeasuredLane]) {
        for (index, (lane, measured)) in self.lanes.iter_mut().zip(lanes).enumerate() {
            for is_forward in [true, false] {
                let Some(purpose) = purpose(step, index, is_forward) else { continue };
                let flights = if is_forward { &mut lane.forward } else { &mut lane.reverse };
                flights.extend(measured::flight(purpose, measured.direction(is_forward)));
            }
        }
    }

    fn learn_sizes(&mut self, lanes: &[MeasuredLane]) -> Result<(), ProbeError> {
        for (index, measured) in lanes.iter().enumerate() {
            self.lanes[index].sizes = measured.sizes(true);
            self.lanes[index].sizes_reverse = measured.sizes(false);
            for is_forward in [true, false] {
                let arrived = measured.sizes(is_forward).into_iter().filter(|size| size.arrived > 0);
                let largest = arrived.map(|tried| tried.size).max();
                match largest.and_then(|size| u16::try_from(size.get()).ok()) {
                    Some(largest) => self.known.direction_mut(index, is_forward).full_size = largest,
                    None => self.known.lanes[index].is_dead = true,
                }
            }
        }
        let known = &self.known;
        self.steps.retain(|step| step.fill().is_none_or(|fill| !known.lanes[fill.lane].is_dead));
        if self.known.live().is_empty() { Err(ProbeError::NothingCameBack) } else { Ok(()) }
    }

    fn learn_rest(&mut self, lanes: &[MeasuredLane]) {
        for (lane, is_forward) in self.known.directions() {
            let growth = measured::growth(lanes[lane].direction(is_forward), 0.95);
            self.known.direction_mut(lane, is_forward).rest_growth = growth;
        }
    }

    fn learn_trains(&mut self, lanes: &[MeasuredLane]) {
        for (lane, is_forward) in self.known.directions() {
            let arrivals = measured::arrivals(lanes[lane].direction(is_forward));
            let rate = capacity::of_trains(&arrivals, TRAIN.into());
            self.known.direction_mut(lane, is_forward).capacity = rate;
        }
    }

    fn learn_fill(&mut self, of: FillOf, pausing: &Pausing, lanes: &[MeasuredLane]) {
        let packets = lanes[of.lane].direction(of.is_forward);
        let peak = pausing.fill.as_ref().map_or(Duration::ZERO, FillControl::peak);
        let tail = capacity::of_tail(&measured::arrivals(packets), TAIL);
        let shared = self.others_that_grew(of, peak, lanes);
        let direction = self.known.direction_mut(of.lane, of.is_forward);
        let before = direction.capacity;
        let is_full = pausing.end == Some(FillEnd::Full) || peak > A_QUEUE;
        if is_full {
            direction.capacity = tail.or(before);
            direction.sharing = shared;
            return;
        }
        // The link had room: it carries at least this.
        direction.capacity = tail.max(before);
        let is_light = self.schedule.fill_packets.is_some();
        if of.attempt < MOST_RAISES && !is_light && self.least_sent_share > ENOUGH_SENT {
            let double =
                |rate: BitRate| BitRate::from_bits_per_second(rate.bits_per_second().saturating_mul(2));
            direction.capacity = direction.capacity.map(double);
            self.steps.push_front(Step::Fill(FillOf { attempt: of.attempt + 1, ..of }));
        }
    }

    /// The number of other lanes whose delay grew with that of the filled one.
    fn others_that_grew(&self, of: FillOf, peak: Duration, lanes: &[MeasuredLane]) -> u8 {
        let others = self.known.live().into_iter().filter(|lane| *lane != of.lane);
        let grew = others.filter(|lane| {
            let rest = self.known.direction(*lane, of.is_forward).rest_growth.unwrap_or(Duration::ZERO);
            let growth =
                measured::growth(lanes[*lane].direction(of.is_forward), 0.8).unwrap_or(Duration::ZERO);
            growth > rest * 2 + SHARED_GROWTH && growth > peak / 3
        });
        u8::try_from(grew.count()).unwrap_or(u8::MAX)
    }

    fn learn_chance(&mut self, pausing: &Pausing, is_more: bool, lanes: &[MeasuredLane]) {
        for (lane, is_forward) in self.known.directions() {
            let packets = lanes[lane].direction(is_forward);
            let direction = self.known.direction_mut(lane, is_forward);
            if !is_more || direction.losses.needs_more() {
                let arrived: Vec<bool> = packets.iter().map(|packet| packet.arrived.is_some()).collect();
                direction.losses.add(&arrived, pausing.length);
            }
        }
        if is_more {
            return;
        }
        let longest = self.schedule.longest_chance;
        let directions = self.known.directions().into_iter();
        let losses = directions.map(|(lane, is_forward)| self.known.direction(lane, is_forward).losses);
        let needed = losses.filter(Losses::needs_more).map(|losses| losses.time_needed());
        // Long runs that come rarely are not known in any time that a user waits.
        let length = needed.filter(|needed| *needed <= longest * 2).map(|needed| needed.min(longest)).max();
        if let Some(length) = length.filter(|length| !length.is_zero()) {
            self.steps.push_front(Step::Chance { length: length.max(SHORTEST_CHANCE), is_more: true });
        }
    }
}

/// The purpose of one direction of a lane in a step; `None` if it is not recorded.
fn purpose(step: &Step, lane: usize, is_forward: bool) -> Option<Purpose> {
    match step {
        Step::Sizes => None,
        Step::Rest => Some(Purpose::Rest),
        Step::Trains => Some(Purpose::Trains { length: TRAIN.into() }),
        Step::Fill(fill) if fill.lane == lane && fill.is_forward == is_forward => Some(Purpose::Fill),
        Step::Fill(fill) => Some(Purpose::Beside { filled: fill.lane, is_forward: fill.is_forward }),
        Step::Chance { .. } => Some(Purpose::Chance),
        Step::Together { is_forward: filled } => (*filled == is_forward).then_some(Purpose::Together),
    }
}

/// The end of a fill, in which the queue was full.
const TAIL: Duration = Duration::from_millis(500);
/// The growth above which a queue is surely there.
const A_QUEUE: Duration = Duration::from_millis(100);
/// The most times that a fill is repeated at twice the rate.
const MOST_RAISES: u8 = 2;
/// The share of due packets that are sent where a higher rate makes sense.
const ENOUGH_SENT: f64 = 0.8;
/// The growth of another lane's delay that is more than noise.
const SHARED_GROWTH: Duration = Duration::from_millis(3);
const SHORTEST_CHANCE: Duration = Duration::from_secs(1);
