//! A network over time: the pieces between its events, and what any sender can carry in all of them.

use anabranch_base::{Duration, Time};
use anabranch_link::config::{Change, Delay, LinkConfig, Rate};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Protocol, Sctp};

use super::TournamentError;
use super::bound::{BufferedPath, allotment, bound, ceiling, least_back_ms, with_repairs};
use super::start::Start;

/// A network from its start to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The pieces, in order, without gaps.
    pub pieces: Vec<Piece>,
    /// The warm-up in seconds; earlier deliveries are not counted.
    pub warmup_s: f64,
    /// The size of the transfer; `None` for data without end.
    pub transfer_bytes: Option<f64>,
    /// The data that the receiver and the sender both hold.
    pub buffer_bytes: f64,
}

/// A time in which nothing happens to the links.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// When it begins, in seconds.
    pub from_s: f64,
    /// When it ends, in seconds.
    pub until_s: f64,
    /// The links, in the scenario's order.
    pub paths: Vec<BufferedPath>,
}

/// The bounds on the goodput of any sender, in Mbit/s of user data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The goodput of full packets over all links, less their losses.
    pub ceiling: f64,
    /// The same through the buffer: the physical bound.
    pub bound: f64,
    /// The same from the start on, with windows that double.
    pub with_start: f64,
    /// The same, where a lost packet keeps the buffer until it is repaired.
    pub with_repairs: f64,
    /// The bound of the link that carries most alone.
    pub best_link: f64,
}

/// The bound that holds on a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The links, which lose nothing.
    Links,
    /// The links, which lose packets.
    LossyLinks,
    /// The buffer, over links that lose nothing.
    Buffer,
    /// The buffer, over links that lose packets.
    LossyBuffer,
    /// Something happens to its links.
    Events,
    /// Messages at a constant rate, which nothing is to bound.
    Messages,
}

impl Class {
    /// Every class, in the order of the tables.
    pub const ALL: [Class; 6] =
        [Class::Links, Class::LossyLinks, Class::Buffer, Class::LossyBuffer, Class::Events, Class::Messages];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Class::Links => "links",
            Class::LossyLinks => "links, losses",
            Class::Buffer => "buffer",
            Class::LossyBuffer => "buffer, losses",
            Class::Events => "events",
            Class::Messages => "messages",
        }
    }
}

impl Course {
    /// Reads the course of a scenario's first flow, over all links.
    ///
    /// # Errors
    /// A link whose rate follows a trace, which has no rate at a moment, or a flow that is not carried by SCTP.
    pub fn of(scenario: &Scenario) -> Result<Course, TournamentError> {
        let flow = scenario.flows.first();
        let Some(Protocol::Sctp(sctp)) = flow.map(|flow| &flow.protocol) else {
            return Err(TournamentError::NoBound { what: "its flow is not carried by SCTP" });
        };
        let end = scenario.run.time.map_or(f64::INFINITY, Duration::as_secs_f64);
        let mut moments = moments_of(scenario);
        moments.retain(|at| seconds(*at) < end);
        let ends = moments.iter().skip(1).map(|at| seconds(*at)).chain([end]);
        let pieces = moments.iter().zip(ends).map(|(from, until_s)| {
            Ok(Piece { from_s: seconds(*from), until_s, paths: paths_at(scenario, *from)? })
        });
        Ok(Course {
            pieces: pieces.collect::<Result<Vec<Piece>, TournamentError>>()?,
            warmup_s: scenario.run.warmup.as_secs_f64(),
            transfer_bytes: flow.and_then(|flow| flow.transfer).map(|transfer| transfer.get() as f64),
            buffer_bytes: buffer_bytes(sctp),
        })
    }

    /// The bounds on the goodput of any sender.
    pub fn bounds(&self) -> Bounds {
        let links = self.pieces.first().map_or(0, |piece| piece.paths.len());
        let buffer = self.buffer_bytes;
        let alone = |link: usize| self.mean(|paths| bound(&paths[link..=link], buffer));
        Bounds {
            ceiling: self.mean(ceiling),
            bound: self.mean(|paths| bound(paths, buffer)),
            with_start: self.with_start(),
            with_repairs: self.mean(|paths| with_repairs(paths, buffer)),
            best_link: (0..links).map(alone).fold(0.0, f64::max),
        }
    }

