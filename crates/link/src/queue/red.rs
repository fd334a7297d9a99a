//! Random early detection: marks or drops before the queue is full, by its average length (M-RED-1, M-RED-2; YE 4.6.3;
//! Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993).

use std::fmt::Debug;

use anabranch_base::{Seed, Time};

use super::drop_tail::DropTail;
use super::{LineView, Queue, Taken};
use crate::config::{RedConfig, RedRule};
use crate::packet::{Backlog, Packet};
use crate::random::Random;

/// A queue with random early detection. The length counts the packets that wait, without the one in transmission and
/// before an arriving packet joins them.
#[derive(Debug)]
pub(super) struct Red<L> {
    config: RedConfig,
    waiting: DropTail<L>,
    average: AverageLength,
    /// Packets since the last one that was marked or dropped; `None` while the average is below the least threshold.
    count: Option<u64>,
    random: Random,
    marked: u64,
}

/// The moving average of a queue's length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AverageLength {
    weight: f64,
    packets: f64,
    /// Since when the line is idle.
    idle_since: Option<Time>,
}

/// The decision on an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accept,
    /// It is marked with this probability, by [`Red::probability`].
    Chance,
    Mark,
}

impl<L> Red<L> {
    /// An empty queue that draws from `seed`.
    pub(super) fn new(config: &RedConfig, seed: &Seed) -> Red<L> {
        Red {
            config: config.clone(),
            waiting: DropTail::new(config.limit),
            average: AverageLength { weight: config.weight, packets: 0.0, idle_since: Some(Time::ZERO) },
            count: None,
            random: Random::new(seed),
            marked: 0,
        }
    }

    /// Returns true if the arriving packet may stay; it may be marked then.
    fn admits(&mut self, line: LineView, packets: u64, packet: &mut Packet<L>) -> bool {
        self.average.on_arrival(packets as f64, &self.config, line);
        let is_chosen = match self.verdict(packets as f64) {
            Verdict::Accept => false,
            Verdict::Mark => true,
            Verdict::Chance => {
                let probability = self.probability();
                self.random.happens(probability)
            }
        };
        if !is_chosen {
            return true;
        }
        self.count = Some(0);
        let is_marked = self.config.ecn && packet.mark();
        self.marked += u64::from(is_marked);
        is_marked
    }

    /// By the average, and with the enhancement by the length at hand too: after a queue has drained, its average stays
    /// high for hundreds of packets.
    fn verdict(&mut self, packets: f64) -> Verdict {
        let RedConfig { min, max, rule, .. } = self.config;
        let average = self.average.packets;
        if average < min {
            self.count = None;
            return Verdict::Accept;
        }
        match rule {
            RedRule::Plain if average < max => Verdict::Chance,
            RedRule::Plain => Verdict::Mark,
            RedRule::Enhanced if packets <= min => Verdict::Accept,
            RedRule::Enhanced if average >= max && packets >= max => Verdict::Mark,
            RedRule::Enhanced => Verdict::Chance,
        }
    }

    /// The probability with which this packet is marked: it rises with the packets since the last mark, so that marks come
    /// at even distances (YE Eq 9).
    fn probability(&mut self) -> f64 {
        let RedConfig { min, max, max_probability, .. } = self.config;
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        let base = (max_probability * (self.average.packets - min) / (max - min)).min(max_probability);
        let left = 1.0 - count as f64 * base;
        if left <= 0.0 { 1.0 } else { (base / left).clamp(0.0, 1.0) }
    }
}

impl AverageLength {
    /// A packet finds `packets` waiting. While the line was idle, as many packets of the mean size as it could have sent
    /// found an empty queue.
    fn on_arrival(&mut self, packets: f64, config: &RedConfig, line: LineView) {
        if let Some(since) = self.idle_since.take() {
            let bits = line.rate.map_or(0.0, |rate| rate.bits_per_second() as f64);
            let each = config.mean_packet.get() as f64 * 8.0;
            let missed = libm::floor(line.now.since(since).as_secs_f64() * bits / each);
            self.packets *= libm::pow(1.0 - self.weight, missed);
        }
        self.packets += self.weight * (packets - self.packets);
    }
}

impl<L: Debug + Send> Queue<L> for Red<L> {
    fn offer(&mut self, line: LineView, mut packet: Packet<L>) -> Result<(), Packet<L>> {
        let packets = self.waiting.backlog().packets;
        if self.admits(line, packets, &mut packet) { self.waiting.offer(line, packet) } else { Err(packet) }
    }

    fn passes(&mut self, line: LineView, packet: &mut Packet<L>) -> bool {
        self.admits(line, 0, packet)
    }

