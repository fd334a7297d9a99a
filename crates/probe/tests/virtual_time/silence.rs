//! A silence over links with translators that forget, and ends that lie.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration, Machine, Time};
use anabranch_net::PathId;
use anabranch_probe::protocol::{Done, Frame, LaneSent, Limits, TestBody, decode, encode};
use anabranch_probe::{
    Answering, Asking, IncomingTest, Input, LaneHeard, OutgoingTest, Output, ProbeError, is_quiet,
};
use bytes::Bytes;
use proptest::prelude::{any, prop, prop_assert, proptest};

/// A link between the ends.
#[derive(Clone, Copy)]
enum Link {
    Open,
    /// A translator that forgets after this silence.
    Nat(Duration),
    /// Nothing passes from here on.
    BreaksAt(Duration),
    /// Nothing passes in between.
    Pauses(Duration, Duration),
    /// Of the packets to the client only each tenth passes.
    Lossy,
}

struct World {
    links: Vec<Link>,
    /// The latest packet of each link that passed.
    passed: Vec<Time>,
    /// The packets of each link so far.
    count: Vec<u32>,
    under_way: VecDeque<(Time, bool, Input)>,
    now: Time,
    test_packets: u32,
}

impl World {
    fn of(links: &[Link]) -> World {
        World {
            links: links.to_vec(),
            passed: vec![Time::ZERO; links.len()],
            count: vec![0; links.len()],
            under_way: VecDeque::new(),
            now: Time::ZERO,
            test_packets: 0,
        }
    }

    /// Runs to the end of the client.
    fn run(
        &mut self,
        mut client: Asking,
        mut server: impl Machine<Input = Input, Output = Output<()>>,
    ) -> Result<Vec<LaneHeard>, ProbeError> {
        loop {
            while let Some(output) = client.poll(self.now) {
                match output {
                    Output::Finished(result) => return result,
                    output => self.take(output, true),
                }
            }
            while let Some(output) = server.poll(self.now) {
                self.take(output, false);
            }
            let due =
                [client.poll_timeout(), server.poll_timeout(), self.under_way.front().map(|next| next.0)];
            self.now = due.into_iter().flatten().min().expect("something happens").max(self.now);
            assert!(self.now < Time::ZERO + Duration::from_secs(120), "it ends");
            while self.under_way.front().is_some_and(|(at, ..)| *at <= self.now) {
                let (_, is_to_server, input) = self.under_way.pop_front().expect("it is there");
                if is_to_server { server.handle(self.now, input) } else { client.handle(self.now, input) }
            }
            client.handle_timeout(self.now);
            server.handle_timeout(self.now);
        }
    }

    fn take<T>(&mut self, output: Output<T>, is_to_server: bool) {
        let at = self.now + Duration::from_millis(20);
        match output {
            Output::Message(message) => self.under_way.push_back((at, is_to_server, Input::Message(message))),
            Output::Test(test) if self.passes(test.lane.into(), is_to_server) => {
                let input = Input::Test(arriving(&test, at));
                self.under_way.push_back((at, is_to_server, input));
            }
            _ => {}
        }
    }

    fn passes(&mut self, lane: usize, is_to_server: bool) -> bool {
        self.test_packets += 1;
        self.count[lane] += 1;
        let elapsed = self.now.since(Time::ZERO);
        let passes = match self.links[lane] {
            Link::Open => true,
            Link::Nat(memory) => is_to_server || self.now.since(self.passed[lane]) < memory,
            Link::BreaksAt(at) => elapsed < at,
            Link::Pauses(from, to) => elapsed < from || elapsed >= to,
            Link::Lossy => is_to_server || self.count[lane].is_multiple_of(10),
        };
        if passes {
            self.passed[lane] = self.now;
        }
        passes
    }
}

fn arriving(test: &OutgoingTest, at: Time) -> IncomingTest {
    IncomingTest { path: test.path, body: Bytes::copy_from_slice(&test.body), size: test.size, at }
}

fn paths(count: usize) -> Vec<PathId> {
    (0..count).map(PathId::from_index).collect()
}

fn asking(count: usize) -> Asking {
    Asking::new(Time::ZERO, &paths(count), SILENCE)
}

fn answering() -> Answering {
    Answering::new(Time::ZERO, Limits::default())
}

fn forgotten(links: &[Link]) -> Vec<Option<bool>> {
    let heard = World::of(links).run(asking(links.len()), answering()).expect("an end");
    heard.iter().map(LaneHeard::is_forgotten).collect()
}

const SILENCE: Duration = Duration::from_secs(25);

