//! The end of a segment, and the pause after it: the queues drain, the other end reports, and all is quiet before the next one.

use anabranch_base::{Duration, Time};

use super::fill::{FillControl, FillEnd};
use super::measured::{self, MeasuredLane};
use super::running::Running;
use super::step::Step;
use super::{Conductor, State, programs};
use crate::error::ProbeError;
use crate::protocol::{Arrival, ArrivalsFrame, Done, Frame, Program};
use crate::traffic::SentFlight;

/// The pause after a segment.
#[derive(Clone, Debug)]
pub(super) struct Pausing {
    pub(super) step: Step,
    /// The segment that has ended.
    pub(super) segment: u16,
    /// The time that it took.
    pub(super) length: Duration,
    pub(super) fill: Option<FillControl>,
    pub(super) end: Option<FillEnd>,
    ours: Vec<SentFlight>,
    theirs: Vec<Program>,
    /// The arrivals at the other end, by lanes.
    there: Vec<Vec<Arrival>>,
    stage: Stage,
    pub(super) until: Time,
}

/// The stages of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The queues drain.
    Draining,
    /// The other end reports.
    Collecting,
    /// The report has passed, and its queues drain.
    Settling,
}

impl Pausing {
    /// The pause after a segment that ended at `now`.
    fn new(
        now: Time,
        running: Running,
        end: Option<FillEnd>,
        ours: Vec<SentFlight>,
        round_trip: Duration,
    ) -> Pausing {
        let drain = running.peak + running.peak / 2 + round_trip * 2 + PATIENCE;
        Pausing {
            step: running.step,
            segment: running.segment,
            length: now.since(running.began),
            fill: running.fill,
            end,
            there: vec![Vec::new(); ours.len()],
            ours,
            theirs: running.theirs,
            stage: Stage::Draining,
            until: now + drain.min(LONGEST_DRAIN),
        }
    }

    /// A part of the report arrived.
    pub(super) fn on_arrivals(&mut self, frame: ArrivalsFrame) -> Result<(), ProbeError> {
        let lane = usize::from(frame.lane);
        let is_asked = self.stage == Stage::Collecting && frame.segment == self.segment;
        let (Some(sent), Some(there)) = (self.ours.get(lane), self.there.get_mut(lane)) else {
            return Err(ProbeError::Impossible("arrivals on a lane that is not measured"));
        };
        if !is_asked {
            return Err(ProbeError::Impossible("arrivals of a segment that was not asked for"));
        }
        if frame.arrivals.iter().any(|arrival| arrival.number as usize >= sent.packets.len()) {
            return Err(ProbeError::Impossible("the arrival of a packet that was not sent"));
        }
        // A network may double packets.
        if there.len() + frame.arrivals.len() > 2 * sent.packets.len() + 1 {
            return Err(ProbeError::Impossible("more arrivals than packets"));
        }
        there.extend(frame.arrivals);
        Ok(())
    }

    /// The time at which a packet of the segment was sent.
    pub(super) fn sent_at(&self, lane: usize, number: usize) -> Option<Time> {
        self.ours.get(lane)?.packets.get(number).map(|sent| sent.at)
    }
}

impl Conductor {
    /// Ends the segment: a pause with small packets follows at once, in which the queues drain.
    pub(super) fn end_step(&mut self, now: Time, end: Option<FillEnd>) {
        let State::Running(running) = std::mem::replace(&mut self.state, State::Over) else { return };
        self.segment += 1;
        let small = programs::pause(&self.schedule, &self.known);
        self.say(&Frame::Run { segment: self.segment, programs: small.clone() });
        let sent = self.traffic.begin(now, self.segment, small);
        // Sizes are also tried that the system refuses.
        for flight in sent.iter().filter(|_| running.step != Step::Sizes) {
            let due = f64::from(flight.counts.packets) + f64::from(flight.counts.unsent);
            // A path that is down takes no packets at all.
            if due >= ENOUGH_FOR_SHARE && flight.counts.packets > 0 {
                let share = f64::from(flight.counts.packets) / due;
                self.least_sent_share = self.least_sent_share.min(share);
            }
        }
        let round_trip = self.known.longest_round_trip();
        self.state = State::Pausing(Box::new(Pausing::new(now, *running, end, sent, round_trip)));
    }

