//! A peer that lies, stalls, floods or never answers: an error in bounded time.

use std::collections::VecDeque;

use anabranch_base::ByteCount;
use anabranch_base::{Duration, Machine, Time};
use anabranch_diagnose::recording::End;
use anabranch_net::PathId;
use anabranch_probe::protocol::{
    Arrival, ArrivalsFrame, Done, Echo, Frame, LaneSent, Limits, Program, Report, Stage, TestBody, decode,
    encode,
};
use anabranch_probe::{IncomingTest, Input, Output, ProbeError, Responder};
use bytes::Bytes;
use proptest::prelude::{any, prop, proptest};

use super::world::{Clock, Outcome, World, at_rate};

/// A server that answers each message as a function of the true answer says, and changes test packets.
struct Liar {
    honest: Responder,
    lie: Box<dyn FnMut(Frame) -> Vec<Bytes>>,
    change: Box<dyn FnMut(&mut TestBody)>,
    outputs: VecDeque<Output<()>>,
}

impl Machine for Liar {
    type Input = Input;
    type Output = Output<()>;

    fn handle(&mut self, now: Time, input: Input) {
        self.honest.handle(now, input);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.honest.handle_timeout(now);
    }

    fn poll(&mut self, now: Time) -> Option<Output<()>> {
        if let Some(output) = self.outputs.pop_front() {
            return Some(output);
        }
        match self.honest.poll(now)? {
            Output::Message(message) => {
                let frame = decode(&message).expect("an honest frame");
                self.outputs.extend((self.lie)(frame).into_iter().map(Output::Message));
                Some(self.outputs.pop_front().unwrap_or(Output::Message(Bytes::new())))
                    .filter(|output| *output != Output::Message(Bytes::new()))
                    .or_else(|| self.poll(now))
            }
            Output::Test(mut test) => {
                let mut body = TestBody::decode(&test.body).expect("an honest body");
                (self.change)(&mut body);
                test.body = body.encode();
                Some(Output::Test(test))
            }
            other => Some(other),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.honest.poll_timeout()
    }
}

fn against(
    lie: impl FnMut(Frame) -> Vec<Bytes> + 'static,
    change: impl FnMut(&mut TestBody) + 'static,
) -> Outcome {
    let honest = Responder::new(Time::ZERO, Limits::default());
    let peer = Liar { honest, lie: Box::new(lie), change: Box::new(change), outputs: VecDeque::new() };
    let links = [[at_rate(10_000_000); 2]; 2];
    World::with_peer(3, &links, [Clock::TRUE; 2], false, Box::new(peer)).run()
}

fn told(frame: &Frame) -> Vec<Bytes> {
    vec![encode(frame)]
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let outcome = against(|_| Vec::new(), |_| {});
    assert!(matches!(outcome.result, Err(ProbeError::NoAnswer { .. })), "{:?}", outcome.result);
    assert!(outcome.took <= Duration::from_secs(11));
}

#[test]
fn a_server_that_never_reports_is_given_up() {
    let outcome =
        against(|frame| if matches!(frame, Frame::Done(_)) { Vec::new() } else { told(&frame) }, |_| {});
    assert!(matches!(outcome.result, Err(ProbeError::NoAnswer { .. })), "{:?}", outcome.result);
    assert!(outcome.took <= Duration::from_secs(30), "{}", outcome.took);
}

#[test]
fn a_refusal_is_told_in_its_words() {
    let outcome = against(|_| told(&Frame::Refused("busy".to_owned())), |_| {});
    assert_eq!(outcome.result, Err(ProbeError::Refused("busy".to_owned())));
}

#[test]
fn of_two_ends_that_measure_one_is_told_to_answer() {
    let outcome = against(|_| told(&Frame::Hello), |_| {});
    assert_eq!(outcome.result, Err(ProbeError::BothMeasure));
}

#[test]
fn impossible_reports_end_the_measurement() {
    let arrivals = |segment, lane, numbers: &[u32]| {
        let arrival = |number: &u32| Arrival { number: *number, at: Time::ZERO };
        Frame::Arrivals(ArrivalsFrame { segment, lane, arrivals: numbers.iter().map(arrival).collect() })
    };
    let done = |packets| {
        let sent = vec![LaneSent { lane: 0, packets, unsent: 0 }];
        Frame::Done(Done { segment: 1, sent, missed: 0 })
    };
    let lies = [
        arrivals(1, 200, &[0]),
        arrivals(9, 0, &[0]),
        arrivals(1, 0, &[u32::MAX]),
        arrivals(1, 0, &[0; 2_000]),
        done(u32::MAX),
        Frame::Done(Done { segment: 3, ..Done::default() }),
        Frame::Welcome(Limits::default()),
        Frame::End(Report::from(&End::default())),
        Frame::Bye,
    ];
    for lie in lies {
        let bytes = encode(&lie);
        let is_report = |frame: &Frame| matches!(frame, Frame::Done(_) | Frame::Arrivals(_));
        let outcome =
            against(move |frame| if is_report(&frame) { vec![bytes.clone()] } else { told(&frame) }, |_| {});
        let error = outcome.result.expect_err("a lie");
        assert!(matches!(error, ProbeError::Impossible(_) | ProbeError::Unexpected(_)), "{lie:?}: {error}");
        assert!(outcome.took < Duration::from_secs(10), "{}", outcome.took);
    }
}

#[test]
fn a_flood_of_reports_ends_the_measurement_at_once() {
    let flood = |frame: Frame| match frame {
        Frame::Arrivals(arrivals) => vec![encode(&Frame::Arrivals(arrivals)); 1_000],
        frame => told(&frame),
    };
    let outcome = against(flood, |_| {});
    assert!(matches!(outcome.result, Err(ProbeError::Impossible(_))), "{:?}", outcome.result);
}

#[test]
fn echoes_that_lie_cost_time_within_bounds_and_nothing_else() {
    let lies: [fn(&mut TestBody); 4] = [
        |body| body.echo = None,
        |body| {
            let most = Duration::from_secs(4_000);
            let echo =
                Echo { segment: u16::MAX, number: u32::MAX, hold: most, received: u32::MAX, growth: most };
            body.echo = Some(echo);
        },
        |body| body.sent_at = Time::from_nanos(u64::from(body.number).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        |body| (body.number, body.segment) = (body.number.wrapping_mul(65_537), body.segment ^ 0x5555),
    ];
    for lie in lies {
        let outcome = against(|frame| told(&frame), lie);
        assert!(outcome.took <= Duration::from_secs(151), "{}", outcome.took);
        if let Ok(recording) = outcome.result {
            assert!(recording.lanes.iter().all(|lane| lane.round_trips.len() < 30_001));
        }
    }
}

#[test]
fn a_server_gives_up_a_client_that_falls_silent() {
    let mut server = Responder::new(Time::ZERO, Limits::default());
    server.handle(Time::ZERO, Input::Message(encode(&Frame::Hello)));
    assert!(matches!(server.poll(Time::ZERO), Some(Output::Message(_))));
    let until = server.poll_timeout().expect("a timer");
    server.handle_timeout(until);
    assert!(matches!(server.poll(until), Some(Output::Finished(Err(ProbeError::NoAnswer { .. })))));
    assert_eq!(server.poll_timeout(), None);
}

#[test]
fn a_server_reports_once_and_knows_the_paths_of_the_lanes() {
    let mut server = Responder::new(Time::ZERO, Limits::default());
    server.handle(Time::ZERO, Input::Message(encode(&Frame::Hello)));
    for (lane, path) in [(2, PathId::from_index(5)), (0, PathId::FIRST)] {
        let body =
            TestBody { segment: 0, lane, number: 0, sent_at: Time::ZERO, echo: None }.encode().to_vec();
        let test = IncomingTest { path, body: body.into(), size: ByteCount::new(112), at: Time::ZERO };
        server.handle(Time::ZERO, Input::Test(test));
    }
    // A test of the disk may be behind each report.
    let end = encode(&Frame::End(Report::from(&End::default())));
    (0..2).for_each(|_| server.handle(Time::ZERO, Input::Message(end.clone())));
    let outputs: Vec<Output<()>> = std::iter::from_fn(|| server.poll(Time::ZERO)).collect();
    let [Output::Message(_), Output::WantFacts { paths }, Output::Finished(ended)] = outputs.as_slice()
    else {
        panic!("{outputs:?}");
    };
    assert_eq!(paths, &[Some(PathId::FIRST), None, Some(PathId::from_index(5))]);
    assert_eq!(ended, &Err(ProbeError::Unexpected("END")));
}

#[test]
fn a_server_refuses_more_than_its_limits_and_says_why() {
    let stage = Stage { packets: 10, burst: 1, gap_ns: 1_000 };
    let program = Program { lane: 0, after_us: 0, sizes: vec![1_500], stages: vec![stage] };
    let mut server = Responder::new(Time::ZERO, Limits::default());
    for frame in [Frame::Hello, Frame::Run { segment: 1, programs: vec![program] }] {
        server.handle(Time::ZERO, Input::Message(encode(&frame)));
    }
    let outputs: Vec<Output<()>> = std::iter::from_fn(|| server.poll(Time::ZERO)).collect();
    let [Output::Message(_), Output::Message(refusal), Output::Finished(Err(ProbeError::RefusedHere(why)))] =
        outputs.as_slice()
    else {
        panic!("{outputs:?}");
    };
    assert_eq!(decode(refusal), Ok(Frame::Refused(why.clone())));
    assert!(why.contains("at most 1.00 Gbit/s"), "{why}");
}

#[test]
fn a_segment_never_sends_more_bytes_than_allowed_in_all() {
    let limits = Limits { bytes: ByteCount::new(1_000_000), ..Limits::default() };
    let mut server = Responder::new(Time::ZERO, limits);
    server.handle(Time::ZERO, Input::Message(encode(&Frame::Hello)));
    let body = TestBody { segment: 0, lane: 0, number: 0, sent_at: Time::ZERO, echo: None }.encode().to_vec();
    let path = PathId::FIRST;
    let test = IncomingTest { path, body: body.into(), size: ByteCount::new(112), at: Time::ZERO };
    server.handle(Time::ZERO, Input::Test(test));
    let (mut sent, mut now) = (0, Time::ZERO);
    for segment in 1..1_000 {
        let stage = Stage { packets: 100, burst: 100, gap_ns: 2_000_000 };
        let program = Program { lane: 0, after_us: 0, sizes: vec![1_500], stages: vec![stage] };
        let run = Frame::Run { segment, programs: vec![program] };
        server.handle(now, Input::Message(encode(&run)));
        while let Some(output) = server.poll(now) {
            if let Output::Test(test) = output {
                sent += test.size.get();
            }
        }
        now += Duration::from_millis(1);
    }
    assert!((850_000..=1_000_000).contains(&sent), "{sent}");
}

proptest! {
    #[test]
    fn no_bytes_make_an_end_panic(
        messages in prop::collection::vec((0xd0..0xd9_u8, prop::collection::vec(any::<u8>(), 0..40)), 1..30),
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 30..40), 0..30),
    ) {
        let mut server = Responder::new(Time::ZERO, Limits::default());
        server.handle(Time::ZERO, Input::Message(encode(&Frame::Hello)));
        let mut now = Time::ZERO;
        for (kind, rest) in messages {
            now += Duration::from_millis(7);
            server.handle(now, Input::Message([&[kind], rest.as_slice()].concat().into()));
            for body in &bodies {
                let mut body = body.clone();
                body[3] &= 1;
                let test = IncomingTest { path: PathId::FIRST, body: body.into(), size: ByteCount::new(112), at: now };
                server.handle(now, Input::Test(test));
            }
            server.handle_timeout(now);
            while server.poll(now).is_some() {}
        }
    }
}
