//! The expiry times of the timers of an endpoint's associations, in order.

use std::collections::BTreeSet;

use anabranch_base::Time;

use super::AssociationId;

/// The next timer of each association that has one. The first one is stored separately: an endpoint with one
/// association, whose timer changes with almost every packet, then searches no tree and allocates no node.
#[derive(Debug, Default)]
pub(super) struct Due {
    first: Option<(Time, AssociationId)>,
    /// The others, which expire later.
    others: BTreeSet<(Time, AssociationId)>,
}

impl Due {
    /// The next timer of association `id` was due at `before`, and is due at `after` now; `None` means no timer.
    pub(super) fn change(&mut self, id: AssociationId, before: Option<Time>, after: Option<Time>) {
        if before == after {
            return;
        }
        if let Some(before) = before {
            self.remove((before, id));
        }
        if let Some(after) = after {
            self.insert((after, id));
        }
    }

    /// The timers with their associations, the first one first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Time, AssociationId)> {
        self.first.into_iter().chain(self.others.iter().copied())
    }

    fn insert(&mut self, entry: (Time, AssociationId)) {
        match self.first {
            Some(first) if first < entry => {
                self.others.insert(entry);
            }
            later => {
                self.others.extend(later);
                self.first = Some(entry);
            }
        }
    }

    fn remove(&mut self, entry: (Time, AssociationId)) {
        if self.first == Some(entry) {
            self.first = self.others.pop_first();
        } else {
            self.others.remove(&entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    proptest! {
        /// Timers of five associations, some of which expire at the same time, are set, moved and stopped.
        #[test]
        fn timers_are_in_the_order_of_their_times_whatever_changes(
            steps in proptest::collection::vec((0_u64..5, proptest::option::of(0_u64..6)), 0..40),
        ) {
            let mut due = Due::default();
            let mut expected = BTreeMap::new();
            for (id, after) in steps {
                let (id, after) = (AssociationId(id), after.map(Time::from_nanos));
                let before = expected.remove(&id);
                expected.extend(after.map(|after| (id, after)));
                due.change(id, before, after);
                let mut sorted: Vec<_> = expected.iter().map(|(id, at)| (*at, *id)).collect();
                sorted.sort_unstable();
                prop_assert_eq!(due.iter().collect::<Vec<_>>(), sorted);
            }
        }
    }
}
