//! A running segment: the beginning, and the control of a fill.

use anabranch_base::{Duration, Time};

use super::fill::{FillControl, FillEnd};
use super::step::Step;
use super::{Conductor, State, programs};
use crate::protocol::{Frame, Program, TestBody};

/// A running segment.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub(super) step: Step,
    pub(super) segment: u16,
    pub(super) began: Time,
    /// The end, by which all packets have arrived.
    ends: Time,
    pub(super) fill: Option<FillControl>,
    pub(super) theirs: Vec<Program>,
    /// The largest growth of a delay.
    pub(super) peak: Duration,
    /// True if the user was told that a deep queue takes longer.
    has_told_depth: bool,
}

impl Running {
    /// The time of the next decision.
    pub(super) fn until(&self) -> Time {
        self.fill.as_ref().map_or(self.ends, |fill| fill.deadline().min(self.ends))
    }

    /// The time that is commonly left, with the draining of the queue.
    pub(super) fn left(&self, now: Time) -> Duration {
        match &self.fill {
            Some(fill) if fill.peak() > DEEP => Duration::from_secs(2) + fill.peak() * 2,
            Some(_) => self.ends.min(self.began + Duration::from_secs(2)).since(now),
            None => self.ends.since(now),
        }
    }
}

impl Conductor {
    /// Begins the segment of a step, unless the other end would not send that much.
    pub(super) fn begin_step(&mut self, now: Time, step: Step) {
        let plan =
            |is_forward| programs::programs(&step, is_forward, &self.schedule, &self.known, &self.limits);
        let (ours, theirs) = (plan(true), plan(false));
        if self.limits.check(&theirs, self.their_bytes).is_err() {
            return self.begin_next(now);
        }
        self.segment += 1;
        let segment = self.segment;
        let longest = ours.iter().chain(&theirs).map(Program::duration).max().unwrap_or(Duration::ZERO);
        let fill = step.fill().map(|_| FillControl::new(now));
        let filled = step.fill().and_then(|fill| {
            let programs = if fill.is_forward { &ours } else { &theirs };
            programs.iter().find(|program| usize::from(program.lane) == fill.lane).map(Program::duration)
        });
        let ends = now + filled.unwrap_or(longest) + self.known.longest_round_trip() + SLACK;
        self.say(&Frame::Run { segment, programs: theirs.clone() });
        self.traffic.begin(now, segment, ours);
        let peak = Duration::ZERO;
        let running = Running { step, segment, began: now, ends, fill, theirs, peak, has_told_depth: false };
        self.state = State::Running(Box::new(running));
        self.tell(now);
    }

    /// A packet arrived while a segment runs.
    pub(super) fn on_seen(&mut self, now: Time, body: &TestBody) {
        let lane = usize::from(body.lane);
        let (forward, reverse) = (self.view(now, lane, true), self.view(now, lane, false));
        let State::Running(running) = &mut self.state else { return };
        let views = [forward, reverse].into_iter().flatten().filter(|view| view.segment == running.segment);
        running.peak = views.map(|view| view.growth).fold(running.peak, Duration::max);
        let (Some(of), Some(control)) = (running.step.fill(), &mut running.fill) else { return };
        let view = if of.is_forward { forward } else { reverse };
        let Some(view) = view.filter(|view| lane == of.lane && view.segment == running.segment) else {
            return;
        };
        let passed = view.number.saturating_add(1);
        let end = control.on_seen(now, passed, view.received, view.growth);
        let is_deep = control.peak() > DEEP && !running.has_told_depth;
        running.has_told_depth |= is_deep;
        match end {
            Some(end) => self.end_step(now, Some(end)),
            None if is_deep => self.tell(now),
            None => {}
        }
    }

    pub(super) fn on_running_timeout(&mut self, now: Time) {
        let State::Running(running) = &self.state else { return };
        let end = running.fill.as_ref().and_then(|fill| fill.on_timeout(now));
        if end.is_some() || now >= running.ends {
            let end = end.or(running.fill.as_ref().map(|_| FillEnd::TimeUp));
            self.end_step(now, end);
        }
    }
}

/// The time in which packets that are late still count for their segment.
const SLACK: Duration = Duration::from_millis(60);
/// A growth of a deep queue, which takes longer to fill and to drain.
const DEEP: Duration = Duration::from_millis(400);
