//! The client's end of a silence: it counts the other end's test packets before and after it.

use std::collections::VecDeque;

use anabranch_base::{Duration, Machine, Time};
use anabranch_net::PathId;
use bytes::Bytes;

use super::{AFTER, BEFORE, LATE, LATE_SPEECH, LONGEST_SILENCE, QUESTION, SPEECH, programs};
use crate::error::ProbeError;
use crate::exchange::{Input, Output};
use crate::protocol::{Done, Frame, decode, encode};
use crate::traffic::{IncomingTest, Traffic};

/// The client's end of a silence.
#[derive(Debug)]
pub struct Asking {
    lanes: Vec<Lane>,
    traffic: Traffic,
    silence: Duration,
    state: State,
    outputs: VecDeque<Output<Vec<LaneHeard>>>,
}

#[derive(Clone, Debug)]
struct Lane {
    path: PathId,
    heard: LaneHeard,
}

/// The test packets of the other end on one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneHeard {
    /// Those that arrived before the silence.
    pub before: u32,
    /// Those that were sent after it, if the other end was asked.
    pub late_sent: u32,
    /// Those that arrived after it.
    pub late: u32,
    /// Those that arrived once this end had spoken again.
    pub after: u32,
}

#[derive(Debug)]
enum State {
    /// QUIET was sent.
    Greeting { until: Time },
    /// Nothing is said.
    Silent { until: Time },
    /// STOP was sent.
    Speaking { until: Time, is_told: bool },
    /// It has finished.
    Over,
}

impl LaneHeard {
    /// True if the path was forgotten; `None` where that cannot be told, because it carried nothing before, or nothing
    /// afterwards either.
    pub fn is_forgotten(&self) -> Option<bool> {
        match self {
            LaneHeard { before: 0, .. } => None,
            LaneHeard { late: 1.., .. } => Some(false),
            LaneHeard { late_sent: FEWEST_SENT.., after: 1.., .. } => Some(true),
            _ => None,
        }
    }
}

impl Asking {
    /// A silence on these paths, which begins when the other end agrees: of whole seconds, at most 60.
    pub fn new(now: Time, paths: &[PathId], silence: Duration) -> Asking {
        let silence = silence.min(LONGEST_SILENCE);
        let mut asking = Asking {
            lanes: Vec::new(),
            traffic: Traffic::new(0, false),
            silence,
            state: State::Greeting { until: now + ANSWER },
            outputs: VecDeque::new(),
        };
        asking.lanes = paths.iter().map(|path| Lane { path: *path, heard: LaneHeard::default() }).collect();
        if paths.is_empty() {
            asking.finish(Err(ProbeError::NoPath));
        } else {
            let seconds = u8::try_from(silence.as_millis() / 1_000).unwrap_or(u8::MAX);
            asking.say(&Frame::Quiet { seconds });
        }
        asking
    }

    fn on_message(&mut self, now: Time, message: &Bytes) -> Result<(), ProbeError> {
        match (decode(message)?, &mut self.state) {
            (Frame::Refused(why), _) => return Err(ProbeError::Refused(why)),
            (Frame::Welcome(limits), State::Greeting { .. }) => self.begin(now, limits.lanes),
            (Frame::Done(done), State::Speaking { is_told: is_told @ false, .. }) => {
                *is_told = true;
                self.on_done(&done);
                self.end_if_known();
            }
            (frame, _) => return Err(ProbeError::Unexpected(frame.kind())),
        }
        Ok(())
    }

    /// Speaks over each path for a moment, and is silent then.
    fn begin(&mut self, now: Time, most_lanes: u8) {
        self.lanes.truncate(most_lanes.into());
        self.traffic = Traffic::new(self.count(), false);
        (0..).zip(&self.lanes).for_each(|(index, lane)| self.traffic.set_path(index, lane.path));
        self.traffic.begin(now, BEFORE, programs(self.count(), QUESTION));
        let until = now + SPEECH.duration() + self.silence + LATE_SPEECH.duration() + QUEUES;
        self.state = State::Silent { until };
    }

