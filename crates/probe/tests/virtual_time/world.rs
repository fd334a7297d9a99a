//! A client's end and a server's over simulated links, each with a clock of its own and timers of a millisecond.

use std::collections::VecDeque;

use anabranch_base::{BitRate, ByteCount, Duration, Machine, Seed, Time};
use anabranch_diagnose::recording::{End, EndLane, Recording};
use anabranch_link::config::{LossConfig, LossKind, LossPlace, QueueConfig, QueueLimit};
use anabranch_link::fabric::{FabricEvent, Load, RouteId};
use anabranch_link::{Agenda, Damage, Fabric, Link, LinkConfig, LinkSeed, Packet, Payload};
use anabranch_net::PathId;
use anabranch_probe::{
    Conductor, IncomingTest, Input, LaneFacts, Limits, Output, ProbeError, Progress, Responder,
};
use bytes::Bytes;

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub rate: BitRate,
    pub delay: Duration,
    pub queue: QueueLimit,
    pub loss: Loss,
    pub mtu: u64,
}

/// The losses of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Loss {
    None,
    Single(f64),
    /// The share, and the mean time of a run.
    Runs(f64, Duration),
    All,
}

/// A link, from the client to the server and back.
pub(crate) type Ways = [Way; 2];

/// The clock of an end against the true time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub offset: Duration,
    /// Parts in a million.
    pub drift: i64,
}

/// A server's end, true or false.
pub(crate) type Peer = Box<dyn Machine<Input = Input, Output = Output<()>>>;

/// The result of a measurement.
pub(crate) struct Outcome {
    pub result: Result<Recording, ProbeError>,
    pub took: Duration,
    pub progress: Vec<Progress>,
    /// The server's end.
    pub peer: Option<Result<(), ProbeError>>,
    /// The bytes of the test packets of each lane, both ways.
    pub bytes: Vec<u64>,
    pub messages: u64,
}

#[derive(Clone, Debug)]
struct Probe {
    lane: u8,
    is_forward: bool,
    body: Vec<u8>,
}

impl Payload for Probe {}

impl Load for Probe {
    fn suffer(&mut self, _: Damage) {}
}

pub(crate) struct World {
    now: Time,
    fabric: Fabric<Box<Probe>>,
    agenda: Agenda,
    routes: Vec<[RouteId; 2]>,
    conductor: Conductor,
    peer: Peer,
    clocks: [Clock; 2],
    /// The time that a message takes.
    message_delay: Duration,
    to_peer: VecDeque<(Time, Bytes)>,
    to_conductor: VecDeque<(Time, Bytes)>,
    outcome: Outcome,
    is_over: bool,
}

impl Payload for Box<Probe> {}

impl Load for Box<Probe> {
    fn suffer(&mut self, _: Damage) {}
}

pub(crate) fn at_rate(bits: u64) -> Way {
    Way {
        rate: BitRate::from_bits_per_second(bits),
        delay: Duration::from_millis(10),
        queue: QueueLimit::Packets(50),
        loss: Loss::None,
        mtu: 1_500,
    }
}

impl Way {
    fn config(&self) -> LinkConfig {
        let kind = match self.loss {
            Loss::None => LossKind::None,
            Loss::Single(probability) => LossKind::Bernoulli { probability },
            Loss::Runs(share, bad) => LossKind::GilbertElliott {
                good: Duration::from_nanos((bad.as_nanos() as f64 * (1.0 - share) / share) as u64),
                bad,
                loss_good: 0.0,
                loss_bad: 1.0,
                channel: anabranch_link::config::ChannelSharing::Own,
            },
            Loss::All => LossKind::Bernoulli { probability: 1.0 },
        };
        let loss = LossConfig { kind, after: Time::ZERO, at: LossPlace::Entry };
        let queue = QueueConfig::DropTail(self.queue);
        LinkConfig {
            loss,
            queue,
            mtu: Some(ByteCount::new(self.mtu)),
            ..LinkConfig::new(self.rate, self.delay)
        }
    }
}

