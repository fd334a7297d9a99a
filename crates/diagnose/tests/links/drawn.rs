//! Sixty drawn links, whose estimates are compared with what was drawn.

use anabranch_base::{ByteCount, Duration, Seed};
use anabranch_diagnose::recording::{Flight, Purpose, Recording};
use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, estimate_links};
use anabranch_link::config::{
    ChannelSharing, Jitter, LossConfig, LossKind, LossPlace, QueueConfig, QueueLimit,
};
use anabranch_link::{LinkConfig, Random};

use crate::world::{Clock, FULL, Pipe, Program, Reader, SMALL, end, lane, rate};

/// A drawn direction of a link.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    rate: f64,
    delay: f64,
    /// The queue in packets of full size.
    queue: u64,
    loss: f64,
    /// The mean of a bad period in seconds; zero for single losses.
    bad: f64,
    jitter: f64,
    /// The load of the fill, against the rate.
    load: f64,
    /// True if the ends are late: the sender wakes each millisecond, the receiver sleeps at times.
    is_rough: bool,
}

/// The number of directions whose estimate is near what was drawn.
#[derive(Clone, Debug, Default)]
struct Score {
    directions: usize,
    rate: usize,
    rate_roughly: usize,
    rate_inside: usize,
    depth: usize,
    depth_inside: usize,
    loss_inside: usize,
    /// The directions with runs of losses, and those whose loss lies inside its interval.
    with_runs: usize,
    with_runs_inside: usize,
    /// The directions that lose 0.5 % or more, and those of which the interval is at most half of the loss wide.
    lossy: usize,
    loss_narrow: usize,
    runs_right: usize,
    /// The directions whose fixed rate is told as a varying one.
    steps: usize,
    links: usize,
    round_trip: usize,
    /// The estimates that missed, for a reader.
    misses: Vec<String>,
}

const LINKS: u64 = 60;

impl Drawn {
    fn draw(random: &mut Random) -> Drawn {
        let rate = between(random, 1e6, 100e6);
        let most = (2.0 * rate / 8.0 / FULL as f64).max(21.0);
        let (loss, bad) = match random.bits() % 3 {
            0 => (0.0, 0.0),
            1 => (0.02 * random.unit(), 0.0),
            _ => (0.002 + 0.018 * random.unit(), between(random, 0.003, 0.03)),
        };
        Drawn {
            rate,
            delay: between(random, 0.001, 0.075),
            queue: between(random, 20.0, most) as u64,
            loss,
            bad,
            jitter: if random.happens(0.3) { 0.002 * random.unit() } else { 0.0 },
            load: between(random, 1.15, 2.0),
            is_rough: random.happens(0.3),
        }
    }

    fn config(&self) -> LinkConfig {
        let kind = match (self.loss, self.bad) {
            (0.0, _) => LossKind::None,
            (probability, 0.0) => LossKind::Bernoulli { probability },
            (share, bad) => LossKind::GilbertElliott {
                good: duration(bad * (1.0 - share) / share),
                bad: duration(bad),
                loss_good: 0.0,
                loss_bad: 1.0,
                channel: ChannelSharing::Own,
            },
        };
        LinkConfig {
            jitter: Jitter::Uniform(duration(self.jitter)),
            loss: LossConfig { kind, at: LossPlace::Entry, ..LossConfig::NONE },
            queue: QueueConfig::DropTail(QueueLimit::Bytes(ByteCount::new(self.queue * FULL))),
            ..LinkConfig::new(rate(self.rate), duration(self.delay))
        }
    }

    fn depth_s(&self) -> f64 {
        (self.queue * FULL * 8) as f64 / self.rate
    }

    /// The packets of a measurement: rest, trains, a fill until the queue lost for 0.6 s, small packets by chance.
    fn program(&self, is_forward: bool) -> Program {
        let bits = (FULL * 8) as f64;
        let mut program = Program::default();
        program.add(Purpose::Rest, (0.0, 4.0), 0.02, SMALL);
        program.add_trains(4.2, 0.25);
        let lasts = (self.depth_s() / (self.load - 1.0) + 0.6).min(9.0);
        let start = if is_forward { 6.0 } else { 18.0 };
        program.add(Purpose::Fill, (start, start + lasts), bits / self.rate / self.load, FULL);
        let packets = (0.4 * self.rate / (SMALL * 8) as f64).clamp(50.0, 4_000.0);
        program.add(Purpose::Chance, (30.0, 38.0), 1.0 / packets, SMALL);
        program
    }

    fn reader(&self) -> Reader {
        if self.is_rough { Reader::LATE } else { Reader::IN_TIME }
    }

    /// The few packets of a light measurement: 1 MB.
    fn light_program(&self) -> Program {
        let mut program = Program::default();
        program.add(Purpose::Rest, (0.0, 1.0), 0.02, SMALL);
        program.add_trains(1.2, 0.25);
        let gap = (FULL * 8) as f64 / self.rate / self.load;
        program.add(Purpose::Fill, (3.0, 3.0 + 500.0 * gap), gap, FULL);
        program
    }

    fn carry(&self, seed: u64, is_forward: bool, clock: Clock, mut program: Program) -> Vec<Flight> {
        let (sender, receiver) = if is_forward { (Clock::TRUE, clock) } else { (clock, Clock::TRUE) };
        if self.is_rough {
            program.wait_for_ticks();
        }
        let mut pipe = Pipe::new(&self.config(), seed, is_forward, self.reader());
        pipe.carry(&[program], sender, receiver).remove(0)
    }
}

