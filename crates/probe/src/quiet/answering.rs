//! The server's end of a silence: it waits as long as the client asks, and then sends test packets on each path.

use std::collections::VecDeque;

use anabranch_base::{Duration, Machine, Time};

use super::{AFTER, BEFORE, LATE, LATE_SPEECH, LONGEST_SILENCE, SPEECH, programs};
use crate::error::ProbeError;
use crate::exchange::{Input, Output};
use crate::protocol::{Done, Frame, FrameError, LaneSent, Limits, decode, encode};
use crate::traffic::{IncomingTest, Traffic};

/// The server's end of a silence.
#[derive(Debug)]
pub struct Answering {
    limits: Limits,
    traffic: Traffic,
    state: State,
    /// The time at which the client is given up.
    end: Time,
    outputs: VecDeque<Output<()>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The client's first message is awaited.
    Greeting,
    /// Nothing is said.
    Silent { until: Time },
    /// The silence has ended.
    Late,
    /// The client has spoken again.
    Told,
    /// It has finished.
    Over,
}

impl Answering {
    /// A server with these limits, before the client's first message is handled.
    pub fn new(now: Time, limits: Limits) -> Answering {
        Answering {
            traffic: Traffic::new(limits.lanes, false),
            limits,
            state: State::Greeting,
            end: now + PATIENCE,
            outputs: VecDeque::new(),
        }
    }

    fn on_message(&mut self, now: Time, message: &[u8]) -> Result<(), ProbeError> {
        let frame = match decode(message) {
            // A client of a newer version gets the reason.
            Err(error @ FrameError::Version { .. }) => return Err(self.refuse(error.to_string())),
            frame => frame?,
        };
        match (frame, self.state) {
            (Frame::Quiet { seconds }, State::Greeting) => self.on_quiet(now, seconds),
            (Frame::Stop { segment: LATE }, State::Late) => {
                self.on_stop(now);
                Ok(())
            }
            (Frame::Bye, State::Silent { .. } | State::Late | State::Told) => {
                self.finish(Ok(()));
                Ok(())
            }
            (frame, _) => Err(ProbeError::Unexpected(frame.kind())),
        }
    }

    fn on_quiet(&mut self, now: Time, seconds: u8) -> Result<(), ProbeError> {
        let silence = Duration::from_secs(seconds.into());
        if silence.is_zero() || silence > LONGEST_SILENCE {
            let why = format!("a silence of {silence}: this end waits for 1 s to {LONGEST_SILENCE}");
            return Err(self.refuse(why));
        }
        self.say(&Frame::Welcome(self.limits));
        self.traffic.begin(now, BEFORE, programs(self.limits.lanes, SPEECH));
        let until = now + SPEECH.duration() + silence;
        self.state = State::Silent { until };
        self.end = until + LATE_SPEECH.duration() + PATIENCE;
        Ok(())
    }

    fn on_stop(&mut self, now: Time) {
        let flights = self.traffic.begin(now, AFTER, programs(self.limits.lanes, SPEECH));
        let sent: Vec<LaneSent> =
            flights.iter().map(|flight| flight.counts).filter(|sent| sent.packets > 0).collect();
        self.say(&Frame::Done(Done { segment: LATE, sent, missed: 0 }));
        self.state = State::Told;
    }

    fn on_test(&mut self, test: &IncomingTest) {
        let Some(body) = self.traffic.on_packet(test) else { return };
        self.traffic.log.take(u16::MAX);
        self.traffic.set_path(usize::from(body.lane), test.path);
    }

    fn say(&mut self, frame: &Frame) {
        self.outputs.push_back(Output::Message(encode(frame)));
    }

    fn refuse(&mut self, why: String) -> ProbeError {
        self.say(&Frame::Refused(why.clone()));
        ProbeError::RefusedHere(why)
    }

    fn finish(&mut self, result: Result<(), ProbeError>) {
        self.traffic.stop();
        self.state = State::Over;
        self.outputs.push_back(Output::Finished(result));
    }
}

impl Machine for Answering {
    type Input = Input;
    type Output = Output<()>;

    fn handle(&mut self, now: Time, input: Input) {
        if self.state == State::Over {
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
            State::Over => {}
            _ if now >= self.end => {
                self.finish(Err(ProbeError::NoAnswer { what: "message", within: PATIENCE }));
            }
            State::Silent { until } if now >= until => {
                self.traffic.begin(now, LATE, programs(self.limits.lanes, LATE_SPEECH));
                self.state = State::Late;
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Time) -> Option<Output<()>> {
        self.outputs.pop_front().or_else(|| self.traffic.poll(now).map(Output::Test))
    }

    fn poll_timeout(&self) -> Option<Time> {
        let next = match self.state {
            State::Over => return None,
            State::Silent { until } => until,
            _ => self.end,
        };
        Some(self.traffic.due().map_or(next, |due| due.min(next)))
    }
}

/// The time for which the client's next message is awaited.
const PATIENCE: Duration = Duration::from_secs(30);
