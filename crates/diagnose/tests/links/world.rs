//! Recordings of known links: packets through the project's link model, seen by two clocks that differ.

use anabranch_base::{BitRate, ByteCount, Duration, Machine, Seed, Time};
use anabranch_diagnose::recording::{End, Flight, Lane, Purpose, RoundTrip, TestPacket};
use anabranch_link::{Fate, Link, LinkConfig, LinkSeed, Packet, Random};

/// The sizes of small and of full packets.
pub(crate) const SMALL: u64 = 100;
pub(crate) const FULL: u64 = 1_500;

/// The clock of the other end, against the true time, which this end has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) offset: Duration,
    pub(crate) drift: f64,
}

/// A packet that is to be sent at a true time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub(crate) at: Time,
    pub(crate) bytes: u64,
    pub(crate) flight: usize,
}

/// The packets sent in one direction: the purposes of its flights, and their packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) purposes: Vec<Purpose>,
    pub(crate) due: Vec<Due>,
}

/// The lateness of a receiver that reads packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    /// The mean lateness.
    lateness: Duration,
    /// The probability of a sleep of 5 ms before a packet.
    sleeps: f64,
}

impl Reader {
    pub(crate) const IN_TIME: Reader = Reader { lateness: Duration::from_micros(40), sleeps: 0.0 };
    pub(crate) const LATE: Reader = Reader { lateness: Duration::from_micros(300), sleeps: 0.000_5 };
}

impl Clock {
    /// This end's clock.
    pub(crate) const TRUE: Clock = Clock { offset: Duration::ZERO, drift: 0.0 };

    fn shows(self, at: Time) -> Time {
        Time::from_nanos((at.as_nanos() as f64 * (1.0 + self.drift)) as u64) + self.offset
    }
}

impl Program {
    /// Adds packets of `bytes` at equal distances of `gap` seconds from `from` to `to`.
    pub(crate) fn add(&mut self, purpose: Purpose, (from, to): (f64, f64), gap: f64, bytes: u64) {
        let flight = self.purposes.len();
        self.purposes.push(purpose);
        let count = ((to - from) / gap) as u64;
        self.due.extend((0..count).map(|n| Due { at: seconds(from + n as f64 * gap), bytes, flight }));
    }

    /// Lets packets leave at whole milliseconds, as from a sender that sleeps until then.
    pub(crate) fn wait_for_ticks(&mut self) {
        for due in &mut self.due {
            due.at = Time::from_nanos(due.at.as_nanos().div_ceil(1_000_000) * 1_000_000);
        }
    }

    /// Adds trains of 20 packets of full size, `gap` seconds apart.
    pub(crate) fn add_trains(&mut self, from: f64, gap: f64) {
        let flight = self.purposes.len();
        self.purposes.push(Purpose::Trains { length: 20 });
        let packet = |n: u64| Due {
            at: seconds(from + (n / 20) as f64 * gap + (n % 20) as f64 * 1e-5),
            bytes: FULL,
            flight,
        };
        self.due.extend((0..120).map(packet));
    }
}

/// A time after the start of the world, which is not that of its clocks.
pub(crate) fn seconds(seconds: f64) -> Time {
    Time::from_nanos(1_000_000_000 + (seconds * 1e9) as u64)
}

/// The rate of so many bits a second.
pub(crate) fn rate(bits: f64) -> BitRate {
    BitRate::from_bits_per_second(bits as u64)
}

/// A link in one direction that carries the packets of one program or of several at once, as hosts see them.
pub(crate) struct Pipe {
    link: Link<usize>,
    random: Random,
    reader: Reader,
}

impl Pipe {
    pub(crate) fn new(config: &LinkConfig, seed: u64, is_forward: bool, reader: Reader) -> Pipe {
        let seed = Seed::from_number(seed);
        let (forward, reverse) = LinkSeed::of(&seed, "drawn");
        let random = Random::new(&seed.child(if is_forward { "forward reader" } else { "reverse reader" }));
        Pipe { link: Link::new(config, if is_forward { forward } else { reverse }), random, reader }
    }

