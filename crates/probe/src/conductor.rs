//! The client's end of a measurement: it plans the steps, decides by what it sees, and makes the recording.

mod capacity;
mod clock;
mod fill;
mod knowledge;
mod learning;
mod measured;
mod pausing;
mod programs;
mod round_trips;
mod running;
mod step;

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration, Machine, Time};
use anabranch_diagnose::recording::{End, Lane, Recording};
use anabranch_net::PathId;
use bytes::Bytes;

use crate::error::ProbeError;
use crate::exchange::{Input, Output};
use crate::progress::{Phase, Progress};
use crate::protocol::{Echo, Frame, Limits, Report, decode, encode};
use crate::traffic::{IncomingTest, Traffic};
use clock::Estimate;
use knowledge::Knowledge;
use pausing::Pausing;
use round_trips::RoundTrips;
use running::Running;
use step::{Schedule, Step};

/// A path that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneFacts {
    /// The path.
    pub path: PathId,
    /// The name.
    pub name: String,
    /// The address here.
    pub local: String,
    /// The address of the other end.
    pub remote: String,
    /// The local interface that has the address.
    pub interface: Option<String>,
    /// The MTU that the transport uses, as an IP packet.
    pub mtu: ByteCount,
    /// The size of the smallest IP packet with a test body.
    pub least_size: u16,
}

/// The client's end of a measurement.
#[derive(Debug)]
pub struct Conductor {
    lanes: Vec<Lane>,
    schedule: Schedule,
    limits: Limits,
    traffic: Traffic,
    known: Knowledge,
    /// The latest echo of each lane: what the other end has seen of the forward direction.
    echoes: Vec<Option<Echo>>,
    round_trips: Vec<RoundTrips>,
    steps: VecDeque<Step>,
    state: State,
    /// The number of the latest segment.
    segment: u16,
    estimate: Estimate,
    /// The bytes that the other end sent.
    their_bytes: ByteCount,
    least_sent_share: f64,
    here: End,
    outputs: VecDeque<Output<Recording>>,
}

/// The state of a measurement.
#[derive(Debug)]
enum State {
    /// HELLO was sent.
    Greeting { until: Time },
    /// A segment runs.
    Running(Box<Running>),
    /// The pause after a segment, in which it is reported.
    Pausing(Box<Pausing>),
    /// The reports of the ends are exchanged.
    Ending { until: Time },
    /// It has finished.
    Over,
}

impl Conductor {
    /// A measurement of these paths, which begins at `now`.
    pub fn new(now: Time, lanes: &[LaneFacts], is_light: bool) -> Conductor {
        let lanes = &lanes[..lanes.len().min(usize::from(u8::MAX))];
        let count = u8::try_from(lanes.len()).unwrap_or(u8::MAX);
        let mut traffic = Traffic::new(count, true);
        (0..).zip(lanes).for_each(|(index, lane)| traffic.set_path(index, lane.path));
        let mut conductor = Conductor {
            lanes: lanes.iter().map(lane_of).collect(),
            schedule: if is_light { Schedule::LIGHT } else { Schedule::FULL },
            limits: Limits::default(),
            traffic,
            known: Knowledge::new(lanes.iter().map(|lane| lane.least_size)),
            echoes: vec![None; lanes.len()],
            round_trips: vec![RoundTrips::default(); lanes.len()],
            steps: VecDeque::new(),
            state: State::Greeting { until: now + ANSWER },
            segment: 0,
            estimate: Estimate::new(now),
            their_bytes: ByteCount::ZERO,
            least_sent_share: 1.0,
            here: End::default(),
            outputs: VecDeque::new(),
        };
        if lanes.is_empty() {
            conductor.finish(Err(ProbeError::NoPath));
        } else {
            conductor.say(&Frame::Hello);
        }
        conductor
    }

