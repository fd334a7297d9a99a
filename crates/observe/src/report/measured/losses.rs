//! The losses of a direction: which of them a full queue explains, and which came in runs.

use anabranch_base::{Duration, Time};
use anabranch_diagnose::DirectionEstimate;
use anabranch_diagnose::recording::Purpose;

use super::course::{Course, SeenPacket};

/// The losses of one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Losses {
    /// The lost packets in the order of their sending.
    pub lost: Vec<LostPacket>,
    /// Consecutive losses of a flight, at least two, in the order of time.
    pub runs: Vec<LossRun>,
}

/// A lost packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LostPacket {
    /// The time at which it was sent.
    pub at: Time,
    /// The delay above the floor of the packets around it.
    pub growth: Duration,
    /// True if the queue was at least half full, or a policer was exceeded.
    pub is_by_queue: bool,
}

/// Losses in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LossRun {
    /// The first loss.
    pub from: Time,
    /// The last loss.
    pub to: Time,
    /// The delay at the first loss.
    pub growth: Duration,
    /// The number of packets.
    pub length: u32,
}

impl Losses {
    /// The losses of a course, judged by the depth of the queue of `estimate`, or by the largest delay under load.
    pub(super) fn of(course: &Course, estimate: &DirectionEstimate) -> Losses {
        let packets = &course.packets;
        let rule = QueueRule::of(packets, estimate);
        let around = growth_around(packets);
        let mut losses = Losses::default();
        let mut open: Vec<OpenRun> = Vec::new();
        for (packet, growth) in packets.iter().zip(around).filter(|(packet, _)| packet.growth.is_none()) {
            let lost =
                LostPacket { at: packet.at, growth, is_by_queue: rule.explains(packet.purpose, growth) };
            losses.lost.push(lost);
            open.resize(open.len().max(packet.place.0 + 1), OpenRun::default());
            let flight = &mut open[packet.place.0];
            if !flight.take(packet, lost) {
                losses.runs.extend(flight.replace(packet, lost));
            }
        }
        losses.runs.extend(open.into_iter().filter_map(|flight| flight.run).filter(|run| run.length > 1));
        losses.runs.sort_by_key(|run| run.from);
        losses
    }
}

/// The last losses of a flight that followed one another.
#[derive(Clone, Default)]
struct OpenRun {
    run: Option<LossRun>,
    next: u32,
}

impl OpenRun {
    /// Returns true if the loss continues the run.
    fn take(&mut self, packet: &SeenPacket, lost: LostPacket) -> bool {
        let Some(run) = self.run.as_mut().filter(|_| packet.place.1 == self.next) else { return false };
        run.to = lost.at;
        run.length += 1;
        self.next = packet.place.1.saturating_add(1);
        true
    }

    /// Begins a run, and returns the one that it ends.
    fn replace(&mut self, packet: &SeenPacket, lost: LostPacket) -> Option<LossRun> {
        self.next = packet.place.1.saturating_add(1);
        let run = LossRun { from: lost.at, to: lost.at, growth: lost.growth, length: 1 };
        self.run.replace(run).filter(|run| run.length > 1)
    }
}

/// When a queue explains a loss.
struct QueueRule {
    depth: Duration,
    is_policer: bool,
}

impl QueueRule {
    fn of(packets: &[SeenPacket], estimate: &DirectionEstimate) -> QueueRule {
        let told =
            estimate.queue.map(|queue| queue.depth_s.value).filter(|depth| depth.is_finite() && *depth > 0.0);
        let loaded = packets.iter().filter(|packet| is_load(packet.purpose));
        let seen = loaded.filter_map(|packet| packet.growth).max().unwrap_or_default();
        QueueRule {
            depth: told.map_or(seen, |depth| Duration::from_nanos((depth * 1e9) as u64)),
            is_policer: estimate.queue.is_some_and(|queue| queue.is_policer),
        }
    }

    /// Returns true if a packet of this purpose, lost where the others waited `growth`, met a full queue.
    fn explains(&self, purpose: Purpose, growth: Duration) -> bool {
        match purpose {
            Purpose::Rest | Purpose::Chance => false,
            _ if is_load(purpose) && (self.is_policer || self.depth < SHALLOW) => true,
            _ => growth * 2 >= self.depth.max(SHALLOW),
        }
    }
}

fn is_load(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Trains { .. } | Purpose::Fill | Purpose::Together)
}

/// For each packet the larger delay of the arrivals before and after it.
fn growth_around(packets: &[SeenPacket]) -> Vec<Duration> {
    let mut last = Duration::ZERO;
    let mut around: Vec<Duration> = Vec::with_capacity(packets.len());
    for packet in packets {
        last = packet.growth.unwrap_or(last);
        around.push(last);
    }
    let mut next = Duration::ZERO;
    for (packet, growth) in packets.iter().zip(&mut around).rev() {
        next = packet.growth.unwrap_or(next);
        *growth = next.max(*growth);
    }
    around
}

/// The delay of a queue that is too shallow to be seen in delays.
const SHALLOW: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;
    use anabranch_diagnose::{Estimated, Queue};

    use super::*;

    /// A flight with these delays in milliseconds, a packet each millisecond.
    fn course(purpose: Purpose, growth: &[Option<u64>]) -> Course {
        let packet = |(number, growth): (u32, &Option<u64>)| SeenPacket {
            at: Time::ZERO + Duration::from_millis(u64::from(number)),
            size: ByteCount::new(1_500),
            growth: growth.map(Duration::from_millis),
            purpose,
            place: (0, number),
        };
        Course { packets: (0..).zip(growth).map(packet).collect(), phases: vec![] }
    }

    fn by_queue(purpose: Purpose, growth: &[Option<u64>], estimate: &DirectionEstimate) -> Vec<bool> {
        Losses::of(&course(purpose, growth), estimate).lost.iter().map(|lost| lost.is_by_queue).collect()
    }

    #[test]
    fn a_loss_is_the_queues_where_others_waited_half_of_its_depth() {
        let growth = [Some(0), None, Some(10), Some(60), None, Some(100), None];
        let estimate = DirectionEstimate::default();
        assert_eq!(by_queue(Purpose::Fill, &growth, &estimate), [false, true, true]);
        assert_eq!(by_queue(Purpose::Chance, &growth, &estimate), [false, false, false]);
    }

    #[test]
    fn a_policer_explains_losses_without_delay_but_only_under_load() {
        let depth = Estimated { value: 0.05, ..Estimated::default() };
        let queue = Queue { depth_s: depth, depth_bytes: depth, is_at_least: false, is_policer: true };
        let estimate = DirectionEstimate { queue: Some(queue), ..DirectionEstimate::default() };
        assert_eq!(by_queue(Purpose::Fill, &[Some(0), None], &estimate), [true]);
        assert_eq!(by_queue(Purpose::Rest, &[Some(0), None], &estimate), [false]);
    }

    #[test]
    fn consecutive_losses_are_a_run() {
        let growth = [None, Some(1), None, None, None, Some(1), None, None];
        let losses = Losses::of(&course(Purpose::Chance, &growth), &DirectionEstimate::default());
        let runs: Vec<(u64, u32)> =
            losses.runs.iter().map(|run| (run.from.as_nanos() / 1_000_000, run.length)).collect();
        assert_eq!((losses.lost.len(), runs), (6, vec![(2, 3), (6, 2)]));
    }
}
