//! The server's end of a measurement: it executes sending programs within its limits, and reports arrivals.

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::{ByteCount, Duration, Machine, Time};
use anabranch_diagnose::recording::End;

use crate::arrival_log::LoggedArrival;
use crate::error::ProbeError;
use crate::exchange::{Input, Output};
use crate::protocol::{
    Arrival, ArrivalsFrame, Done, Frame, FrameError, LaneSent, Limits, MOST_ARRIVALS, Program, Report,
    decode, encode,
};
use crate::traffic::{IncomingTest, SentFlight, Traffic};

/// The server's end of a measurement.
#[derive(Debug)]
pub struct Responder {
    limits: Limits,
    traffic: Traffic,
    began: Time,
    heard: Time,
    is_greeted: bool,
    /// True once the client has asked for the report of this end, which is made once.
    is_reported: bool,
    messages: u32,
    /// The bytes of the programs so far: of the current one all, of those before as many as were sent.
    used_bytes: ByteCount,
    current: Vec<Program>,
    /// The counts of the segments that ended and were not reported.
    ended: BTreeMap<u16, Vec<LaneSent>>,
    least_sent_share: f64,
    outputs: VecDeque<Output<()>>,
    is_over: bool,
}

impl Responder {
    /// A server with these limits, before the client's first message is handled.
    pub fn new(now: Time, limits: Limits) -> Responder {
        Responder {
            traffic: Traffic::new(limits.lanes, false),
            limits,
            began: now,
            heard: now,
            is_greeted: false,
            is_reported: false,
            messages: 0,
            used_bytes: ByteCount::ZERO,
            current: Vec::new(),
            ended: BTreeMap::new(),
            least_sent_share: 1.0,
            outputs: VecDeque::new(),
            is_over: false,
        }
    }

    fn on_message(&mut self, now: Time, message: &[u8]) -> Result<(), ProbeError> {
        self.messages += 1;
        if self.messages > MOST_MESSAGES {
            return Err(ProbeError::Impossible("more messages than a measurement has"));
        }
        let frame = match decode(message) {
            // A client of a newer version gets the reason.
            Err(error @ FrameError::Version { .. }) => return Err(self.refuse(error.to_string())),
            frame => frame?,
        };
        match frame {
            Frame::Hello if !self.is_greeted => {
                self.is_greeted = true;
                self.say(&Frame::Welcome(self.limits));
            }
            Frame::Run { segment, programs } if self.is_greeted => {
                return self.on_run(now, segment, programs);
            }
            Frame::Stop { segment } if self.is_greeted => self.on_stop(now, segment)?,
            Frame::End(_) if self.is_greeted && !self.is_reported => {
                self.is_reported = true;
                self.outputs.push_back(Output::WantFacts { paths: self.traffic.paths() });
            }
            Frame::Bye if self.is_greeted => self.finish(Ok(())),
            frame => return Err(ProbeError::Unexpected(frame.kind())),
        }
        Ok(())
    }

    fn on_run(&mut self, now: Time, segment: u16, programs: Vec<Program>) -> Result<(), ProbeError> {
        if segment <= self.traffic.segment() {
            return Err(ProbeError::Impossible("a segment that begins after a later one"));
        }
        self.end_segment(now, segment);
        if let Err(why) = self.limits.check(&programs, self.used_bytes) {
            return Err(self.refuse(why));
        }
        self.used_bytes += programs.iter().map(Program::bytes).sum();
        self.current.clone_from(&programs);
        self.traffic.begin(now, segment, programs);
        Ok(())
    }

    fn on_stop(&mut self, now: Time, segment: u16) -> Result<(), ProbeError> {
        if segment == self.traffic.segment() {
            let counts = self.end_segment(now, segment);
            self.ended.insert(segment, counts);
        }
        let sent =
            self.ended.remove(&segment).ok_or(ProbeError::Impossible("a segment that was not begun"))?;
        self.ended = self.ended.split_off(&segment);
        for (lane, arrivals) in self.traffic.log.take(segment) {
            for part in arrivals.chunks(MOST_ARRIVALS) {
                let told = |arrival: &LoggedArrival| Arrival { number: arrival.number, at: arrival.at };
                let arrivals = part.iter().map(told).collect();
                self.say(&Frame::Arrivals(ArrivalsFrame { segment, lane, arrivals }));
            }
        }
        let missed = self.traffic.log.take_missed();
        self.say(&Frame::Done(Done { segment, sent, missed }));
        Ok(())
    }

