//! Flow queueing with controlled delay: each flow has a queue with controlled delay, the queues take turns, and flows with
//! few packets go first (RFC 8290).

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;

use anabranch_base::Seed;

use super::codel::{Controlled, Leaving};
use super::{LineView, Queue, Taken};
use crate::config::{CoDelConfig, FqCoDelConfig, QueueLimit};
use crate::packet::{Backlog, Packet, Payload};
use crate::random::Random;

/// A set of queues, one for each flow; flows whose hashes collide share a queue.
#[derive(Debug)]
pub(super) struct FqCoDel<L> {
    limit: QueueLimit,
    quantum: i64,
    /// The queues that had packets so far, by number.
    queues: BTreeMap<u64, FlowQueue<L>>,
    flows: u64,
    control: CoDelConfig,
    /// The queues that take turns, by number: those that had nothing to send until now, and all others.
    fresh: VecDeque<u64>,
    settled: VecDeque<u64>,
    /// The packets in the queues.
    backlog: Backlog,
    /// Packets dropped for the last packet that arrived.
    shed: VecDeque<Packet<L>>,
    leaving: Leaving<L>,
    /// Added to flows before they are hashed, so that collisions of flows are unpredictable.
    salt: u64,
}

/// The queue of a flow.
#[derive(Debug)]
struct FlowQueue<L> {
    waiting: Controlled<L>,
    /// The number of bytes it may send before the turn of the next queue.
    credit: i64,
    /// True if it is in one of the lists.
    is_listed: bool,
}

impl<L> FlowQueue<L> {
    fn new(control: &CoDelConfig) -> FlowQueue<L> {
        FlowQueue { waiting: Controlled::new(control), credit: 0, is_listed: false }
    }
}

impl<L: Payload> FqCoDel<L> {
    /// Empty queues, with a salt from `seed`.
    pub(super) fn new(config: &FqCoDelConfig, seed: &Seed) -> FqCoDel<L> {
        let FqCoDelConfig { limit, target, interval, ecn, .. } = *config;
        FqCoDel {
            limit,
            quantum: i64::try_from(config.quantum.get()).unwrap_or(i64::MAX),
            queues: BTreeMap::new(),
            flows: config.flows.max(1),
            control: CoDelConfig { limit, target, interval, ecn },
            fresh: VecDeque::new(),
            settled: VecDeque::new(),
            backlog: Backlog::default(),
            shed: VecDeque::new(),
            leaving: Leaving::new(),
            salt: Random::new(seed).bits(),
        }
    }

    /// The number of the queue for a flow.
    fn number_of(&self, flow: u64) -> u64 {
        mixed(flow ^ self.salt) % self.flows
    }

    /// Drops half of the packets of the longest queue, at most 64, from its head (RFC 8290 §4.1).
    fn shorten_longest(&mut self) {
        let longest = self.queues.values_mut().max_by_key(|queue| queue.waiting.backlog().bytes);
        let Some(longest) = longest else { return };
        let count = longest.waiting.backlog().packets.div_ceil(2).min(LARGEST_BATCH);
        for packet in (0..count).map_while(|_| longest.waiting.discard()) {
            self.backlog.leave(packet.size);
            self.shed.push_back(packet);
        }
    }

    /// The next packet to transmit (RFC 8290 §4.2). Packets that the control of delay drops are appended to `dropped`.
    fn next(
        queues: &mut BTreeMap<u64, FlowQueue<L>>,
        lists: [&mut VecDeque<u64>; 2],
        quantum: i64,
        line: LineView,
        dropped: &mut VecDeque<Packet<L>>,
    ) -> Option<Packet<L>> {
        let [fresh, settled] = lists;
        loop {
            let is_fresh = !fresh.is_empty();
            let list = if is_fresh { &mut *fresh } else { &mut *settled };
            let number = list.pop_front()?;
            let Some(queue) = queues.get_mut(&number) else { continue };
            if queue.credit <= 0 {
                queue.credit += quantum;
                settled.push_back(number);
                continue;
            }
            match queue.waiting.take(line.now, dropped) {
                Some(packet) => {
                    let size = i64::try_from(packet.size.get()).unwrap_or(i64::MAX);
                    queue.credit = queue.credit.saturating_sub(size);
                    list.push_front(number);
                    return Some(packet);
                }
                // Otherwise a flow that sends again and again a packet that comes late would always go first.
                None if is_fresh => settled.push_back(number),
                None => queue.is_listed = false,
            }
        }
    }
}