    fn on_message(&mut self, now: Time, message: &Bytes) -> Result<(), ProbeError> {
        let frame = decode(message)?;
        match (frame, &mut self.state) {
            (Frame::Refused(why), _) => Err(ProbeError::Refused(why)),
            (Frame::Welcome(limits), State::Greeting { .. }) => {
                self.on_welcome(now, limits);
                Ok(())
            }
            (Frame::Arrivals(arrivals), State::Pausing(pausing)) => pausing.on_arrivals(arrivals),
            (Frame::Done(done), State::Pausing(_)) => self.on_done(now, &done),
            (Frame::End(report), State::Ending { .. }) => {
                self.on_end(report);
                Ok(())
            }
            (Frame::Hello, _) => Err(ProbeError::BothMeasure),
            (frame, _) => Err(ProbeError::Unexpected(frame.kind())),
        }
    }

    fn on_welcome(&mut self, now: Time, limits: Limits) {
        self.limits = limits;
        let most = usize::from(limits.lanes);
        self.lanes.truncate(most);
        self.known.lanes.truncate(most);
        if self.lanes.is_empty() {
            return self.finish(Err(ProbeError::Refused("it measures no paths".to_owned())));
        }
        self.steps.push_back(Step::Sizes);
        self.steps.extend(self.schedule.steps(&self.known.live()));
        self.begin_next(now);
    }

    /// Begins the next step, or the end.
    fn begin_next(&mut self, now: Time) {
        if self.estimate.elapsed(now) > ENOUGH {
            self.steps.clear();
        }
        match self.steps.pop_front() {
            Some(step) => self.begin_step(now, step),
            None => {
                self.state = State::Ending { until: now + ANSWER };
                self.tell(now);
                let mut paths = self.traffic.paths();
                paths.truncate(self.lanes.len());
                self.outputs.push_back(Output::WantFacts { paths });
            }
        }
    }

    fn on_test(&mut self, now: Time, test: &IncomingTest) {
        let Some(body) = self.traffic.on_packet(test) else { return };
        let lane = usize::from(body.lane);
        if lane >= self.lanes.len() {
            return;
        }
        if let Some(echo) = body.echo {
            self.echoes[lane] = Some(echo);
            self.on_echo(test.at, lane, &echo);
        }
        match &self.state {
            State::Running(_) => self.on_seen(now, &body),
            State::Pausing(_) => self.look_for_quiet(now),
            _ => {}
        }
    }

    fn on_echo(&mut self, at: Time, lane: usize, echo: &Echo) {
        let Some(sent) = self.sent_at(lane, echo) else { return };
        let Some(took) = self.round_trips[lane].on_echo(at, echo, sent) else { return };
        let known = &mut self.known.lanes[lane].least_round_trip;
        *known = Some(known.map_or(took, |least| least.min(took)));
    }

    /// The time at which the packet of an echo was sent, if its segment is the current one or the one before.
    fn sent_at(&self, lane: usize, echo: &Echo) -> Option<Time> {
        let number = echo.number as usize;
        if echo.segment == self.traffic.segment() {
            return self.traffic.lane(lane).sent().get(number).map(|sent| sent.at);
        }
        match &self.state {
            State::Pausing(pausing) if pausing.segment == echo.segment => pausing.sent_at(lane, number),
            _ => None,
        }
    }

    /// The echo of the receiver for one direction of a lane.
    fn view(&self, now: Time, lane: usize, is_forward: bool) -> Option<Echo> {
        if is_forward { self.echoes[lane] } else { self.traffic.lane(lane).receiver.echo(now) }
    }

    fn on_facts(&mut self, facts: &End) {
        self.here = End { least_sent_share: self.least_sent_share, ..facts.clone() };
        self.say(&Frame::End(Report::from(&self.here)));
    }

    fn on_end(&mut self, report: Report) {
        self.say(&Frame::Bye);
        let there = End::from(report);
        let trips = std::mem::take(&mut self.round_trips);
        let mut lanes = std::mem::take(&mut self.lanes);
        for ((lane, trips), known) in lanes.iter_mut().zip(trips).zip(&self.known.lanes) {
            lane.round_trips = trips.into_measured();
            lane.is_dead = known.is_dead;
        }
        for (lane, seen) in lanes.iter_mut().zip(&there.lanes) {
            lane.mtu_there = seen.mtu.unwrap_or_default();
        }
        let recording = Recording { lanes, here: std::mem::take(&mut self.here), there };
        self.finish(Ok(recording));
    }