impl Score {
    fn count(&mut self, drawn: &Drawn, found: &DirectionEstimate) {
        self.directions += 1;
        let near = |value: Option<Estimated>, truth: f64, share: f64| {
            value.is_some_and(|found| (found.value - truth).abs() <= share * truth)
        };
        let inside = |value: Option<Estimated>, truth: f64| {
            value.is_some_and(|found| found.low <= truth && truth <= found.high)
        };
        let depth = found.queue.map(|queue| queue.depth_bytes);
        let bytes = (drawn.queue * FULL) as f64;
        let marks = [
            near(found.rate_bps, drawn.rate, 0.03),
            near(found.rate_bps, drawn.rate, 0.2),
            inside(found.rate_bps, drawn.rate),
            near(depth, bytes, 0.15),
            inside(depth, bytes) || found.queue.is_some_and(|queue| queue.is_at_least),
            inside(found.chance_loss, drawn.loss),
            found.loss_runs.is_some() == (drawn.bad > 0.0),
        ];
        if marks.contains(&false) {
            self.misses.push(format!("{marks:?}\n  {drawn:?}\n  {found:?}"));
        }
        let [rate, rate_roughly, rate_inside, depth, depth_inside, loss_inside, runs_right] =
            marks.map(usize::from);
        self.rate += rate;
        self.rate_roughly += rate_roughly;
        self.rate_inside += rate_inside;
        self.depth += depth;
        self.depth_inside += depth_inside;
        self.loss_inside += loss_inside;
        self.runs_right += runs_right;
        self.steps += usize::from(found.rate_steps.is_some());
        if drawn.bad > 0.0 {
            self.with_runs += 1;
            self.with_runs_inside += loss_inside;
        }
        if drawn.loss >= 0.005 {
            self.lossy += 1;
            let width = found.chance_loss.map_or(f64::INFINITY, |loss| loss.high - loss.low);
            self.loss_narrow += usize::from(width <= drawn.loss / 2.0);
        }
    }

    fn count_link(&mut self, directions: &[Drawn; 2], found: &LinkEstimate) {
        self.links += 1;
        let truth: f64 =
            directions.iter().map(|direction| direction.delay + (SMALL * 8) as f64 / direction.rate).sum();
        let is_near =
            found.round_trip_s.is_some_and(|trip| (trip.value - truth).abs() <= (0.03 * truth).max(0.001));
        self.round_trip += usize::from(is_near);
        if !is_near {
            self.misses.push(format!("round trip of {truth} s: {:?}", found.round_trip_s));
        }
        self.count(&directions[0], &found.forward);
        self.count(&directions[1], &found.reverse);
    }
}

fn score(seed: u64, program: fn(&Drawn, bool) -> Program) -> Score {
    let mut random = Random::new(&Seed::from_number(seed));
    let mut score = Score::default();
    for number in 0..LINKS {
        let directions = [Drawn::draw(&mut random), Drawn::draw(&mut random)];
        let clock =
            Clock { offset: duration(1e6 * random.unit()), drift: 2e-4 * (2.0 * random.unit() - 1.0) };
        let name = seed * 1_000 + number;
        let carry = |direction: &Drawn, is_forward| {
            direction.carry(name, is_forward, clock, program(direction, is_forward))
        };
        let lanes = vec![lane("drawn", carry(&directions[0], true), carry(&directions[1], false))];
        let recording = Recording { lanes, here: end(), there: end() };
        score.count_link(&directions, &estimate_links(&recording)[0]);
    }
    score
}

/// A number between two, of which each factor is as likely.
fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.unit())
}

fn duration(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 1e9) as u64)
}

/// The seed of the draws, or that of the environment, for other draws by hand.
fn seed() -> u64 {
    std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

fn at_least(hits: usize, of: usize, share: f64) -> bool {
    hits as f64 >= share * of as f64
}

#[test]
fn estimates_of_sixty_drawn_links_are_near_what_was_drawn() {
    let score = score(seed(), Drawn::program);
    println!("{}\n{:#?}", score.misses.join("\n"), Score { misses: Vec::new(), ..score.clone() });
    assert!(at_least(score.rate, score.directions, 0.98), "rate within 3 %: {score:?}");
    assert!(at_least(score.rate_inside, score.directions, 0.95), "rate inside its interval: {score:?}");
    assert!(at_least(score.depth, score.directions, 0.97), "depth within 15 %: {score:?}");
    assert!(at_least(score.loss_inside, score.directions, 0.93), "loss inside its interval: {score:?}");
    assert!(
        at_least(score.runs_right, score.directions, 0.9),
        "runs of losses told from single ones: {score:?}"
    );
    assert!(score.steps <= score.directions / 50, "fixed rates told as varying: {score:?}");
    assert!(at_least(score.round_trip, score.links, 0.98), "round trip: {score:?}");
}

#[test]
fn a_light_measurement_shows_the_rate_within_a_fifth() {
    let score = score(seed(), |drawn, _| drawn.light_program());
    assert!(at_least(score.rate_roughly, score.directions, 0.95), "rate within 20 %: {score:?}");
}
