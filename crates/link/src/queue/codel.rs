//! Controlled delay: drops or marks at the head while the least delay of an interval is too long (RFC 8289).

use std::collections::VecDeque;
use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Time};

use super::timed::Timed;
use super::{LineView, Queue, Taken};
use crate::config::{CoDelConfig, QueueLimit};
use crate::packet::{Backlog, Packet};

/// A queue with controlled delay.
#[derive(Debug)]
pub(super) struct CoDel<L> {
    limit: QueueLimit,
    waiting: Controlled<L>,
    leaving: Leaving<L>,
}

/// Waiting packets whose delay is controlled, without a limit.
#[derive(Debug)]
pub(super) struct Controlled<L> {
    waiting: Timed<L>,
    /// The largest packet so far, which always waits while the line is busy.
    largest: ByteCount,
    law: ControlLaw,
    ecn: bool,
    marked: u64,
}

/// Packets that were dropped, and the packet that is transmitted after them: a queue gives them to the line one by one.
#[derive(Debug)]
pub(super) struct Leaving<L> {
    dropped: VecDeque<Packet<L>>,
    next: Option<Packet<L>>,
}

/// When packets are dropped. It sees the delay of each packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ControlLaw {
    target: Duration,
    interval: Duration,
    /// When the delay will have been too long for an interval; `None` while it is not.
    too_long_at: Option<Time>,
    is_dropping: bool,
    drop_next: Time,
    /// Drops since dropping began.
    count: u32,
    /// The count when dropping began last.
    last_count: u32,
}