    fn on_done(&mut self, done: &Done) {
        for sent in done.sent.iter().filter(|_| done.segment == LATE) {
            if let Some(lane) = self.lanes.get_mut(usize::from(sent.lane)) {
                lane.heard.late_sent = sent.packets;
            }
        }
    }

    fn on_test(&mut self, test: &IncomingTest) {
        let Some(body) = self.traffic.on_packet(test) else { return };
        // Counts are enough.
        self.traffic.log.take(u16::MAX);
        let lane = self.lanes.get_mut(usize::from(body.lane)).filter(|lane| lane.path == test.path);
        let Some(Lane { heard, .. }) = lane else { return };
        let count = match body.segment {
            BEFORE => &mut heard.before,
            LATE if matches!(self.state, State::Silent { .. }) => &mut heard.late,
            AFTER => &mut heard.after,
            _ => return,
        };
        *count = count.saturating_add(1);
        self.end_if_known();
    }

    /// Finishes as soon as later packets would change nothing.
    fn end_if_known(&mut self) {
        let is_known = match &self.state {
            State::Silent { .. } => self.lanes.iter().all(|lane| lane.heard.late > 0),
            State::Speaking { is_told, .. } => {
                *is_told && self.suspects().all(|lane| lane.heard.is_forgotten().is_some())
            }
            _ => false,
        };
        if is_known {
            self.end();
        }
    }

    /// The paths that carried something before the silence, and nothing after it.
    fn suspects(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().filter(|lane| lane.heard.before > 0 && lane.heard.late == 0)
    }

    fn speak(&mut self, now: Time) {
        if self.suspects().next().is_none() {
            return self.end();
        }
        self.say(&Frame::Stop { segment: LATE });
        self.traffic.begin(now, AFTER, programs(self.count(), QUESTION));
        self.state = State::Speaking { until: now + ANSWER, is_told: false };
    }

    fn end(&mut self) {
        self.say(&Frame::Bye);
        let heard = self.lanes.iter().map(|lane| lane.heard).collect();
        self.finish(Ok(heard));
    }

    fn count(&self) -> u8 {
        u8::try_from(self.lanes.len()).unwrap_or(u8::MAX)
    }

    fn say(&mut self, frame: &Frame) {
        self.outputs.push_back(Output::Message(encode(frame)));
    }

    fn finish(&mut self, result: Result<Vec<LaneHeard>, ProbeError>) {
        self.traffic.stop();
        self.state = State::Over;
        self.outputs.push_back(Output::Finished(result));
    }
}

impl Machine for Asking {
    type Input = Input;
    type Output = Output<Vec<LaneHeard>>;

    fn handle(&mut self, now: Time, input: Input) {
        if matches!(self.state, State::Over) {
            return;
        }
        match input {
            Input::Message(message) => {
                if let Err(error) = self.on_message(now, &message) {
                    self.finish(Err(error));
                }
            }
            Input::Test(test) => self.on_test(&test),
            Input::Refused { lane } => self.traffic.on_refused(lane),
            Input::Facts(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        match self.state {
            State::Greeting { until } if now >= until => {
                self.finish(Err(ProbeError::NoAnswer { what: "answer", within: ANSWER }));
            }
            State::Silent { until } if now >= until => self.speak(now),
            State::Speaking { until, is_told: true } if now >= until => self.end(),
            State::Speaking { until, is_told: false } if now >= until => {
                self.finish(Err(ProbeError::NoAnswer { what: "report", within: ANSWER }));
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Time) -> Option<Output<Vec<LaneHeard>>> {
        self.outputs.pop_front().or_else(|| self.traffic.poll(now).map(Output::Test))
    }

    fn poll_timeout(&self) -> Option<Time> {
        let until = match self.state {
            State::Over => return None,
            State::Greeting { until } | State::Silent { until } | State::Speaking { until, .. } => until,
        };
        Some(self.traffic.due().map_or(until, |due| due.min(until)))
    }
}

/// The time in which the other end answers.
const ANSWER: Duration = Duration::from_secs(10);
/// The time that late packets may wait in queues.
const QUEUES: Duration = Duration::from_secs(4);
/// The least late packets of a path that must have been sent.
const FEWEST_SENT: u32 = 10;