    /// The class.
    pub fn class(&self) -> Class {
        let paths = || self.pieces.iter().flat_map(|piece| &piece.paths);
        let is_lossy = paths().any(|path| path.loss > 0.0);
        if self.pieces.len() > 1 {
            return Class::Events;
        }
        let bounds = self.bounds();
        match (bounds.bound < 0.999 * bounds.ceiling, is_lossy) {
            (false, false) => Class::Links,
            (false, true) => Class::LossyLinks,
            (true, false) => Class::Buffer,
            (true, true) => Class::LossyBuffer,
        }
    }

    /// The mean of `value`, in Mbit/s, over the time that is measured: from the warm-up to the end, or until everything is
    /// transferred at this rate.
    fn mean(&self, value: impl Fn(&[BufferedPath]) -> f64) -> f64 {
        let (mut carried, mut measured) = (0.0, 0.0);
        let wanted = self.transfer_bytes.map_or(f64::INFINITY, |bytes| 8.0 * bytes / 1e6);
        for piece in &self.pieces {
            let rate = value(&piece.paths);
            let span = (piece.until_s - piece.from_s.max(self.warmup_s)).max(0.0);
            // The end of a transfer without a limit of time is in its last piece.
            let needed = if rate > 0.0 { (wanted - carried) / rate } else { f64::INFINITY };
            let span = span.min(needed);
            if span.is_infinite() {
                return 0.0;
            }
            carried += rate * span;
            measured += span;
        }
        if measured > 0.0 { carried / measured } else { 0.0 }
    }

    /// The mean with start-up over the time that is measured.
    fn with_start(&self) -> f64 {
        let starts = self.starts();
        let carried = |at: f64| starts.iter().map(|start| start.carried_mbit(at)).sum::<f64>();
        let end = self.pieces.last().map_or(0.0, |piece| piece.until_s);
        let Some(bytes) = self.transfer_bytes else {
            return (carried(end) - carried(self.warmup_s)) / (end - self.warmup_s);
        };
        let wanted = 8.0 * bytes / 1e6;
        let mut high = 1.0;
        while carried(high) < wanted && high < end.min(LONGEST_S) {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if carried(middle) < wanted { low = middle } else { high = middle }
        }
        let ends = high.min(end);
        wanted.min(carried(ends)) / ends
    }

    /// Each path's start: its share of the bound over time, and its first window.
    pub(super) fn starts(&self) -> Vec<Start> {
        let links = self.pieces.first().map_or(0, |piece| piece.paths.len());
        let shares: Vec<Vec<f64>> =
            self.pieces.iter().map(|piece| allotment(&piece.paths, self.buffer_bytes)).collect();
        let start = |link: usize| {
            let first = self.pieces.iter().find(|piece| piece.paths[link].is_up())?;
            let path = first.paths[link];
            let rates = self.pieces.iter().zip(&shares);
            Some(Start {
                rates: rates.map(|(piece, shares)| (piece.from_s, piece.until_s, shares[link])).collect(),
                arrival_s: path.arrival_ms() / 1e3,
                round_trip_s: path.held_ms(least_back_ms(&first.paths)) / 1e3,
            })
        };
        (0..links).filter_map(start).collect()
    }
}

/// A transfer that is not complete after a simulated year never is.
const LONGEST_S: f64 = 3e7;

fn seconds(at: Time) -> f64 {
    at.since(Time::ZERO).as_secs_f64()
}

/// Returns the data in order that both ends hold: the receive buffer as far as it grows, and no more than the send buffer.
fn buffer_bytes(sctp: &Sctp) -> f64 {
    let config = &sctp.config;
    let received = config.receive_growth.map_or(config.receive_buffer, |growth| growth.limit);
    received.min(config.send_buffer).get() as f64
}

