//! Associations that wait for their turn, each once, in the order in which they came.

use std::collections::{BTreeSet, VecDeque};

use super::AssociationId;

/// A queue without repetitions.
#[derive(Debug, Default)]
pub struct Turns {
    order: VecDeque<AssociationId>,
    waiting: BTreeSet<AssociationId>,
}

impl Turns {
    /// Puts `id` behind all others, unless it waits already.
    pub fn push(&mut self, id: AssociationId) {
        if self.order.back() != Some(&id) && self.waiting.insert(id) {
            self.order.push_back(id);
        }
    }

    /// Takes out the first.
    pub fn pop(&mut self) -> Option<AssociationId> {
        let id = self.order.pop_front()?;
        self.waiting.remove(&id);
        Some(id)
    }

    /// The association whose turn it is.
    pub fn first(&self) -> Option<AssociationId> {
        self.order.front().copied()
    }

    /// Whether `id` waits.
    pub fn contains(&self, id: AssociationId) -> bool {
        self.waiting.contains(&id)
    }

    /// All that wait, in their order.
    pub fn iter(&self) -> impl Iterator<Item = AssociationId> {
        self.order.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_already_keeps_the_place() {
        let mut turns = Turns::default();
        for number in [1, 2, 1, 2, 2, 3] {
            turns.push(AssociationId(number));
        }
        assert_eq!(turns.iter().collect::<Vec<_>>(), [1, 2, 3].map(AssociationId));
        assert_eq!(turns.pop(), Some(AssociationId(1)));
        assert!(!turns.contains(AssociationId(1)) && turns.contains(AssociationId(2)));
        turns.push(AssociationId(1));
        assert_eq!(turns.iter().collect::<Vec<_>>(), [2, 3, 1].map(AssociationId));
        assert_eq!(turns.first(), Some(AssociationId(2)));
    }
}
