//! Sends copies of chunks on a second path while they are in flight on the first.

use anabranch_base::ByteCount;

use super::super::chunk::{Sends, State};
use super::{SendBuffer, Sent};
use crate::policy::PathId;
use crate::seq::Tsn;

impl SendBuffer {
    /// Records a copy of the chunk `tsn`, which is in flight, sent on `path` in the round `round` of the path's window.
    /// A copy has no weight against the peer's receive window, which counts the chunk once.
    pub(crate) fn on_copied(&mut self, tsn: Tsn, path: PathId, round: u64) -> Sent {
        let position = self.chunks.position(tsn);
        let copy = self.log.transmission(path, round);
        let chunk = self.chunks.at_mut(position);
        let (first, length) = (chunk.copy(), chunk.length());
        self.copies.add(position, copy);
        for there in [first.path, path] {
            self.in_flight.enter(position, there, Sends::Copied, ByteCount::ZERO);
        }
        Sent {
            weight: self.charge.weigh(length),
            rwnd_weight: ByteCount::ZERO,
            payload: ByteCount::of_len(length),
            previous: Some(first.path),
            departures: (copy.departure, first.departure),
            is_lowest_again: false,
        }
    }

    /// Returns true if a copy of the chunk `tsn` may be sent on `path`: the chunk is in flight, but not on `path`. A
    /// chunk whose acknowledgement was taken back is not copied.
    pub(crate) fn may_copy(&self, tsn: Tsn, path: PathId) -> bool {
        self.chunks.position_if_held(tsn).is_some_and(|position| {
            let chunk = self.chunks.at(position);
            chunk.state() == State::InFlight && chunk.path() != path && !self.copies.is_on(position, path)
        })
    }

    /// Requests a copy of the chunk `tsn` on `path` as soon as the path has room.
    pub(crate) fn want_copy(&mut self, tsn: Tsn, path: PathId) {
        self.copies.want(self.chunks.position(tsn), path);
    }

    /// Cancels all requested copies on `path`.
    pub(crate) fn cancel_copies(&mut self, path: PathId) {
        self.copies.cancel_on(path);
    }

    /// The chunks with a requested copy, ascending, each with the copy's path.
    pub(crate) fn due_copies(&self) -> impl Iterator<Item = (Tsn, PathId)> {
        self.copies.due().map(|(position, path)| (self.chunks.tsn(position), path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::SendBuffer;
    use super::super::tests::{ONE, buffer, sent, tsn, two};
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
            |buffer| buffer.cancel_copies(two()),
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