/// The start, and every moment at which a link changes.
fn moments_of(scenario: &Scenario) -> Vec<Time> {
    let ways = scenario.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
    let steps = ways.flat_map(|direction| {
        let rates = match &direction.rate {
            Rate::Steps(steps) => steps.iter().map(|step| step.0).collect(),
            _ => Vec::new(),
        };
        let delays = match &direction.delay {
            Delay::Steps(steps) => steps.iter().map(|step| step.0).collect(),
            Delay::Fixed(_) => Vec::new(),
        };
        [rates, delays].concat()
    });
    let mut moments: Vec<Time> =
        steps.chain(scenario.events.iter().map(|event| event.at)).chain([Time::ZERO]).collect();
    moments.sort();
    moments.dedup();
    moments
}

/// The links as they are from `at` on.
fn paths_at(scenario: &Scenario, at: Time) -> Result<Vec<BufferedPath>, TournamentError> {
    let path = |(number, link): (usize, &anabranch_scenario::model::Link)| {
        let (mut there, mut back) = (PathCourse::of(&link.forward, at)?, PathCourse::of(&link.reverse, at)?);
        for event in scenario.events.iter().filter(|event| event.link == number && event.at <= at) {
            if event.direction != Direction::Reverse {
                there.change(&event.change, at)?;
            }
            if event.direction != Direction::Forward {
                back.change(&event.change, at)?;
            }
        }
        Ok(BufferedPath {
            rate_mbps: if there.is_up && back.is_up { there.rate_mbps } else { 0.0 },
            there_ms: there.delay_ms,
            back_ms: back.delay_ms,
            loss: there.loss,
        })
    };
    scenario.links.iter().enumerate().map(path).collect()
}

/// One direction of a link at a moment.
struct PathCourse {
    rate_mbps: f64,
    delay_ms: f64,
    loss: f64,
    is_up: bool,
}

impl PathCourse {
    fn of(config: &LinkConfig, at: Time) -> Result<PathCourse, TournamentError> {
        Ok(PathCourse {
            rate_mbps: rate_mbps(&config.rate, at)?,
            delay_ms: delay_ms(&config.delay, at),
            loss: config.loss.mean(),
            is_up: true,
        })
    }

    fn change(&mut self, change: &Change, at: Time) -> Result<(), TournamentError> {
        match change {
            Change::Up => self.is_up = true,
            Change::Down => self.is_up = false,
            Change::Rate(rate) => self.rate_mbps = rate_mbps(rate, at)?,
            Change::Delay(delay) => self.delay_ms = delay_ms(delay, at),
            Change::Loss(loss) => self.loss = loss.mean(),
            Change::Mtu(_) => {}
        }
        Ok(())
    }
}

fn rate_mbps(rate: &Rate, at: Time) -> Result<f64, TournamentError> {
    match rate {
        Rate::Fixed(rate) => Ok(rate.bits_per_second() as f64 / 1e6),
        Rate::Steps(steps) => Ok(current(steps, at).map_or(0.0, |rate| rate.bits_per_second() as f64 / 1e6)),
        Rate::Trace(_) => Err(TournamentError::NoBound { what: "the rate of a link follows a trace" }),
    }
}

fn delay_ms(delay: &Delay, at: Time) -> f64 {
    match delay {
        Delay::Fixed(delay) => 1e3 * delay.as_secs_f64(),
        Delay::Steps(steps) => current(steps, at).map_or(0.0, |delay| 1e3 * delay.as_secs_f64()),
    }
}

/// The step that holds at `at`.
fn current<T: Copy>(steps: &[(Time, T)], at: Time) -> Option<T> {
    let index = steps.partition_point(|step| step.0 <= at).checked_sub(1)?;
    steps.get(index).map(|step| step.1)
}

#[cfg(test)]
mod tests {
    use super::super::network::{Network, parse};
    use super::*;

    fn course(id: &str) -> Course {
        Course::of(&parse(&Network::find(id).expect("there is one").toml).expect("a scenario"))
            .expect("it has a bound")
    }