    /// Ends the programs of the current segment; returns its counts. Segment `next` begins, without programs.
    fn end_segment(&mut self, now: Time, next: u16) -> Vec<LaneSent> {
        let before = self.traffic.segment();
        let flights = self.traffic.begin(now, next, Vec::new());
        let counts: Vec<LaneSent> = flights.iter().map(|flight: &SentFlight| flight.counts).collect();
        for program in std::mem::take(&mut self.current) {
            let Some(sent) = counts.get(usize::from(program.lane)) else { continue };
            let unsent = u64::from(program.packets().saturating_sub(sent.packets));
            let each = program.bytes().get() / u64::from(program.packets().max(1));
            self.used_bytes = self.used_bytes.saturating_sub(ByteCount::new(unsent * each));
            // Sizes are also tried that the system refuses.
            if program.sizes.len() == 1 {
                self.note_share(*sent);
            }
        }
        let counts: Vec<LaneSent> =
            counts.into_iter().filter(|sent| sent.packets > 0 || sent.unsent > 0).collect();
        if next > before && self.ended.len() < MOST_UNREPORTED {
            self.ended.insert(before, counts.clone());
        }
        counts
    }

    fn note_share(&mut self, sent: LaneSent) {
        let due = f64::from(sent.packets) + f64::from(sent.unsent);
        // A path that is down, or not known yet, takes no packets at all.
        if due >= ENOUGH_FOR_SHARE && sent.packets > 0 {
            self.least_sent_share = self.least_sent_share.min(f64::from(sent.packets) / due);
        }
    }

    fn on_test(&mut self, test: &IncomingTest) {
        let Some(body) = self.traffic.on_packet(test) else { return };
        self.heard = self.heard.max(test.at);
        self.traffic.set_path(usize::from(body.lane), test.path);
        // The client has gone on: its RUN may still be on the way, behind the queue of a fill.
        if body.segment > self.traffic.segment() {
            self.traffic.stop();
        }
    }

    fn on_facts(&mut self, facts: &End) {
        let end = End { least_sent_share: self.least_sent_share, ..facts.clone() };
        self.say(&Frame::End(Report::from(&end)));
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
        self.is_over = true;
        self.outputs.push_back(Output::Finished(result));
    }
}

impl Machine for Responder {
    type Input = Input;
    type Output = Output<()>;

    fn handle(&mut self, now: Time, input: Input) {
        if self.is_over {
            return;
        }
        match input {
            Input::Message(message) => {
                self.heard = now;
                if let Err(error) = self.on_message(now, &message) {
                    self.finish(Err(error));
                }
            }
            Input::Test(test) => self.on_test(&test),
            Input::Refused { lane } => self.traffic.on_refused(lane),
            Input::Facts(facts) => self.on_facts(&facts),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.is_over {
            return;
        }
        if now >= self.began + self.limits.duration {
            self.finish(Err(ProbeError::TooLong(self.limits.duration)));
        } else if now >= self.heard + SILENCE {
            self.finish(Err(ProbeError::NoAnswer { what: "message", within: SILENCE }));
        }
    }

    fn poll(&mut self, now: Time) -> Option<Output<()>> {
        self.outputs.pop_front().or_else(|| self.traffic.poll(now).map(Output::Test))
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.is_over {
            return None;
        }
        let end = (self.began + self.limits.duration).min(self.heard + SILENCE);
        Some(self.traffic.due().map_or(end, |due| due.min(end)))
    }
}

/// The time without a word of the client after which it is given up.
const SILENCE: Duration = Duration::from_secs(30);
/// The most messages of a client.
const MOST_MESSAGES: u32 = 2_000;
/// The most segments that wait for their report.
const MOST_UNREPORTED: usize = 64;
/// The least due packets of a program of which the sent share says something.
const ENOUGH_FOR_SHARE: f64 = 50.0;