#[test]
fn only_the_path_that_a_translator_forgets_is_told() {
    let short = Link::Nat(Duration::from_secs(20));
    let long = Link::Nat(Duration::from_secs(30));
    assert_eq!(forgotten(&[short, Link::Open, long]), [Some(true), Some(false), Some(false)]);
    assert_eq!(forgotten(&[short]), [Some(true)], "a path alone");
    assert_eq!(forgotten(&[Link::Lossy, Link::Lossy]), [Some(false); 2], "losses by chance");
}

#[test]
fn a_path_that_breaks_or_never_worked_is_not_forgotten() {
    let links = [
        Link::BreaksAt(Duration::ZERO),
        Link::BreaksAt(Duration::from_secs(10)),
        Link::Pauses(Duration::from_secs(26), Duration::from_secs(29)),
        Link::Open,
    ];
    assert_eq!(forgotten(&links), [None, None, Some(false), Some(false)]);
}

#[test]
fn a_good_silence_ends_with_the_first_late_packets_and_sends_few() {
    let mut world = World::of(&[Link::Open; 2]);
    world.run(asking(2), answering()).expect("an end");
    assert!((26..28).contains(&(world.now.since(Time::ZERO).as_millis() / 1_000)), "{:?}", world.now);
    assert!(world.test_packets < 60, "{}", world.test_packets);
}

/// A server that says these messages at once, and no more.
struct Liar(VecDeque<Bytes>);

impl Machine for Liar {
    type Input = Input;
    type Output = Output<()>;

    fn handle(&mut self, _: Time, _: Input) {}

    fn handle_timeout(&mut self, _: Time) {}

    fn poll(&mut self, _: Time) -> Option<Output<()>> {
        self.0.pop_front().map(Output::Message)
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }
}

fn against(frames: &[Frame]) -> Result<Vec<LaneHeard>, ProbeError> {
    World::of(&[Link::Open; 2]).run(asking(2), Liar(frames.iter().map(encode).collect()))
}

#[test]
fn a_server_that_lies_stalls_or_refuses_ends_the_silence() {
    let welcome = Frame::Welcome(Limits::default());
    assert!(matches!(against(&[]), Err(ProbeError::NoAnswer { .. })));
    assert_eq!(against(&[Frame::Refused("no".to_owned())]), Err(ProbeError::Refused("no".to_owned())));
    assert!(matches!(against(&[welcome.clone(), welcome.clone()]), Err(ProbeError::Unexpected(_))));
    assert!(matches!(against(&[Frame::Done(Done::default())]), Err(ProbeError::Unexpected(_))));
    let none = Frame::Welcome(Limits { lanes: 0, ..Limits::default() });
    assert_eq!(against(&[none]), Ok(vec![]));
    assert_eq!(against(&[welcome]), Ok(vec![LaneHeard::default(); 2]), "no packet came, so nothing is known");
}

#[test]
fn a_report_of_other_segments_and_lanes_says_nothing() {
    let mut client = asking(1);
    let mut at = Time::ZERO;
    let welcome = encode(&Frame::Welcome(Limits::default()));
    client.handle(at, Input::Message(welcome));
    let test = |segment| {
        let body = TestBody { segment, lane: 0, number: 0, sent_at: Time::ZERO, echo: None };
        let body = Bytes::copy_from_slice(&body.encode());
        Input::Test(IncomingTest { path: PathId::FIRST, body, size: ByteCount::new(132), at: Time::ZERO })
    };
    client.handle(at, test(1));
    while !client_says(&mut client, at, "STOP") {
        at = client.poll_timeout().expect("a timer");
        client.handle_timeout(at);
    }
    let sent = vec![LaneSent { lane: 200, packets: u32::MAX, unsent: 0 }];
    client.handle(at, Input::Message(encode(&Frame::Done(Done { segment: 2, sent, missed: 0 }))));
    client.handle(at, test(2));
    client.handle(at, test(3));
    let end = std::iter::from_fn(|| {
        at = client.poll_timeout()?;
        client.handle_timeout(at);
        Some(std::iter::from_fn(|| client.poll(at)).last())
    });
    let Some(Output::Finished(Ok(heard))) = end.flatten().last() else { panic!("an end") };
    assert_eq!(heard, [LaneHeard { before: 1, late_sent: 0, late: 0, after: 1 }]);
    assert_eq!(heard[0].is_forgotten(), None);
}

/// Takes all outputs; true if a frame of this kind was among them.
fn client_says(client: &mut Asking, at: Time, kind: &str) -> bool {
    let outputs: Vec<_> = std::iter::from_fn(|| client.poll(at)).collect();
    outputs.iter().any(|output| match output {
        Output::Message(message) => decode(message).is_ok_and(|frame| frame.kind() == kind),
        _ => false,
    })
}