impl ControlLaw {
    /// Nothing was delayed.
    pub(super) fn new(config: &CoDelConfig) -> ControlLaw {
        ControlLaw {
            target: config.target,
            interval: config.interval,
            too_long_at: None,
            is_dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Returns true if packets may be dropped: the packet that leaves waited `delay`, as all did in the last interval. `is_last` if
    /// no more than a packet waits behind it. (`dodequeue` of RFC 8289 §5.6)
    fn may_drop(&mut self, delay: Duration, is_last: bool, now: Time) -> bool {
        if delay < self.target || is_last {
            self.too_long_at = None;
            return false;
        }
        let at = *self.too_long_at.get_or_insert(now + self.interval);
        now >= at
    }

    /// Nothing waits.
    fn on_empty(&mut self) {
        self.too_long_at = None;
        self.is_dropping = false;
    }

    /// Returns true if the packet that leaves, which `may_drop` is said of, is dropped: the rate of drops rises with the square root
    /// of their number, until the delay falls below the target. (`deque` of RFC 8289 §5.5)
    fn drops(&mut self, may_drop: bool, now: Time) -> bool {
        if self.is_dropping {
            self.is_dropping = may_drop;
            if !may_drop || now < self.drop_next {
                return false;
            }
            self.count += 1;
            self.drop_next = self.after(self.drop_next);
            return true;
        }
        if !may_drop {
            return false;
        }
        self.is_dropping = true;
        // Dropping resumes with nearly the rate that controlled the delay last, if that was not long ago.
        let delta = self.count - self.last_count;
        let is_recent = now < self.drop_next + self.interval * 16;
        self.count = if delta > 1 && is_recent { delta } else { 1 };
        self.drop_next = self.after(now);
        self.last_count = self.count;
        true
    }

    /// When the next packet is dropped after one at `time`.
    fn after(&self, time: Time) -> Time {
        let nanos = self.interval.as_nanos() as f64 / libm::sqrt(f64::from(self.count));
        time + Duration::from_nanos(nanos as u64)
    }
}

impl<L> Controlled<L> {
    /// Nothing waits.
    pub(super) fn new(config: &CoDelConfig) -> Controlled<L> {
        Controlled {
            waiting: Timed::new(),
            largest: ByteCount::ZERO,
            law: ControlLaw::new(config),
            ecn: config.ecn,
            marked: 0,
        }
    }

    /// The packets that wait.
    pub(super) fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    /// Packets marked so far.
    pub(super) fn marked(&self) -> u64 {
        self.marked
    }

    /// `packet` arrived at `now`.
    pub(super) fn push(&mut self, now: Time, packet: Packet<L>) {
        self.largest = self.largest.max(packet.size);
        self.waiting.push(now, packet);
    }

    /// The packet that arrived first, whatever its delay is.
    pub(super) fn discard(&mut self) -> Option<Packet<L>> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    /// Takes packets from the head until one is not dropped. That one is returned; the others are appended to `dropped`.
    pub(super) fn take(&mut self, now: Time, dropped: &mut VecDeque<Packet<L>>) -> Option<Packet<L>> {
        while let Some((since, mut packet)) = self.waiting.pop() {
            let is_last = self.backlog().bytes <= self.largest;
            let may_drop = self.law.may_drop(now.since(since), is_last, now);
            if !self.law.drops(may_drop, now) {
                return Some(packet);
            }
            if self.ecn && packet.mark() {
                self.marked += 1;
                return Some(packet);
            }
            dropped.push_back(packet);
        }
        self.law.on_empty();
        None
    }
}

impl<L> Leaving<L> {
    /// Nothing leaves.
    pub(super) fn new() -> Leaving<L> {
        Leaving { dropped: VecDeque::new(), next: None }
    }

    /// The next packet for the line. If none is left, `more` gives the next packet to transmit, and drops others.
    pub(super) fn take(
        &mut self,
        more: impl FnOnce(&mut VecDeque<Packet<L>>) -> Option<Packet<L>>,
    ) -> Option<Taken<L>> {
        if self.next.is_none() {
            self.next = more(&mut self.dropped);
        }
        match self.dropped.pop_front() {
            Some(packet) => Some(Taken::Refused(packet)),
            None => self.next.take().map(Taken::Next),
        }
    }
}

impl<L> CoDel<L> {
    /// An empty queue.
    pub(super) fn new(config: &CoDelConfig) -> CoDel<L> {
        CoDel { limit: config.limit, waiting: Controlled::new(config), leaving: Leaving::new() }
    }
}

impl<L: Debug + Send> Queue<L> for CoDel<L> {
    fn offer(&mut self, line: LineView, packet: Packet<L>) -> Result<(), Packet<L>> {
        if !self.limit.has_room(self.waiting.backlog(), packet.size) {
            return Err(packet);
        }
        self.waiting.push(line.now, packet);
        Ok(())
    }

    fn take(&mut self, line: LineView) -> Option<Taken<L>> {
        self.leaving.take(|dropped| self.waiting.take(line.now, dropped))
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        self.waiting.discard()
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }

    fn marked(&self) -> u64 {
        self.waiting.marked()
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Ecn;

    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + ms(milliseconds)
    }

    fn line(milliseconds: u64) -> LineView {
        LineView { now: at(milliseconds), rate: None }
    }

    fn packet(ecn: Ecn) -> Packet<u64> {
        Packet { ecn, ..Packet::new(ByteCount::new(1_500), 0) }
    }

    /// Times of drops, in ms, of packets that leave every millisecond after 20 ms, until 1,000 ms.
    fn drops(law: &mut ControlLaw, delay: impl Fn(u64) -> u64) -> Vec<u64> {
        let dropped = |now: &u64| {
            let may_drop = law.may_drop(ms(delay(*now)), false, at(*now));
            law.drops(may_drop, at(*now))
        };
        (0..1_000).filter(dropped).collect()
    }

    /// After an interval of 100 ms: at once, after 100/√1 ms, then 100/√2, 100/√3, …
    #[test]
    fn the_rate_of_drops_rises_with_the_square_root_of_their_number() {
        let mut law = ControlLaw::new(&CoDelConfig::DEFAULT);
        let expected = [100.0, 200.0, 270.7, 328.4, 378.4, 423.2, 464.0, 501.8, 537.1, 570.5];
        let found = drops(&mut law, |_| 20);
        let ceilings: Vec<u64> = expected.iter().map(|time| f64::ceil(*time) as u64).collect();
        assert_eq!(found[..10], ceilings[..]);
    }

    #[test]
    fn one_packet_that_is_not_late_begins_a_new_interval() {
        let mut law = ControlLaw::new(&CoDelConfig::DEFAULT);
        assert_eq!(drops(&mut law, |now| if now == 90 { 4 } else { 20 })[0], 191);
        let mut law = ControlLaw::new(&CoDelConfig::DEFAULT);
        assert_eq!(drops(&mut law, |_| 4), [0; 0]);
    }

    /// Nine drops until 570 ms; then no delay until 700 ms; then too long again: one interval later dropping goes on with
    /// nearly the rate that it had.
    #[test]
    fn dropping_resumes_with_the_rate_that_it_had() {
        let mut law = ControlLaw::new(&CoDelConfig::DEFAULT);
        let found = drops(&mut law, |now| if (571..700).contains(&now) { 0 } else { 20 });
        let later: Vec<u64> = found.into_iter().filter(|time| *time > 571).collect();
        assert_eq!(later[..3], [800, 836, 869], "100/√8 and 100/√9 ms");
    }

    #[test]
    fn what_would_be_dropped_is_marked_if_its_transport_understands_marks() {
        let run = |ecn| {
            let mut queue = CoDel::new(&CoDelConfig::DEFAULT);
            for _ in 0..200 {
                queue.offer(line(0), packet(ecn)).expect("there is room");
            }
            let (mut refused, mut gone) = (0, 0);
            for now in 20..140 {
                while let Some(Taken::Refused(_)) = queue.take(line(now)) {
                    refused += 1;
                }
                gone += 1;
            }
            (refused, queue.marked(), 200 - queue.backlog().packets - refused - gone)
        };
        assert_eq!(run(Ecn::NotEct), (1, 0, 0));
        assert_eq!(run(Ecn::Ect0), (0, 1, 0));
    }

    #[test]
    fn the_last_packet_is_never_dropped() {
        let mut queue = CoDel::new(&CoDelConfig::DEFAULT);
        for now in (0..10_000).step_by(10) {
            queue.offer(line(now), packet(Ecn::NotEct)).expect("there is room");
            if now > 0 {
                assert!(matches!(queue.take(line(now + 9)), Some(Taken::Next(_))), "{now}");
            }
        }
    }

    #[test]
    fn a_full_queue_refuses() {
        let limit = QueueLimit::Packets(2);
        let mut queue = CoDel::new(&CoDelConfig { limit, ..CoDelConfig::DEFAULT });
        let taken = [(); 3].map(|()| queue.offer(line(0), packet(Ecn::Ect0)).is_ok());
        assert_eq!(taken, [true, true, false]);
        assert!(queue.discard().is_some() && queue.discard().is_some() && queue.discard().is_none());
        assert_eq!(queue.backlog(), Backlog::default());
    }
}
