//! Proportional integral controller enhanced: drops or marks arriving packets with a probability that holds the queueing
//! delay at a target (RFC 8033).

use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Seed, Time};

use super::timed::Timed;
use super::{LineView, Queue, Taken};
use crate::config::PieConfig;
use crate::packet::{Backlog, Packet};
use crate::random::Random;

/// A queue with a proportional integral controller. The delay is that of the last packet that left (RFC 8033 §4.2: time
/// stamps instead of a rate).
#[derive(Debug)]
pub(super) struct Pie<L> {
    config: PieConfig,
    waiting: Timed<L>,
    control: Control,
    random: Random,
    marked: u64,
}

/// The probability of a drop, and what it is computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    probability: f64,
    /// The sum of the probabilities since the last drop.
    accumulated: f64,
    delay: Duration,
    delay_before: Duration,
    burst_left: Duration,
    updated_at: Time,
}

impl Control {
    fn new(config: &PieConfig) -> Control {
        Control {
            probability: 0.0,
            accumulated: 0.0,
            delay: Duration::ZERO,
            delay_before: Duration::ZERO,
            burst_left: config.max_burst,
            updated_at: Time::ZERO,
        }
    }

    /// Makes all updates that are due until `now`. Between two packets that leave or arrive, nothing that they read changes.
    fn follow(&mut self, config: &PieConfig, now: Time) {
        while now.since(self.updated_at) >= config.update {
            if self.is_settled(config) {
                // More updates change nothing.
                let periods = now.since(self.updated_at).as_nanos() / config.update.as_nanos().max(1);
                self.updated_at += config.update * periods;
                return;
            }
            self.updated_at += config.update;
            self.update(config);
        }
    }

    fn is_settled(&self, config: &PieConfig) -> bool {
        let is_without_delay = self.delay.is_zero() && self.delay_before.is_zero();
        self.probability <= 0.0 && is_without_delay && self.burst_left == config.max_burst
    }