impl<L: Payload> Queue<L> for FqCoDel<L> {
    fn offer(&mut self, line: LineView, packet: Packet<L>) -> Result<(), Packet<L>> {
        if !self.limit.has_room(Backlog::default(), packet.size) {
            return Err(packet);
        }
        let number = self.number_of(packet.load.flow());
        let queue = self.queues.entry(number).or_insert_with(|| FlowQueue::new(&self.control));
        self.backlog.join(packet.size);
        queue.waiting.push(line.now, packet);
        if !std::mem::replace(&mut queue.is_listed, true) {
            queue.credit = self.quantum;
            self.fresh.push_back(number);
        }
        while self.limit.is_exceeded(self.backlog) {
            self.shorten_longest();
        }
        Ok(())
    }

    fn shed(&mut self) -> Option<Packet<L>> {
        self.shed.pop_front()
    }

    fn take(&mut self, line: LineView) -> Option<Taken<L>> {
        let FqCoDel { queues, fresh, settled, quantum, backlog, .. } = self;
        self.leaving.take(|dropped| {
            let known = dropped.len();
            let next = FqCoDel::next(queues, [fresh, settled], *quantum, line, dropped);
            dropped.range(known..).chain(&next).for_each(|packet| backlog.leave(packet.size));
            next
        })
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        loop {
            let number = self.fresh.front().or(self.settled.front()).copied()?;
            let queue = self.queues.get_mut(&number)?;
            if let Some(packet) = queue.waiting.discard() {
                self.backlog.leave(packet.size);
                return Some(packet);
            }
            queue.is_listed = false;
            let list = if self.fresh.is_empty() { &mut self.settled } else { &mut self.fresh };
            list.pop_front();
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn marked(&self) -> u64 {
        self.queues.values().map(|queue| queue.waiting.marked()).sum()
    }
}

/// A hash of 64 bits (the finalizer of SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// The most packets that are dropped at once because the limit is exceeded (RFC 8290 §4.1).
const LARGEST_BATCH: u64 = 64;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Ecn, Time};

    use super::*;

    fn line(milliseconds: u64) -> LineView {
        LineView { now: Time::ZERO + Duration::from_millis(milliseconds), rate: None }
    }

    fn packet(flow: u64, size: u64) -> Packet<u64> {
        Packet { ecn: Ecn::Ect0, ..Packet::new(ByteCount::new(size), flow) }
    }

    fn queue(config: &FqCoDelConfig) -> FqCoDel<u64> {
        FqCoDel::new(config, &Seed::from_number(1))
    }

    fn with_quantum(bytes: u64) -> FqCoDel<u64> {
        queue(&FqCoDelConfig { quantum: ByteCount::new(bytes), ..FqCoDelConfig::DEFAULT })
    }

    impl FqCoDel<u64> {
        fn add(&mut self, flow: u64, size: u64) {
            self.offer(line(0), packet(flow, size)).expect("there is room");
        }

        fn flow(&self, flow: u64) -> &FlowQueue<u64> {
            &self.queues[&self.number_of(flow)]
        }

        /// The credit of a flow, and whether it is in the list of fresh flows.
        fn state(&self, flow: u64) -> (i64, bool) {
            (self.flow(flow).credit, self.fresh.contains(&self.number_of(flow)))
        }

        /// The flow whose packet is transmitted next.
        fn next_flow(&mut self) -> Option<u64> {
            loop {
                match self.take(line(0))? {
                    Taken::Next(packet) => return Some(packet.load),
                    Taken::Refused(_) => {}
                }
            }
        }
    }