    /// The flights of each program after its packets crossed the link.
    pub(crate) fn carry(&mut self, programs: &[Program], sender: Clock, receiver: Clock) -> Vec<Vec<Flight>> {
        let all = programs
            .iter()
            .enumerate()
            .flat_map(|(program, of)| of.due.iter().map(move |due| (program, *due)));
        let mut due: Vec<(usize, Due)> = all.collect();
        due.sort_by_key(|(_, due)| due.at);
        let arrived = self.arrivals(&due);
        let mut flights: Vec<Vec<Flight>> = programs
            .iter()
            .map(|program| program.purposes.iter().map(|purpose| empty(*purpose)).collect())
            .collect();
        for ((program, due), arrived) in due.iter().zip(arrived) {
            let packets = &mut flights[*program][due.flight].packets;
            packets.push(TestPacket {
                number: packets.len() as u32,
                sent: micros(sender.shows(due.at)),
                size: ByteCount::new(due.bytes),
                arrived: arrived.map(|at| micros(receiver.shows(at))),
            });
        }
        flights
    }

    fn arrivals(&mut self, due: &[(usize, Due)]) -> Vec<Option<Time>> {
        let mut arrived = vec![None; due.len()];
        let mut read = Time::ZERO;
        for (index, (_, due)) in due.iter().enumerate() {
            self.wake(due.at, &mut arrived, &mut read);
            self.link.handle(due.at, Packet::new(ByteCount::new(due.bytes), index));
            self.drain(due.at, &mut arrived, &mut read);
        }
        self.wake(Time::from_nanos(u64::MAX), &mut arrived, &mut read);
        arrived
    }

    fn wake(&mut self, until: Time, arrived: &mut [Option<Time>], read: &mut Time) {
        while let Some(at) = self.link.poll_timeout().filter(|at| *at <= until) {
            self.link.handle_timeout(at);
            self.drain(at, arrived, read);
        }
    }

    fn drain(&mut self, now: Time, arrived: &mut [Option<Time>], read: &mut Time) {
        while let Some(fate) = self.link.poll(now) {
            if let Fate::Arrived { packet, .. } = fate {
                let sleeps = self.random.happens(self.reader.sleeps);
                let asleep = if sleeps { Duration::from_millis(5) } else { Duration::ZERO };
                *read = (*read).max(now + asleep + self.random.exponential(self.reader.lateness));
                arrived[packet.load] = Some(*read);
            }
        }
    }
}

/// A lane whose round trips are those of its probes.
pub(crate) fn lane(name: &str, forward: Vec<Flight>, reverse: Vec<Flight>) -> Lane {
    let round_trips = round_trips(&forward, &reverse);
    Lane {
        name: name.to_owned(),
        mtu: ByteCount::new(FULL),
        forward,
        reverse,
        round_trips,
        ..Lane::default()
    }
}

/// An end that is not busy, and late by little.
pub(crate) fn end() -> End {
    End { lateness: Duration::from_micros(60), lateness_p99: Duration::from_micros(300), ..End::default() }
}

/// Each probe of the reverse direction answers the last that arrived before it was sent.
fn round_trips(forward: &[Flight], reverse: &[Flight]) -> Vec<RoundTrip> {
    let probes = |flights: &[Flight]| {
        let is_probe = |flight: &&Flight| matches!(flight.purpose, Purpose::Rest | Purpose::Beside { .. });
        flights.iter().filter(is_probe).flat_map(|flight| flight.packets.clone()).collect::<Vec<TestPacket>>()
    };
    let mut asked: Vec<(Time, Time)> =
        probes(forward).iter().filter_map(|packet| Some((packet.arrived?, packet.sent))).collect();
    asked.sort();
    let one = |answer: &TestPacket| {
        let place = asked.partition_point(|(arrived, _)| *arrived <= answer.sent).checked_sub(1)?;
        let (arrived, sent) = asked[place];
        let at = answer.arrived?;
        Some(RoundTrip { at, took: at.since(sent).saturating_sub(answer.sent.since(arrived)) })
    };
    probes(reverse).iter().filter_map(one).collect()
}

fn empty(purpose: Purpose) -> Flight {
    Flight { purpose, packets: Vec::new() }
}

fn micros(at: Time) -> Time {
    Time::from_nanos(at.as_nanos() / 1_000 * 1_000)
}