    /// RFC 8033 §4.2, §4.4 and Appendix A.
    fn update(&mut self, config: &PieConfig) {
        let (delay, before) = (self.delay.as_secs_f64(), self.delay_before.as_secs_f64());
        let target = config.target.as_secs_f64();
        let raw = ALPHA * (delay - target) + BETA * (delay - before);
        let mut step = raw * scale(self.probability);
        if self.probability >= 0.1 {
            step = step.min(LARGEST_STEP);
        }
        self.probability += step;
        if self.delay.is_zero() && self.delay_before.is_zero() {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        if self.probability < SMALLEST {
            self.probability = 0.0;
        }
        self.delay_before = self.delay;
        self.burst_left = self.burst_left.saturating_sub(config.update);
        if self.probability <= 0.0 && delay < target / 2.0 && before < target / 2.0 {
            self.burst_left = config.max_burst;
        }
    }

    /// Returns true if an arriving packet is chosen, while `bytes` wait (RFC 8033 §4.1, §5.4).
    fn chooses(&mut self, config: &PieConfig, bytes: ByteCount, random: &mut Random) -> bool {
        if !self.burst_left.is_zero() {
            return false;
        }
        let is_short = self.delay_before < config.target / 2 && self.probability < 0.2;
        if is_short || bytes <= MEAN_PACKET * 2 {
            return false;
        }
        if self.probability <= 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        if self.accumulated < LEAST_SUM {
            return false;
        }
        let is_chosen = self.accumulated >= LARGEST_SUM || random.happens(self.probability);
        if is_chosen {
            self.accumulated = 0.0;
        }
        is_chosen
    }
}

/// Small probabilities are changed by small steps (RFC 8033 §4.2).
fn scale(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

impl<L> Pie<L> {
    /// An empty queue that draws from `seed`.
    pub(super) fn new(config: &PieConfig, seed: &Seed) -> Pie<L> {
        Pie {
            config: config.clone(),
            waiting: Timed::new(),
            control: Control::new(config),
            random: Random::new(seed),
            marked: 0,
        }
    }

    /// Returns true if the arriving packet may stay; it may be marked then.
    fn admits(&mut self, packet: &mut Packet<L>) -> bool {
        let probability = self.control.probability;
        if !self.control.chooses(&self.config, self.waiting.backlog().bytes, &mut self.random) {
            return true;
        }
        let is_marked = self.config.ecn && probability <= MOST_MARKED && packet.mark();
        self.marked += u64::from(is_marked);
        is_marked
    }
}

impl<L: Debug + Send> Queue<L> for Pie<L> {
    fn offer(&mut self, line: LineView, mut packet: Packet<L>) -> Result<(), Packet<L>> {
        self.control.follow(&self.config, line.now);
        let has_room = self.config.limit.has_room(self.waiting.backlog(), packet.size);
        if !has_room || !self.admits(&mut packet) {
            return Err(packet);
        }
        self.waiting.push(line.now, packet);
        Ok(())
    }

    fn passes(&mut self, line: LineView, _packet: &mut Packet<L>) -> bool {
        self.control.follow(&self.config, line.now);
        self.control.delay = Duration::ZERO;
        true
    }

    fn take(&mut self, line: LineView) -> Option<Taken<L>> {
        self.control.follow(&self.config, line.now);
        let taken = self.waiting.pop();
        self.control.delay = taken.as_ref().map_or(Duration::ZERO, |(since, _)| line.now.since(*since));
        taken.map(|(_, packet)| Taken::Next(packet))
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}

/// RFC 8033 §4.2, in Hz.
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// RFC 8033 §5.5: the largest step of a probability that is not small.
const LARGEST_STEP: f64 = 0.02;
/// The fraction of the probability that remains after each update without a queue.
const DECAY: f64 = 0.98;
/// A smaller probability is none: decay alone would never end.
const SMALLEST: f64 = 1e-9;
/// RFC 8033 §5.4: packets are chosen at distances of at least 0.85 and at most 8.5 of the mean.
const LEAST_SUM: f64 = 0.85;
const LARGEST_SUM: f64 = 8.5;
/// RFC 8033 §5.1: beyond this probability packets are dropped, whatever their transport understands.
const MOST_MARKED: f64 = 0.1;
/// Two packets of this size are always accepted (RFC 8033 §4.1).
const MEAN_PACKET: ByteCount = ByteCount::new(1_500);

#[cfg(test)]
mod tests {
    use anabranch_base::Ecn;

    use super::*;

    const CONFIG: PieConfig = PieConfig::DEFAULT;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn line(milliseconds: u64) -> LineView {
        LineView { now: Time::ZERO + ms(milliseconds), rate: None }
    }

    fn packet(ecn: Ecn) -> Packet<()> {
        Packet { ecn, ..Packet::new(ByteCount::new(1_500), ()) }
    }

    /// A control with this delay, now and before, and probability.
    fn control(delay: u64, before: u64, probability: f64) -> Control {
        let mut control = Control::new(&CONFIG);
        (control.delay, control.delay_before) = (ms(delay), ms(before));
        control.probability = probability;
        control
    }

    /// `α (delay − target) + β (delay − before)`, divided by 1, 2, 8, …: by hand.
    #[test]
    fn the_probability_follows_the_delay_and_its_change() {
        let updated = |mut control: Control| {
            control.update(&CONFIG);
            control.probability
        };
        let step = 0.125 * 0.010 + 1.25 * 0.005;
        for (probability, divisor) in [(0.0, 2048.0), (5e-6, 512.0), (5e-4, 32.0), (0.05, 2.0), (0.3, 1.0)] {
            let found = updated(control(25, 20, probability));
            assert!((found - probability - step / divisor).abs() < 1e-12, "{probability}: {found}");
        }
        assert!((updated(control(500, 0, 0.3)) - 0.32).abs() < 1e-12, "the step is bounded");
        assert!((updated(control(0, 0, 0.3)) - (0.3 - 0.125 * 0.015) * 0.98).abs() < 1e-12);
        assert_eq!(updated(control(0, 100, 0.01)), 0.0);
    }

    #[test]
    fn updates_are_made_up_for() {
        let mut step_by_step = control(40, 40, 0.2);
        let mut at_once = step_by_step;
        for period in 1..=20 {
            step_by_step.follow(&CONFIG, Time::ZERO + ms(15 * period));
        }
        at_once.follow(&CONFIG, Time::ZERO + ms(15 * 20));
        assert_eq!(step_by_step, at_once);
        let mut idle = control(0, 0, 1.0);
        idle.follow(&CONFIG, Time::ZERO + Duration::from_secs(1_000_000_000));
        assert_eq!((idle.probability, idle.burst_left), (0.0, CONFIG.max_burst));
    }

    #[test]
    fn a_burst_after_an_idle_time_is_spared() {
        let (mut random, bytes) = (Random::new(&Seed::from_number(1)), ByteCount::new(30_000));
        let mut control = control(100, 100, 1.0);
        assert!(!control.chooses(&CONFIG, bytes, &mut random), "150 ms are allowed");
        (0..10).for_each(|_| control.update(&CONFIG));
        assert!(control.chooses(&CONFIG, bytes, &mut random), "they are over");
        assert!(!control.chooses(&CONFIG, ByteCount::new(3_000), &mut random), "two packets may wait");
    }

    /// RFC 8033 §5.4: drops at a probability of an eighth are 7 to 68 packets apart.
    #[test]
    fn drops_are_apart() {
        let (mut random, bytes) = (Random::new(&Seed::from_number(1)), ByteCount::new(30_000));
        let mut control = Control { burst_left: Duration::ZERO, ..control(100, 100, 0.125) };
        let (mut distances, mut distance) = (Vec::new(), 0_u32);
        for _ in 0..100_000 {
            distance += 1;
            if control.chooses(&CONFIG, bytes, &mut random) {
                distances.push(std::mem::take(&mut distance));
            }
        }
        let mean = f64::from(distances.iter().sum::<u32>()) / distances.len() as f64;
        assert!(distances.iter().all(|distance| (7..=68).contains(distance)));
        assert!((mean - 14.0).abs() < 0.3, "six, and eight more on average: {mean}");
    }

    #[test]
    fn what_is_chosen_is_marked_while_drops_are_rare() {
        let chosen = |ecn, probability| {
            let mut queue = Pie::new(&CONFIG, &Seed::from_number(1));
            for _ in 0..10 {
                queue.offer(line(0), packet(ecn)).expect("a burst");
            }
            queue.control = Control { burst_left: Duration::ZERO, ..control(100, 100, probability) };
            queue.control.accumulated = LARGEST_SUM;
            (queue.offer(line(0), packet(ecn)).is_ok(), queue.marked())
        };
        assert_eq!(chosen(Ecn::Ect0, 0.1), (true, 1));
        assert_eq!(chosen(Ecn::Ect0, 0.11), (false, 0));
        assert_eq!(chosen(Ecn::NotEct, 0.1), (false, 0));
    }
}
