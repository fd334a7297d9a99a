//! The time of each association's next timer, in order; one entry an association.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_base::Time;

use super::AssociationId;

/// The times. A new one replaces the old, so that none is out of date.
#[derive(Debug, Default)]
pub struct Deadlines {
    in_order: BTreeSet<(Time, AssociationId)>,
    of: BTreeMap<AssociationId, Time>,
}

impl Deadlines {
    /// Sets when the next timer of `id` is due; `None` if none runs.
    pub fn set(&mut self, id: AssociationId, due: Option<Time>) {
        let before = self.of.get(&id).copied();
        if before == due {
            return;
        }
        if let Some(before) = before {
            self.in_order.remove(&(before, id));
        }
        match due {
            Some(due) => {
                self.in_order.insert((due, id));
                self.of.insert(id, due);
            }
            None => {
                self.of.remove(&id);
            }
        }
    }

    /// All times, the earliest first.
    pub fn iter(&self) -> impl Iterator<Item = (Time, AssociationId)> {
        self.in_order.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_put_off_a_thousand_times_is_kept_once() {
        let mut deadlines = Deadlines::default();
        let (one, other) = (AssociationId(1), AssociationId(2));
        deadlines.set(other, Some(Time::from_nanos(700)));
        for nanos in 0..1_000 {
            deadlines.set(one, Some(Time::from_nanos(nanos)));
        }
        let expected = [(Time::from_nanos(700), other), (Time::from_nanos(999), one)];
        assert_eq!(deadlines.iter().collect::<Vec<_>>(), expected);
        deadlines.set(other, None);
        deadlines.set(one, None);
        assert_eq!((deadlines.iter().count(), deadlines.of.len()), (0, 0));
    }
}