    #[test]
    fn a_network_without_events_has_one_piece() {
        // 10 Mbit/s 20 ms and 1 Mbit/s 100 ms, 64 KiB: the oracle says 10.6305.
        let course = course("core-11");
        assert_eq!((course.pieces.len(), course.warmup_s, course.buffer_bytes), (1, 5.0, 65_536.0));
        let bounds = course.bounds();
        assert!(
            (bounds.bound - 10.6305).abs() < 1e-3 && (bounds.best_link - 9.68).abs() < 1e-9,
            "{bounds:?}"
        );
        assert!((bounds.with_start / bounds.bound - 1.0).abs() < 1e-3, "{bounds:?}");
        assert!((bounds.with_repairs / bounds.bound - 1.0).abs() < 1e-9, "{bounds:?}");
        assert_eq!(course.class(), Class::Buffer);
    }

    #[test]
    fn what_happens_to_links_makes_pieces_and_the_bound_is_their_mean() {
        // 20 and 10 Mbit/s; the slow one is down from 8 to 11 s and from 18 to 20 s, of 5 to 25 s.
        let course = course("core-50");
        let froms: Vec<f64> = course.pieces.iter().map(|piece| piece.from_s).collect();
        assert_eq!(froms, [0.0, 8.0, 11.0, 18.0, 20.0]);
        assert_eq!(course.pieces[1].paths[1].rate_mbps, 0.0);
        let bounds = course.bounds();
        let mean = 0.968 * (30.0 * 15.0 + 20.0 * 5.0) / 20.0;
        assert!((bounds.ceiling - mean).abs() < 1e-9 && (bounds.bound - mean).abs() < 1e-9, "{bounds:?}");
        assert!((bounds.best_link - 19.36).abs() < 1e-9, "{bounds:?}");
        assert_eq!(course.class(), Class::Events);
    }

    #[test]
    fn a_rate_that_falls_falls_in_the_bound() {
        // 20 Mbit/s, of which 2 are left from 9 to 15 s, and 10.
        let bounds = course("core-52").bounds();
        assert!((bounds.bound - 0.968 * (30.0 * 14.0 + 12.0 * 6.0) / 20.0).abs() < 1e-9, "{bounds:?}");
    }

    #[test]
    fn losses_are_in_the_bound_and_in_the_class() {
        // Twice 10 Mbit/s with 1 % lost.
        let course = course("core-42");
        assert!((course.bounds().bound - 0.968 * 20.0 * 0.99).abs() < 1e-9);
        assert_eq!(course.class(), Class::LossyLinks);
        assert_eq!(self::course("core-49").class(), Class::LossyBuffer);
        assert_eq!(self::course("core-24").class(), Class::Links);
    }

    #[test]
    fn a_transfer_is_measured_to_its_end() {
        let text = "[[link]]\nname = \"a\"\nrate = \"15 Mbit/s\"\ndelay = \"49.6 ms\"\n[[flow]]\ntransfer = \"1452 kB\"\n\
            [flow.sctp]\nprofile = \"tuned-2\"\n";
        let bounds = Course::of(&parse(text).expect("a scenario")).expect("it has a bound").bounds();
        assert!((bounds.bound - 14.52).abs() < 1e-9, "{bounds:?}");
        // By hand: a packet takes 0.8 ms, a round trip 100 ms, in which 125 packets leave. Windows of 10, 20, 40 and 80
        // packets are 150 in 0.4 s; the other 850 leave in 0.68 s, and the last is there after 50.4 ms.
        let seconds = 0.4 + 850.0 * 0.0008 + 0.0504;
        assert!((bounds.with_start - 8.0 * 1.452 / seconds).abs() < 1e-6, "{bounds:?}");
    }

    #[test]
    fn steps_are_events_and_traces_have_no_bound() {
        let text = |rate: &str| {
            format!(
                "[run]\ntime = \"10 s\"\n[[link]]\nname = \"a\"\nrate = {rate}\ndelay = \"1 ms\"\n[[flow]]\n"
            )
        };
        let steps = text("{ steps = [[\"0 s\", \"10 Mbit/s\"], [\"4 s\", \"5 Mbit/s\"]] }");
        let course = Course::of(&parse(&steps).expect("a scenario")).expect("it has a bound");
        assert!((course.bounds().ceiling - 0.968 * 7.0).abs() < 1e-9);
        let udp = text("\"1 Mbit/s\"")
            + "protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"1 kbit/s\", message = \"9 B\" }\n";
        assert!(Course::of(&parse(&udp).expect("a scenario")).is_err());
    }
}
