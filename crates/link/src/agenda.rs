//! When each node of a network is to be woken. The order is the same in every run.

use std::hint::select_unpredictable;

use anabranch_base::Time;

/// A node of a network, by its number.
pub type NodeIndex = u32;

/// At most one wake-up for each node: for the nodes of a [`Fabric`](crate::Fabric), and for further nodes of its
/// driver. Wake-ups at equal times come in the order of their requests.
///
/// A node that asks for a later wake-up than before is woken at the earlier time, and asks again: so timers that move
/// with every packet cost nothing.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// A tournament tree: the nodes' requests are at the places from `leaves` on. Each place below `leaves` has the
    /// earlier request of the pair at `2 place` and `2 place + 1`; the earliest of all is at place 1. A request that
    /// is replaced leaves nothing behind.
    tree: Vec<[WakeRequest; 2]>,
    leaves: usize,
    requests: u64,
    /// The node that was taken last, if its request still stands in the tree: most nodes ask again at once, and then the tree
    /// is climbed once for both.
    taken: Option<NodeIndex>,
}

/// The time, the number of the request, and the node, in one number, so that the earlier request is the smaller
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WakeRequest(u128);

impl Agenda {
    /// An agenda of `nodes` nodes without wake-ups.
    ///
    /// # Panics
    /// `nodes` is more than 16,777,216.
    pub fn new(nodes: usize) -> Agenda {
        assert!(nodes <= 1 << NODE_BITS, "an agenda has room for {} nodes, not for {nodes}", 1 << NODE_BITS);
        let leaves = nodes.next_power_of_two();
        Agenda { tree: vec![[WakeRequest::NONE; 2]; leaves], leaves, requests: 0, taken: None }
    }

    /// Wakes `node` at the time `at`, or earlier if it asked for that before.
    pub fn arm(&mut self, node: NodeIndex, at: Time) {
        let is_taken = self.taken == Some(node);
        let mut place = self.leaves + node as usize;
        if !is_taken && self.tree[place / 2][place % 2].at() <= at {
            return;
        }
        // Requests after the last number are in the order of the nodes.
        self.requests = (self.requests + 1).min(LAST_REQUEST);
        let wish = WakeRequest::new(at, self.requests, node);
        if is_taken {
            self.taken = None;
            return self.replace(node, wish);
        }
        // A request that was taken may stand in the way: the climb for its node takes what is below it along.
        while place > 0 && wish.is_sooner(self.tree[place / 2][place % 2]) {
            self.tree[place / 2][place % 2] = wish;
            place /= 2;
        }
    }

    /// When the next node is to be woken.
    pub fn next(&self) -> Option<Time> {
        let Some(node) = self.taken else { return self.tree[0][1].time() };
        let mut place = self.leaves + node as usize;
        let mut soonest = WakeRequest::NONE;
        while place > 0 {
            soonest = soonest.or_sooner(self.tree[place / 2][1 - place % 2]);
            place /= 2;
        }
        soonest.time()
    }

    /// Removes the next wake-up if it is due at `until` or earlier, and returns its time and its node.
    #[inline]
    pub fn take_until(&mut self, until: Time) -> Option<(Time, NodeIndex)> {
        self.settle();
        let wish = self.tree[0][1];
        if wish == WakeRequest::NONE || wish.at() > until {
            return None;
        }
        self.taken = Some(wish.node());
        Some((wish.at(), wish.node()))
    }

    /// Removes the next wake-up, and returns its time and its node.
    pub fn take(&mut self) -> Option<(Time, NodeIndex)> {
        let taken = self.take_until(Time::from_nanos(u64::MAX));
        // A driver that takes without a limit asks for the next time again and again.
        self.settle();
        taken
    }

    /// Removes the request that was taken, if it still stands in the tree.
    #[inline]
    fn settle(&mut self) {
        if let Some(node) = self.taken.take() {
            self.replace(node, WakeRequest::NONE);
        }
    }

    /// Replaces the earliest request, which is that of `node`.
    fn replace(&mut self, node: NodeIndex, wish: WakeRequest) {
        let mut place = self.leaves + node as usize;
        let mut soonest = wish;
        while place > 0 {
            let pair = &mut self.tree[place / 2];
            pair[place % 2] = soonest;
            soonest = soonest.or_sooner(pair[1 - place % 2]);
            place /= 2;
        }
    }
}

