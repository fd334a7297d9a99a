//! Who is to be woken when. It knows moments and numbers of nodes, not what a node is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use anabranch_base::Time;

/// A node of a network, by its number.
pub type NodeIndex = u32;

/// At most one wake-up a node. Equal moments come in the order in which they were asked for.
///
/// A node that wants to be woken later than it asked before is woken at the earlier moment, and asks again: timers
/// that move on with every packet cost nothing.
#[derive(Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Reverse<(Time, u64, NodeIndex)>>,
    /// The valid entry of each node.
    armed: Vec<Option<(Time, u64)>>,
    requests: u64,
}

impl Agenda {
    /// An agenda of so many nodes, none of which is to be woken.
    pub fn new(nodes: usize) -> Agenda {
        Agenda { heap: BinaryHeap::new(), armed: vec![None; nodes], requests: 0 }
    }

    /// Wakes `node` at `at`, or earlier if it asked for that before.
    pub fn arm(&mut self, node: NodeIndex, at: Time) {
        let slot = &mut self.armed[node as usize];
        if slot.is_some_and(|(armed, _)| armed <= at) {
            return;
        }
        self.requests += 1;
        *slot = Some((at, self.requests));
        self.heap.push(Reverse((at, self.requests, node)));
    }

    /// When the next node is to be woken.
    pub fn next(&mut self) -> Option<Time> {
        while let Some(Reverse((at, request, node))) = self.heap.peek() {
            if self.armed[*node as usize] == Some((*at, *request)) {
                return Some(*at);
            }
            self.heap.pop();
        }
        None
    }

    /// The next node to be woken, and when.
    pub fn take(&mut self) -> Option<(Time, NodeIndex)> {
        self.next()?;
        let Reverse((at, _, node)) = self.heap.pop()?;
        self.armed[node as usize] = None;
        Some((at, node))
    }
}

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
}