    /// A packet arrived in a pause, or its time is up: goes on if all delays are those at rest.
    pub(super) fn look_for_quiet(&mut self, now: Time) {
        let State::Pausing(pausing) = &self.state else { return };
        if pausing.stage != Stage::Collecting && self.is_quiet(now) {
            self.go_on(now);
        }
    }

    pub(super) fn on_pausing_timeout(&mut self, now: Time) {
        let State::Pausing(pausing) = &self.state else { return };
        match pausing.stage {
            _ if now < pausing.until => {}
            Stage::Collecting => self.no_answer("report of a segment", COLLECTING),
            Stage::Draining | Stage::Settling => self.go_on(now),
        }
    }

    fn go_on(&mut self, now: Time) {
        let State::Pausing(pausing) = &mut self.state else { return };
        if pausing.stage == Stage::Settling {
            return self.begin_next(now);
        }
        pausing.stage = Stage::Collecting;
        pausing.until = now + COLLECTING;
        let segment = pausing.segment;
        self.say(&Frame::Stop { segment });
    }

    /// The report of the segment is complete.
    pub(super) fn on_done(&mut self, now: Time, done: &Done) -> Result<(), ProbeError> {
        let State::Pausing(pausing) = &mut self.state else { return Ok(()) };
        if pausing.stage != Stage::Collecting || done.segment != pausing.segment {
            return Err(ProbeError::Impossible("the end of a segment that was not asked for"));
        }
        pausing.stage = Stage::Settling;
        pausing.until = now + self.known.longest_round_trip() * 2 + PATIENCE;
        let pausing = pausing.clone();
        let measured = self.measured(&pausing, done)?;
        self.learn(&pausing, &measured)
    }

    /// The lanes of a segment as both ends saw them.
    fn measured(&mut self, pausing: &Pausing, done: &Done) -> Result<Vec<MeasuredLane>, ProbeError> {
        let mut here = self.traffic.log.take(pausing.segment);
        let mut lanes = vec![MeasuredLane::default(); self.lanes.len()];
        for (lane, measured) in lanes.iter_mut().enumerate() {
            measured.forward = measured::ours(&pausing.ours[lane].packets, &pausing.there[lane]);
            let Some(program) = pausing.theirs.iter().find(|program| usize::from(program.lane) == lane)
            else {
                continue;
            };
            let told =
                done.sent.iter().find(|sent| usize::from(sent.lane) == lane).map_or(0, |sent| sent.packets);
            if told > program.packets() {
                return Err(ProbeError::Impossible("more packets than it was to send"));
            }
            let arrivals = here
                .iter_mut()
                .find(|(of, _)| usize::from(*of) == lane)
                .map(|(_, arrivals)| std::mem::take(arrivals));
            measured.reverse = measured::theirs(program, told, &arrivals.unwrap_or_default());
            self.their_bytes += measured.reverse.iter().map(|packet| packet.size).sum();
        }
        Ok(lanes)
    }

    /// Returns true if packets of the pause arrive on all lanes both ways, with delays as at rest.
    fn is_quiet(&self, now: Time) -> bool {
        let segment = self.traffic.segment();
        self.known.directions().into_iter().all(|(lane, is_forward)| {
            let rest = self.known.direction(lane, is_forward).rest_growth.unwrap_or(UNKNOWN_REST);
            let round_trip = self.known.lanes[lane].least_round_trip.unwrap_or(Duration::ZERO);
            let allowed = rest + LEAST_GROWTH.max(round_trip / 5);
            let view = self.view(now, lane, is_forward);
            view.is_some_and(|view| view.segment == segment && view.received >= FEW && view.growth <= allowed)
        })
    }
}

/// The time that a queue gets to drain in addition to what it held.
const PATIENCE: Duration = Duration::from_millis(400);
const LONGEST_DRAIN: Duration = Duration::from_secs(6);
/// The time in which the other end reports a segment.
const COLLECTING: Duration = Duration::from_secs(20);
/// The variation of a delay before it is known.
const UNKNOWN_REST: Duration = Duration::from_millis(10);
/// The least growth that is taken for a queue.
const LEAST_GROWTH: Duration = Duration::from_millis(3);
/// The fewest packets by which a lane is known to be quiet.
const FEW: u32 = 2;
/// The least due packets of a program of which the sent share says something.
const ENOUGH_FOR_SHARE: f64 = 50.0;