impl Clock {
    pub(crate) const TRUE: Clock = Clock { offset: Duration::ZERO, drift: 0 };

    fn shows(self, now: Time) -> Time {
        let nanos = i128::from(now.as_nanos());
        let drifted = nanos + nanos * i128::from(self.drift) / 1_000_000;
        Time::ZERO + self.offset + Duration::from_nanos(u64::try_from(drifted).unwrap_or(0))
    }

    /// The true time at which the clock shows `time`, rounded up.
    fn when(self, time: Time) -> Time {
        let nanos = i128::from(time.as_nanos()) - i128::from(self.offset.as_nanos());
        let real = (nanos * 1_000_000).div_euclid(1_000_000 + i128::from(self.drift)) + 2;
        Time::from_nanos(u64::try_from(real).unwrap_or(0))
    }
}

impl World {
    pub(crate) fn new(seed: u64, links: &[Ways], clocks: [Clock; 2], is_light: bool) -> World {
        let peer = Box::new(Responder::new(clocks[1].shows(Time::ZERO), Limits::default()));
        World::with_peer(seed, links, clocks, is_light, peer)
    }

    pub(crate) fn with_peer(
        seed: u64,
        links: &[Ways],
        clocks: [Clock; 2],
        is_light: bool,
        peer: Peer,
    ) -> World {
        let root = Seed::from_number(seed);
        let built = links.iter().enumerate().map(|(index, ways)| {
            let (forward, reverse) = LinkSeed::of(&root, &format!("link {index}"));
            [Link::new(&ways[0].config(), forward), Link::new(&ways[1].config(), reverse)]
        });
        let mut fabric = Fabric::new(built);
        let routes = (0..links.len()).map(|link| fabric.add_path(&[link])).collect();
        let agenda = Agenda::new(fabric.nodes());
        let lanes: Vec<LaneFacts> = (0..links.len()).map(facts).collect();
        let conductor = Conductor::new(clocks[0].shows(Time::ZERO), &lanes, is_light);
        let outcome = Outcome {
            result: Err(ProbeError::NoPath),
            took: Duration::ZERO,
            progress: Vec::new(),
            peer: None,
            bytes: vec![0; links.len()],
            messages: 0,
        };
        World {
            now: Time::ZERO,
            fabric,
            agenda,
            routes,
            conductor,
            peer,
            clocks,
            message_delay: links.iter().map(|ways| ways[0].delay).max().unwrap_or_default()
                + Duration::from_millis(1),
            to_peer: VecDeque::new(),
            to_conductor: VecDeque::new(),
            outcome,
            is_over: false,
        }
    }

    /// Runs to the end of the client.
    pub(crate) fn run(mut self) -> Outcome {
        self.settle();
        while !self.is_over {
            let next = self.next();
            assert!(next.since(Time::ZERO) < Duration::from_secs(400), "the measurement does not end");
            self.now = next;
            self.pass();
            self.settle();
        }
        // The last words of the client.
        while let Some((at, message)) = self.to_peer.pop_front() {
            self.now = at;
            self.peer.handle(self.clocks[1].shows(at), Input::Message(message));
            self.settle_peer();
        }
        self.outcome
    }

    /// The time of the next event; timers have a resolution of a millisecond.
    fn next(&self) -> Time {
        let wakes = [
            self.conductor.poll_timeout().map(|at| tick(self.clocks[0].when(at))),
            self.peer.poll_timeout().map(|at| tick(self.clocks[1].when(at))),
            self.agenda.next(),
            self.to_peer.front().map(|(at, _)| *at),
            self.to_conductor.front().map(|(at, _)| *at),
        ];
        wakes.into_iter().flatten().min().expect("something happens").max(self.now)
    }

