//! A list of the newest of something: where too many are present, the oldest give way.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The values that are present, the oldest first. Clones share the list.
#[derive(Debug)]
pub(crate) struct Newest<T> {
    present: Arc<Mutex<Present<T>>>,
    most: usize,
}

/// A place in the list, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Place<T> {
    list: Newest<T>,
    number: u64,
}

#[derive(Debug)]
struct Present<T> {
    values: VecDeque<(u64, T)>,
    next_number: u64,
}

impl<T> Newest<T> {
    /// A list of at most `most` values, at least one.
    pub(crate) fn new(most: usize) -> Newest<T> {
        let present = Present { values: VecDeque::new(), next_number: 0 };
        Newest { present: Arc::new(Mutex::new(present)), most: most.max(1) }
    }

    /// Adds a value. Returns its place, and the values that give way.
    pub(crate) fn enter(&self, value: T) -> (Place<T>, Vec<T>) {
        let mut present = self.lock();
        let number = present.next_number;
        present.next_number += 1;
        present.values.push_back((number, value));
        let excess = present.values.len().saturating_sub(self.most);
        let displaced = present.values.drain(..excess).map(|(_, value)| value).collect();
        (Place { list: self.clone(), number }, displaced)
    }

    fn lock(&self) -> MutexGuard<'_, Present<T>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Newest<T> {
    fn clone(&self) -> Newest<T> {
        Newest { present: Arc::clone(&self.present), most: self.most }
    }
}

impl<T> Drop for Place<T> {
    fn drop(&mut self) {
        self.list.lock().values.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_give_way_and_a_place_that_is_left_is_free() {
        let list = Newest::new(2);
        let (first, displaced) = list.enter("first");
        assert!(displaced.is_empty());
        let (_second, displaced) = list.enter("second");
        assert!(displaced.is_empty());
        let (_third, displaced) = list.enter("third");
        assert_eq!(displaced, ["first"]);
        drop(first);
        let (fourth, displaced) = list.enter("fourth");
        assert_eq!(displaced, ["second"]);
        drop(fourth);
        let (_fifth, displaced) = list.enter("fifth");
        assert!(displaced.is_empty());
    }
}