    fn say(&mut self, frame: &Frame) {
        self.outputs.push_back(Output::Message(encode(frame)));
    }

    /// Tells the user the progress.
    fn tell(&mut self, now: Time) {
        let (current, phase, fill) = match &self.state {
            State::Running(running) => (running.left(now), running.step.phase(), running.step.fill()),
            State::Pausing(pausing) => (Duration::ZERO, pausing.step.phase(), pausing.step.fill()),
            _ => (Duration::ZERO, Phase::End, None),
        };
        let lanes = self.known.live().len();
        let steps = self.steps.iter().map(|step| self.schedule.estimate(step, lanes));
        let left = steps.fold(current + END, |sum, step| sum + step);
        let (total, is_longer) = self.estimate.announce(now, left);
        let (lane, is_forward) = (fill.map(|fill| fill.lane), fill.map(|fill| fill.is_forward));
        self.outputs.push_back(Output::Progress(Progress {
            phase,
            lane,
            is_forward,
            left,
            total,
            is_longer,
        }));
    }

    fn finish(&mut self, result: Result<Recording, ProbeError>) {
        self.traffic.stop();
        self.state = State::Over;
        self.outputs.push_back(Output::Finished(result));
    }

    fn no_answer(&mut self, what: &'static str, within: Duration) {
        self.finish(Err(ProbeError::NoAnswer { what, within }));
    }
}

impl Machine for Conductor {
    type Input = Input;
    type Output = Output<Recording>;

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
            Input::Test(test) => self.on_test(now, &test),
            Input::Refused { lane } => self.traffic.on_refused(lane),
            Input::Facts(facts) if matches!(self.state, State::Ending { .. }) => self.on_facts(&facts),
            Input::Facts(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.estimate.elapsed(now) >= LONGEST && !matches!(self.state, State::Over) {
            return self.finish(Err(ProbeError::TooLong(LONGEST)));
        }
        match &self.state {
            State::Greeting { until } if now >= *until => self.no_answer("answer", ANSWER),
            State::Ending { until } if now >= *until => self.no_answer("report", ANSWER),
            State::Running(_) => self.on_running_timeout(now),
            State::Pausing(_) => self.on_pausing_timeout(now),
            _ => {}
        }
        if self.estimate.is_due(now) && matches!(self.state, State::Running(_) | State::Pausing(_)) {
            self.tell(now);
        }
    }

    fn poll(&mut self, now: Time) -> Option<Output<Recording>> {
        self.outputs.pop_front().or_else(|| self.traffic.poll(now).map(Output::Test))
    }

    fn poll_timeout(&self) -> Option<Time> {
        let end = match &self.state {
            State::Over => return None,
            State::Greeting { until } | State::Ending { until } => *until,
            State::Running(running) => running.until().min(self.estimate.due()),
            State::Pausing(pausing) => pausing.until.min(self.estimate.due()),
        };
        let end = end.min(self.estimate.began() + LONGEST);
        Some(self.traffic.due().map_or(end, |due| due.min(end)))
    }
}

fn lane_of(facts: &LaneFacts) -> Lane {
    Lane {
        name: facts.name.clone(),
        local: facts.local.clone(),
        remote: facts.remote.clone(),
        interface: facts.interface.clone(),
        mtu: facts.mtu,
        ..Lane::default()
    }
}

/// The time in which the other end answers.
const ANSWER: Duration = Duration::from_secs(10);
/// The time of the exchange of reports.
const END: Duration = Duration::from_millis(200);
/// The time after which no further step begins.
const ENOUGH: Duration = Duration::from_secs(85);
/// The longest measurement.
const LONGEST: Duration = Duration::from_secs(150);