    /// The numbers of ns-3's suite `fq-codel-queue-disc`, test of credits and states: quantum 90, packets of 120 bytes.
    #[test]
    fn credits_and_lists_are_those_of_the_suite_of_ns3() {
        let mut queue = with_quantum(90);
        queue.add(1, 120);
        assert_eq!(queue.state(1), (90, true));
        assert_eq!(queue.next_flow(), Some(1));
        assert_eq!((queue.state(1), queue.backlog().packets), ((-30, true), 0));
        queue.add(1, 120);
        queue.add(1, 120);
        assert_eq!(queue.state(1), (-30, true), "it is fresh as long as it had no second turn");
        queue.add(2, 120);
        queue.add(2, 120);
        assert_eq!(queue.state(2), (90, true));
        assert_eq!(queue.next_flow(), Some(2), "the first has no credit");
        assert_eq!((queue.state(1), queue.state(2)), ((60, false), (-30, true)));
        assert_eq!(queue.next_flow(), Some(1));
        assert_eq!((queue.state(1), queue.state(2)), ((-60, false), (60, false)));
        assert_eq!(queue.next_flow(), Some(2));
        assert_eq!((queue.state(1), queue.state(2)), ((30, false), (-60, false)));
        assert_eq!((queue.next_flow(), queue.next_flow()), (Some(1), None));
        assert!(!queue.flow(1).is_listed && !queue.flow(2).is_listed);
    }

    /// The numbers of its test of flows and limit: four packets of 120 bytes fit, the fifth costs the longest flow two.
    #[test]
    fn the_longest_flow_pays_for_a_packet_beyond_the_limit() {
        let mut queue = queue(&FqCoDelConfig { limit: QueueLimit::Packets(4), ..FqCoDelConfig::DEFAULT });
        [1, 1, 1, 2, 2].into_iter().for_each(|flow| queue.add(flow, 120));
        let left = [1, 2].map(|flow| queue.flow(flow).waiting.backlog().packets);
        assert_eq!(left, [1, 2]);
        assert_eq!(std::iter::from_fn(|| queue.shed()).map(|packet| packet.load).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(queue.backlog().packets, 3);
    }

    /// RFC 8290 §1.1: a flow that sends less than a quantum in a round has no queue of its own to wait in.
    #[test]
    fn a_sparse_flow_does_not_wait_behind_a_full_one() {
        let mut queue = with_quantum(1_514);
        (0..50).for_each(|_| queue.add(1, 1_500));
        assert_eq!([(); 2].map(|()| queue.next_flow()), [Some(1); 2]);
        queue.add(2, 100);
        assert_eq!([(); 2].map(|()| queue.next_flow()), [Some(2), Some(1)]);
    }

    #[test]
    fn full_flows_share_the_line_by_bytes() {
        let mut queue = with_quantum(1_514);
        (0..400).for_each(|_| queue.add(1, 1_500));
        (0..1_200).for_each(|_| queue.add(2, 500));
        let mut bytes = [0; 2];
        for _ in 0..600 {
            let flow = queue.next_flow().expect("much waits");
            bytes[flow as usize - 1] += if flow == 1 { 1_500 } else { 500 };
        }
        assert!(i64::abs(bytes[0] - bytes[1]) <= 3 * 1_514, "{bytes:?}");
    }

    #[test]
    fn each_flow_has_a_delay_of_its_own() {
        let mut queue = with_quantum(1_514);
        (0..300).for_each(|_| queue.add(1, 1_500));
        for now in 0..200 {
            queue.offer(line(now), packet(2, 500)).expect("there is room");
            while let Some(Taken::Refused(_)) = queue.take(line(now)) {}
            while let Some(Taken::Refused(_)) = queue.take(line(now)) {}
        }
        let marked = [1, 2].map(|flow| queue.flow(flow).waiting.marked());
        assert!(marked[0] > 0 && marked[1] == 0, "{marked:?}");
        assert_eq!(queue.marked(), marked[0]);
    }

    #[test]
    fn a_link_that_goes_down_loses_them_all() {
        let mut queue = queue(&FqCoDelConfig { limit: QueueLimit::Packets(4), ..FqCoDelConfig::DEFAULT });
        [1, 1, 1, 2, 2, 3].into_iter().for_each(|flow| queue.add(flow, 120));
        assert_eq!(std::iter::from_fn(|| queue.shed()).count(), 2);
        assert_eq!(std::iter::from_fn(|| queue.discard()).count(), 4);
        assert_eq!(queue.backlog(), Backlog::default());
        queue.add(1, 120);
        assert_eq!(queue.next_flow(), Some(1));
    }
}
