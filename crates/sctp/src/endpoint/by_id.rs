//! The values that an endpoint keeps for each association, found by the association's id.

use super::AssociationId;

/// Values in the order of their ids. A new id is higher than all earlier ones, so its value is added at the end. When
/// a value is removed or an older one comes back, the values after it move.
#[derive(Debug)]
pub(super) struct ById<T> {
    values: Vec<(AssociationId, Box<T>)>,
}

impl<T> ById<T> {
    /// Adds a value, whose id has none.
    pub(super) fn insert(&mut self, id: AssociationId, value: T) {
        let place = self.values.partition_point(|(known, _)| *known < id);
        debug_assert!(self.values.get(place).is_none_or(|(known, _)| *known != id), "one value an id");
        self.values.insert(place, (id, Box::new(value)));
    }

    /// Removes a value and returns it.
    pub(super) fn remove(&mut self, id: AssociationId) -> Option<T> {
        let place = self.place(id)?;
        Some(*self.values.remove(place).1)
    }

    /// The value with this id, mutable.
    #[inline]
    pub(crate) fn value_mut(&mut self, id: AssociationId) -> Option<&mut T> {
        let place = self.place(id)?;
        self.values.get_mut(place).map(|(_, value)| &mut **value)
    }

    /// The value with this id.
    #[inline]
    pub(super) fn value(&self, id: AssociationId) -> Option<&T> {
        let place = self.place(id)?;
        self.values.get(place).map(|(_, value)| &**value)
    }

    /// The values with their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (AssociationId, &T)> {
        self.values.iter().map(|(id, value)| (*id, &**value))
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The index of a value. The last one is checked first: most endpoints have one association.
    #[inline]
    fn place(&self, id: AssociationId) -> Option<usize> {
        match self.values.last() {
            Some((last, _)) if *last == id => Some(self.values.len() - 1),
            _ => self.earlier_place(id),
        }
    }

    /// The index of a value that is not the last one. It stays out of the callers, which seldom need it.
    #[inline(never)]
    fn earlier_place(&self, id: AssociationId) -> Option<usize> {
        self.values.binary_search_by_key(&id, |(known, _)| *known).ok()
    }
}

impl<T> Default for ById<T> {
    fn default() -> ById<T> {
        ById { values: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_id_whichever_others_are_gone() {
        let mut values = ById::default();
        (1..=5).for_each(|id| values.insert(AssociationId(id), 10 * id));
        assert_eq!((values.remove(AssociationId(2)), values.remove(AssociationId(2))), (Some(20), None));
        assert_eq!(values.value(AssociationId(5)), Some(&50));
        if let Some(value) = values.value_mut(AssociationId(3)) {
            *value += 1;
        }
        values.insert(AssociationId(9), 90);
        values.insert(AssociationId(2), 21);
        let left: Vec<(u64, u64)> = values.iter().map(|(id, value)| (id.0, *value)).collect();
        assert_eq!((left, values.len()), (vec![(1, 10), (2, 21), (3, 31), (4, 40), (5, 50), (9, 90)], 6));
    }
}