/// The outputs of a server to a first frame.
fn answered(frame: &[u8]) -> Vec<Output<()>> {
    let mut server = answering();
    server.handle(Time::ZERO, Input::Message(Bytes::copy_from_slice(frame)));
    std::iter::from_fn(|| server.poll(Time::ZERO)).collect()
}

#[test]
fn a_silence_that_is_too_long_or_of_another_version_is_refused_with_the_reason() {
    for (frame, word) in [
        (encode(&Frame::Quiet { seconds: 61 }), "this end waits for 1 s"),
        (encode(&Frame::Quiet { seconds: 0 }), "this end waits for 1 s"),
        (Bytes::from_static(&[0xd9, 9, 1]), "version 9"),
    ] {
        let outputs = answered(&frame);
        let [Output::Message(refusal), Output::Finished(Err(ProbeError::RefusedHere(_)))] =
            outputs.as_slice()
        else {
            panic!("{outputs:?}");
        };
        let Ok(Frame::Refused(why)) = decode(refusal) else { panic!("a refusal") };
        assert!(why.contains(word), "{why}");
    }
    assert!(matches!(answered(&encode(&Frame::Quiet { seconds: 60 }))[0], Output::Message(_)));
}

#[test]
fn a_server_sends_few_packets_and_gives_up_a_client_that_says_nothing() {
    let mut server = answering();
    server.handle(Time::ZERO, Input::Message(encode(&Frame::Quiet { seconds: 60 })));
    for lane in 0..=u8::MAX {
        let body = TestBody { segment: 1, lane, number: 0, sent_at: Time::ZERO, echo: None }.encode();
        let (path, body) = (PathId::FIRST, Bytes::copy_from_slice(&body));
        let test = IncomingTest { path, body, size: ByteCount::new(132), at: Time::ZERO };
        server.handle(Time::ZERO, Input::Test(test));
    }
    let (mut now, mut sent) = (Time::ZERO, 0);
    let end = loop {
        match server.poll(now) {
            Some(Output::Test(_)) => sent += 1,
            Some(Output::Finished(end)) => break end,
            Some(_) => {}
            None => {
                now = server.poll_timeout().expect("a timer");
                server.handle_timeout(now);
            }
        }
    };
    assert!(matches!(end, Err(ProbeError::NoAnswer { .. })));
    assert_eq!(sent, 16 * (15 + 20), "of 16 lanes, before the silence and after it");
    assert!(now < Time::ZERO + Duration::from_secs(100), "{now:?}");
}

proptest! {
    #[test]
    fn no_bytes_make_an_end_panic_or_talk(
        messages in prop::collection::vec((0xd0..0xdb_u8, prop::collection::vec(any::<u8>(), 0..40)), 1..30),
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 30..40), 0..30),
    ) {
        let (mut server, mut client) = (answering(), asking(2));
        server.handle(Time::ZERO, Input::Message(encode(&Frame::Quiet { seconds: 1 })));
        client.handle(Time::ZERO, Input::Message(encode(&Frame::Welcome(Limits::default()))));
        let (mut now, mut sent) = (Time::ZERO, 0);
        for (kind, rest) in messages {
            now += Duration::from_millis(700);
            for body in &bodies {
                let mut body = body.clone();
                body[3] &= 1;
                let (path, body) = (PathId::FIRST, Bytes::from(body));
                let test = IncomingTest { path, body, size: ByteCount::new(112), at: now };
                server.handle(now, Input::Test(test.clone()));
                client.handle(now, Input::Test(test));
            }
            server.handle_timeout(now);
            client.handle_timeout(now);
            let message: Bytes = [&[kind], rest.as_slice()].concat().into();
            server.handle(now, Input::Message(message.clone()));
            client.handle(now, Input::Message(message));
            while let Some(output) = server.poll(now) {
                sent += u32::from(matches!(output, Output::Test(_)));
            }
            while client.poll(now).is_some() {}
        }
        prop_assert!(sent <= 16 * (15 + 20 + 15));
    }
}

#[test]
fn a_first_message_of_a_silence_is_one() {
    let mut client = asking(1);
    let Some(Output::Message(first)) = client.poll(Time::ZERO) else { panic!("a first message") };
    assert!(is_quiet(anabranch_net::Ppid::new(0x616e_6464), &first));
    assert_eq!(decode(&first), Ok(Frame::Quiet { seconds: 25 }));
}
