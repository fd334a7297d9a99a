//! Chunks that are in flight on more than one path at once, and copies that are still to leave. The record of a chunk
//! has the first of these paths; this table has the others.

use std::collections::BTreeMap;

use anabranch_base::Time;

use crate::policy::PathId;

/// A copy in flight besides the chunk itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CopyInFlight {
    /// The path on which it was sent.
    pub path: PathId,
    /// The round of that path's window in which it left.
    pub round: u64,
    /// The number of the packet in which it left.
    pub departure: u64,
    /// When it left.
    pub sent_at: Time,
}

/// The copies of all chunks, by the chunk's position.
#[derive(Debug, Default)]
pub(super) struct Copies {
    in_flight: BTreeMap<u64, Vec<CopyInFlight>>,
    due: BTreeMap<u64, PathId>,
}

impl Copies {
    /// Whether no chunk has a copy, in flight or due.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty() && self.due.is_empty()
    }

    /// A copy of the chunk at `position` left.
    pub fn add(&mut self, position: u64, copy: CopyInFlight) {
        self.in_flight.entry(position).or_default().push(copy);
        self.due.remove(&position);
    }

    /// Whether a copy of the chunk at `position` is in flight on `path`.
    pub fn is_on(&self, position: u64, path: PathId) -> bool {
        self.in_flight.get(&position).is_some_and(|copies| copies.iter().any(|copy| copy.path == path))
    }

    /// Removes the copy on `path`, and returns it if there was one.
    pub fn remove(&mut self, position: u64, path: PathId) -> Option<CopyInFlight> {
        let copies = self.in_flight.get_mut(&position)?;
        let removed = copies.iter().position(|copy| copy.path == path).map(|index| copies.remove(index));
        if copies.is_empty() {
            self.in_flight.remove(&position);
        }
        removed
    }

    /// Removes the copy that left first, and returns it.
    pub fn take_first(&mut self, position: u64) -> Option<CopyInFlight> {
        let first = *self.in_flight.get(&position)?.first()?;
        self.remove(position, first.path);
        Some(first)
    }

    /// Removes all copies of the chunk at `position`, in flight or due, because it is acknowledged. Returns those in
    /// flight.
    pub fn take_all(&mut self, position: u64) -> Vec<CopyInFlight> {
        self.due.remove(&position);
        self.in_flight.remove(&position).unwrap_or_default()
    }

    /// Requests that a copy of the chunk at `position` leaves on `path`.
    pub fn want(&mut self, position: u64, path: PathId) {
        self.due.insert(position, path);
    }

    /// Cancels the copy of the chunk at `position` that is to leave.
    pub fn call_off(&mut self, position: u64) {
        self.due.remove(&position);
    }

    /// Cancels all copies that are to leave on `path`.
    pub fn call_off_on(&mut self, path: PathId) {
        self.due.retain(|_, wanted| *wanted != path);
    }

    /// The chunks of which a copy is to leave, ascending, each with the copy's path.
    pub fn due(&self) -> impl Iterator<Item = (u64, PathId)> {
        self.due.iter().map(|(&position, &path)| (position, path))
    }

    /// Whether a copy of any chunk is to leave.
    pub fn has_due(&self) -> bool {
        !self.due.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::SendBuffer;
    use super::super::buffer::tests::{ONE, buffer, sent, tsn, two};
    use crate::policy::loss_detection::SackNews;
    use crate::policy::retransmission::LostBy;

    /// The bytes that leave each path's flight by a SACK for the first `acked` chunks.
    fn left(buffer: &mut SendBuffer, acked: u32) -> [u64; 2] {
        let mut news = SackNews::default();
        let known = buffer.on_sack(tsn(acked).previous(), std::iter::empty(), &mut news);
        assert_eq!(known, Ok(true));
        assert!(news.acked.iter().all(|chunk| chunk.is_retransmitted == chunk.was_copied));
        [0, 1].map(|index| news.paths[index].left.get())
    }

    #[test]
    fn an_acknowledgement_takes_every_copy_out_of_flight() {
        let mut buffer = buffer(3);
        sent(&mut buffer, 0..3, ONE);
        assert!(buffer.may_copy(tsn(0), two()) && !buffer.may_copy(tsn(0), ONE));
        let copy = buffer.on_copied(tsn(0), two(), 0);
        assert_eq!((copy.weight.get(), copy.rwnd_weight.get()), (100, 0));
        assert!(!buffer.may_copy(tsn(0), two()), "one is there");
        assert_eq!((buffer.in_flight_on(ONE).len(), buffer.in_flight_on(two())), (3, vec![tsn(0)]));
        assert_eq!((buffer.lowest_on(two()), buffer.highest_on(two())), (Some(tsn(0)), Some(tsn(0))));
        assert_eq!(left(&mut buffer, 2), [200, 100]);
        assert!(buffer.in_flight_on(two()).is_empty() && buffer.copies.is_empty());
    }

    #[test]
    fn a_chunk_is_lost_when_its_last_copy_is() {
        let mut buffer = buffer(1);
        sent(&mut buffer, 0..1, ONE);
        buffer.on_copied(tsn(0), two(), 0);
        let mark = |buffer: &mut SendBuffer, path| {
            let left = buffer.mark(tsn(0), path, LostBy::Timeout);
            left.map(|left| (left.path, left.weight.get(), left.rwnd_weight.get()))
        };
        assert_eq!(mark(&mut buffer, ONE), Some((ONE, 100, 0)));
        assert!(!buffer.has_marked() && buffer.in_flight_on(ONE).is_empty());
        assert_eq!(buffer.held_on(two()).user.get(), 100, "the copy is the chunk now");
        assert_eq!(mark(&mut buffer, ONE), None, "it is not in flight there any more");
        assert_eq!(mark(&mut buffer, two()), Some((two(), 100, 100)));
        assert!(buffer.has_marked());
    }

    #[test]
    fn a_copy_that_is_lost_leaves_the_chunk_in_flight() {
        let mut buffer = buffer(1);
        sent(&mut buffer, 0..1, ONE);
        buffer.on_copied(tsn(0), two(), 0);
        assert!(buffer.mark(tsn(0), two(), LostBy::Timeout).is_some());
        assert_eq!((buffer.has_marked(), buffer.in_flight_on(ONE)), (false, vec![tsn(0)]));
        assert_eq!(left(&mut buffer, 1), [100, 0]);
    }

    #[test]
    fn a_copy_that_is_due_is_called_off_by_an_acknowledgement_a_loss_and_the_end_of_its_path() {
        let ends: [fn(&mut SendBuffer); 3] = [
            |buffer| _ = left(buffer, 1),
            |buffer| _ = buffer.mark(tsn(0), ONE, LostBy::Timeout),
            |buffer| buffer.call_off_copies(two()),
        ];
        for end in ends {
            let mut buffer = buffer(1);
            sent(&mut buffer, 0..1, ONE);
            buffer.want_copy(tsn(0), two());
            assert_eq!(buffer.due_copies().collect::<Vec<_>>(), [(tsn(0), two())]);
            end(&mut buffer);
            assert_eq!(buffer.due_copies().count(), 0);
        }
    }
}