impl WakeRequest {
    /// The request of a node without a wake-up: later than all others.
    const NONE: WakeRequest = WakeRequest(u128::MAX);

    fn new(at: Time, request: u64, node: NodeIndex) -> WakeRequest {
        WakeRequest(u128::from(at.as_nanos()) << 64 | u128::from(request << NODE_BITS | u64::from(node)))
    }

    fn is_sooner(self, other: WakeRequest) -> bool {
        self.0 < other.0
    }

    /// This one, or `other` if that is sooner.
    #[inline]
    fn or_sooner(self, other: WakeRequest) -> WakeRequest {
        // A branch predictor could not predict which of the two it is.
        select_unpredictable(other.is_sooner(self), other, self)
    }

    /// The time; `None` without a wake-up.
    fn time(self) -> Option<Time> {
        (self != WakeRequest::NONE).then(|| self.at())
    }

    fn at(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    fn node(self) -> NodeIndex {
        (self.0 as NodeIndex) & ((1 << NODE_BITS) - 1)
    }
}

/// 24 bits for the node leave 40 bits for the number of the request: at one request every 120 ns, enough for a day
/// and a half.
const NODE_BITS: u32 = 24;
const LAST_REQUEST: u64 = (1 << (u64::BITS - NODE_BITS)) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds)
    }

    #[test]
    fn equal_moments_come_in_the_order_of_the_requests() {
        let mut agenda = Agenda::new(4);
        for (node, moment) in [(3, 5), (1, 5), (0, 4), (2, 5)] {
            agenda.arm(node, at(moment));
        }
        let order: Vec<NodeIndex> = std::iter::from_fn(|| agenda.take()).map(|(_, node)| node).collect();
        assert_eq!(order, [0, 3, 1, 2]);
    }

    #[test]
    fn an_earlier_wish_replaces_a_later_one_and_a_later_one_waits_for_the_wake_up() {
        let mut agenda = Agenda::new(1);
        agenda.arm(0, at(9));
        agenda.arm(0, at(4));
        agenda.arm(0, at(7));
        assert_eq!(agenda.take(), Some((at(4), 0)));
        assert_eq!(agenda.take(), None);
        agenda.arm(0, at(7));
        assert_eq!(agenda.next(), Some(at(7)));
    }

    #[test]
    fn requests_while_a_taken_one_stands_in_the_tree_are_kept() {
        let mut agenda = Agenda::new(8);
        agenda.arm(3, at(1));
        assert_eq!((agenda.take_until(at(0)), agenda.take_until(at(1))), (None, Some((at(1), 3))));
        assert_eq!(agenda.next(), None);
        // Neighbours of the taken node, near and far, and at last the node itself.
        for (node, moment) in [(2, 9), (0, 8), (7, 7), (3, 6)] {
            agenda.arm(node, at(moment));
        }
        let order: Vec<NodeIndex> = std::iter::from_fn(|| agenda.take()).map(|(_, node)| node).collect();
        assert_eq!(order, [3, 7, 0, 2]);
    }

    /// Compared with a list that is searched from its beginning.
    #[test]
    fn it_wakes_the_node_that_a_plain_list_would_wake() {
        let mut agenda = Agenda::new(50);
        let mut list: Vec<(Time, u64, NodeIndex)> = Vec::new();
        let mut random = 1_u64;
        for request in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (node, moment) = ((random >> 33) as NodeIndex % 50, at(random >> 40 & 0x3ff));
            if random >> 62 == 0 {
                list.sort_unstable();
                let first = (!list.is_empty()).then(|| list.remove(0));
                // Either leaves the tree in another state.
                let is_limited = random >> 61 & 1 == 0;
                let taken = if is_limited { agenda.take_until(at(u64::MAX)) } else { agenda.take() };
                assert_eq!(taken, first.map(|(at, _, node)| (at, node)));
                assert_eq!(agenda.next(), list.first().map(|(at, ..)| *at));
            } else if !list.iter().any(|(at, _, other)| *other == node && *at <= moment) {
                list.retain(|(_, _, other)| *other != node);
                list.push((moment, request, node));
            }
            if random >> 62 != 0 {
                agenda.arm(node, moment);
            }
        }
    }
}