    fn take(&mut self, line: LineView) -> Option<Taken<L>> {
        let taken = self.waiting.take(line);
        if taken.is_none() {
            self.average.idle_since = Some(line.now);
        }
        taken
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        self.waiting.discard()
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn average(&self) -> Option<f64> {
        Some(self.average.packets)
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration, Ecn};

    use super::*;
    use crate::config::QueueLimit;

    /// 1,500 bytes take 6 ms.
    const LINE: LineView = LineView { now: Time::ZERO, rate: Some(BitRate::from_mbps(2)) };

    fn config(rule: RedRule) -> RedConfig {
        RedConfig { min: 10.0, max: 20.0, rule, limit: QueueLimit::Packets(100), ..RedConfig::DEFAULT }
    }

    fn red(rule: RedRule) -> Red<()> {
        Red::new(&config(rule), &Seed::from_number(1))
    }

    fn packet(ecn: Ecn) -> Packet<()> {
        Packet { ecn, ..Packet::new(ByteCount::new(1_500), ()) }
    }

    /// G13: `ln ½ / ln 0.998` arrivals halve what is left.
    #[test]
    fn the_average_of_a_queue_of_twenty_is_ten_after_347_arrivals() {
        let mut average = AverageLength { weight: 0.002, packets: 0.0, idle_since: None };
        let mut arrivals = 0;
        while average.packets < 10.0 {
            average.on_arrival(20.0, &config(RedRule::Plain), LINE);
            arrivals += 1;
        }
        assert_eq!(arrivals, 347);
    }

    #[test]
    fn an_idle_line_counts_as_arrivals_at_an_empty_queue() {
        let mut average = AverageLength {
            weight: 0.1,
            packets: 10.0,
            idle_since: Some(Time::ZERO + Duration::from_millis(5)),
        };
        let now = Time::ZERO + Duration::from_millis(24);
        average.on_arrival(0.0, &config(RedRule::Plain), LineView { now, ..LINE });
        let expected = 10.0 * 0.9_f64.powi(3 + 1);
        assert!((average.packets - expected).abs() < 1e-9, "19 ms are three packets: {average:?}");
        assert_eq!(average.idle_since, None);
    }

    /// The whole table of completions for both rules.
    #[test]
    fn the_verdict_is_by_the_average_and_with_the_enhancement_by_the_length_too() {
        use Verdict::{Accept, Chance, Mark};
        let verdicts = |rule, average| {
            let mut red = red(rule);
            red.average.packets = average;
            [5.0, 10.0, 11.0, 19.0, 20.0].map(|packets| red.verdict(packets))
        };
        assert_eq!(verdicts(RedRule::Plain, 9.9), [Accept; 5]);
        assert_eq!(verdicts(RedRule::Plain, 10.0), [Chance; 5]);
        assert_eq!(verdicts(RedRule::Plain, 20.0), [Mark; 5]);
        assert_eq!(verdicts(RedRule::Enhanced, 9.9), [Accept; 5]);
        assert_eq!(verdicts(RedRule::Enhanced, 15.0), [Accept, Accept, Chance, Chance, Chance]);
        assert_eq!(verdicts(RedRule::Enhanced, 20.0), [Accept, Accept, Chance, Chance, Mark]);
    }

    #[test]
    fn the_probability_rises_until_a_mark_is_certain() {
        let mut red = red(RedRule::Plain);
        red.average.packets = 15.0;
        let probabilities: Vec<f64> = (0..5).map(|_| red.probability()).collect();
        let expected = [0.25, 0.25 / 0.75, 0.25 / 0.5, 1.0, 1.0];
        assert!(probabilities.iter().zip(expected).all(|(found, wanted)| (found - wanted).abs() < 1e-9));
        red.average.packets = 30.0;
        red.count = None;
        assert!((red.probability() - 0.5).abs() < 1e-9, "beyond the thresholds it is the largest");
    }

    #[test]
    fn what_is_chosen_is_marked_or_dropped() {
        let mut red = red(RedRule::Plain);
        red.average = AverageLength { packets: 50.0, idle_since: None, ..red.average };
        let mut capable = packet(Ecn::Ect0);
        assert!(red.passes(LINE, &mut capable), "it goes on, with a mark");
        assert_eq!((capable.ecn, red.marked()), (Ecn::Ce, 1));
        assert!(!red.passes(LINE, &mut packet(Ecn::NotEct)), "an idle line does not spare it");
        assert!(red.offer(LINE, packet(Ecn::NotEct)).is_err());
        assert_eq!((red.marked(), red.backlog().packets), (1, 0));
        red.config.ecn = false;
        assert!(red.offer(LINE, packet(Ecn::Ect0)).is_err());
    }

    /// Half of the way between the thresholds a quarter of the packets would be marked without the count. With it the
    /// distances are uniform from 1 to 3: the first packet after a mark counts as the second.
    #[test]
    fn marks_come_at_even_distances() {
        let mut red = red(RedRule::Plain);
        red.average = AverageLength { weight: 0.0, packets: 15.0, idle_since: None };
        let mut distances = [0_u32; 5];
        let mut distance = 0;
        for _ in 0..30_000 {
            distance += 1;
            let before = red.marked();
            assert!(red.admits(LINE, 15, &mut packet(Ecn::Ect0)));
            if red.marked() > before {
                distances[std::mem::take(&mut distance)] += 1;
            }
        }
        let total = f64::from(distances.iter().sum::<u32>());
        let shares = distances.map(|count| f64::from(count) / total);
        assert_eq!((distances[0], distances[4]), (0, 0));
        assert!(shares[1..4].iter().all(|share| (share - 1.0 / 3.0).abs() < 0.02), "{shares:?}");
    }
}