    /// Lets everything happen that is due.
    fn pass(&mut self) {
        let now = self.now;
        while let Some((at, node)) = self.agenda.take_until(now) {
            self.fabric.wake(at, node);
            self.settle_fabric();
        }
        let is_due = |front: Option<&(Time, Bytes)>| front.is_some_and(|(at, _)| *at <= now);
        while is_due(self.to_peer.front())
            && let Some((_, message)) = self.to_peer.pop_front()
        {
            self.peer.handle(self.clocks[1].shows(now), Input::Message(message));
        }
        while is_due(self.to_conductor.front())
            && let Some((_, message)) = self.to_conductor.pop_front()
        {
            self.conductor.handle(self.clocks[0].shows(now), Input::Message(message));
        }
        self.conductor.handle_timeout(self.clocks[0].shows(now));
        self.peer.handle_timeout(self.clocks[1].shows(now));
    }

    fn settle(&mut self) {
        self.settle_conductor();
        self.settle_peer();
        self.settle_fabric();
        self.settle_conductor();
        self.settle_peer();
    }

    fn settle_conductor(&mut self) {
        let now = self.clocks[0].shows(self.now);
        while let Some(output) = self.conductor.poll(now) {
            match output {
                Output::Message(message) => self.to_peer.push_back((self.now + self.message_delay, message)),
                Output::Test(test) => self.send(test.lane, true, test.body.to_vec(), test.size),
                Output::WantFacts { paths } => self.conductor.handle(now, told(&paths)),
                Output::Progress(progress) => self.outcome.progress.push(progress),
                Output::Finished(result) => {
                    (self.outcome.result, self.outcome.took) = (result, self.now.since(Time::ZERO));
                    self.is_over = true;
                }
            }
        }
    }

    fn settle_peer(&mut self) {
        let now = self.clocks[1].shows(self.now);
        while let Some(output) = self.peer.poll(now) {
            match output {
                Output::Message(message) => {
                    self.outcome.messages += 1;
                    self.to_conductor.push_back((self.now + self.message_delay, message));
                }
                Output::Test(test) => self.send(test.lane, false, test.body.to_vec(), test.size),
                Output::WantFacts { paths } => self.peer.handle(now, told(&paths)),
                Output::Progress(_) => {}
                Output::Finished(result) => self.outcome.peer = Some(result),
            }
        }
    }

    fn send(&mut self, lane: u8, is_forward: bool, body: Vec<u8>, size: ByteCount) {
        let Some(routes) = self.routes.get(usize::from(lane)) else { return };
        self.outcome.bytes[usize::from(lane)] += size.get();
        let route = routes[usize::from(!is_forward)];
        let probe = Box::new(Probe { lane, is_forward, body });
        self.fabric.send(Packet { route, ..Packet::new(size, probe) });
        self.settle_fabric();
    }

    fn settle_fabric(&mut self) {
        while let Some(event) = self.fabric.poll(self.now, &mut self.agenda) {
            let FabricEvent::Arrived(packet) = event else { continue };
            let Probe { lane, is_forward, body } = *packet.load;
            let clock = self.clocks[usize::from(is_forward)].shows(self.now);
            let path = PathId::from_index(usize::from(lane));
            let test = Input::Test(IncomingTest { path, body: body.into(), size: packet.size, at: clock });
            if is_forward { self.peer.handle(clock, test) } else { self.conductor.handle(clock, test) }
        }
    }
}

fn facts(lane: usize) -> LaneFacts {
    LaneFacts {
        path: PathId::from_index(lane),
        name: format!("link{lane}"),
        local: format!("192.0.2.{lane}:1"),
        remote: format!("198.51.100.{lane}:1"),
        interface: None,
        mtu: ByteCount::new(1_500),
        least_size: 112,
    }
}

/// The facts of an end that uses packets of 1,500 bytes.
fn told(paths: &[Option<PathId>]) -> Input {
    let lane =
        |path: &Option<PathId>| EndLane { mtu: path.map(|_| ByteCount::new(1_500)), ..EndLane::default() };
    Input::Facts(Box::new(End { lanes: paths.iter().map(lane).collect(), ..End::default() }))
}

/// The next whole millisecond.
fn tick(at: Time) -> Time {
    Time::from_nanos(at.as_nanos().div_ceil(1_000_000) * 1_000_000)
}
