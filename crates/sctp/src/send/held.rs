//! Each path's part of the send buffer: the chunks last sent on it that are not cumulatively acknowledged, nor for good by
//! an NR-SACK.

use anabranch_base::ByteCount;

use crate::config::Charge;
use crate::policy::PathId;

/// The chunks last sent on a path that are acknowledged neither cumulatively nor for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// Their user data.
    pub user: ByteCount,
    /// Their weight against the peer's receive window.
    pub rwnd: ByteCount,
}

/// A sum for each path, and one for all user data. They are always exact, and cost one addition for each chunk. Marks,
/// gap acknowledgements and reneging do not change them: a chunk counts for the path on which it was sent last.
#[derive(Debug)]
pub(super) struct HeldByPath {
    rwnd_charge: Charge,
    /// The user data that is acknowledged neither cumulatively nor for good, sent or not.
    total: ByteCount,
    /// The part of it that was last sent on each path.
    sums: Vec<Held>,
}

impl HeldByPath {
    /// Sums for no paths yet.
    pub(super) fn new(rwnd_charge: Charge) -> HeldByPath {
        HeldByPath { rwnd_charge, total: ByteCount::ZERO, sums: Vec::new() }
    }

    /// Makes room for `path`.
    pub(super) fn add_path(&mut self, path: PathId) {
        self.sums.resize(self.sums.len().max(path.index() + 1), Held::default());
    }

    /// Adds `bytes` of queued user data.
    pub(super) fn on_queued(&mut self, bytes: ByteCount) {
        self.total += bytes;
    }

    /// Removes `bytes` of queued user data that was not sent and was given up.
    pub(super) fn on_dropped(&mut self, bytes: ByteCount) {
        self.total -= bytes;
    }

    /// Adds a chunk with `length` bytes of user data that was sent on `path`; `previous` is the path of the previous
    /// transmission, if there was one.
    #[inline]
    pub(super) fn on_sent(&mut self, path: PathId, previous: Option<PathId>, length: usize) {
        let (user, rwnd) = (ByteCount::of_len(length), self.rwnd_charge.weigh(length));
        if let Some(previous) = previous {
            self.sums[previous.index()].subtract(user, rwnd);
        }
        let sum = &mut self.sums[path.index()];
        sum.user += user;
        sum.rwnd += rwnd;
    }

    /// Removes a chunk with `length` bytes of user data, last sent on `path`, that is acknowledged cumulatively or for good.
    #[inline]
    pub(crate) fn on_released(&mut self, path: PathId, length: usize) {
        let (user, rwnd) = (ByteCount::of_len(length), self.rwnd_charge.weigh(length));
        self.total -= user;
        self.sums[path.index()].subtract(user, rwnd);
    }

    /// The sum for `path`.
    pub(super) fn of(&self, path: PathId) -> Held {
        self.sums[path.index()]
    }

    /// The user data.
    pub(super) fn total(&self) -> ByteCount {
        self.total
    }
}

impl Held {
    fn subtract(&mut self, user: ByteCount, rwnd: ByteCount) {
        self.user -= user;
        self.rwnd -= rwnd;
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{ONE, buffer, check_in_step, sent, tsn, two};
    use super::super::{BadSack, SendBuffer};
    use super::*;
    use crate::policy::loss_detection::SackNews;
    use crate::policy::retransmission::LostBy;
    use crate::policy::schedule::Index;
    use crate::wire::GapBlock;

    fn user_on(buffer: &SendBuffer) -> [u64; 2] {
        [ONE, two()].map(|path| buffer.held_on(path).user.get())
    }

    fn sack(buffer: &mut SendBuffer, acked: u32, gaps: &[(u16, u16)]) -> Result<bool, BadSack> {
        let blocks = gaps.iter().map(|&(start, end)| GapBlock { start, end });
        buffer.on_sack(tsn(acked).previous(), blocks, &mut SackNews::default())
    }

    #[test]
    fn a_chunk_is_held_where_it_was_sent_last_until_it_is_cumulatively_acknowledged() {
        let mut buffer = buffer(6);
        assert_eq!(user_on(&buffer), [0, 0], "nothing was sent");
        sent(&mut buffer, 0..2, ONE);
        sent(&mut buffer, 2..5, two());
        assert_eq!(user_on(&buffer), [200, 300]);
        assert_eq!(sack(&mut buffer, 0, &[(3, 5)]), Ok(true));
        buffer.mark(tsn(0), ONE, LostBy::MissingReports);
        assert_eq!(user_on(&buffer), [200, 300], "gaps and marks change nothing");
        buffer.on_sent(tsn(0), two(), 0);
        assert_eq!(user_on(&buffer), [100, 400], "it moved");
        assert_eq!(sack(&mut buffer, 0, &[(3, 3)]), Ok(true));
        assert_eq!(user_on(&buffer), [100, 400], "two gap acknowledgements were taken back");
        assert_eq!(sack(&mut buffer, 3, &[]), Ok(true));
        assert_eq!(user_on(&buffer), [0, 200]);
    }

    /// Chunks of 100 bytes in packets of their own. Each step at random sends, marks, moves or acknowledges a chunk, by
    /// gap blocks or cumulatively; gap acknowledgements are taken back, and some SACKs are invalid.
    #[test]
    fn the_sums_and_the_indexes_are_those_of_the_chunks_whatever_happens() {
        let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |most: u64| {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            chance % most
        };
        for _ in 0..300 {
            let mut buffer = buffer(40);
            for _ in 0..200 {
                step(&mut buffer, &mut below);
                assert_eq!(user_on(&buffer), [ONE, two()].map(|path| counted(&buffer, path)));
                check_in_step(&buffer);
            }
        }
    }

    fn step(buffer: &mut SendBuffer, below: &mut impl FnMut(u64) -> u64) {
        let index = below(2) as usize;
        let [path, other] = [index, 1 - index].map(PathId::from_index);
        let waiting = buffer.waiting(Index(below(3) as usize));
        let marked = buffer.marked().nth(below(3) as usize).map(|lost| lost.tsn);
        let in_flight = buffer.in_flight_on(path).first().copied();
        if let Some(tsn) = in_flight.filter(|tsn| below(3) == 0 && buffer.may_copy(*tsn, other)) {
            buffer.on_copied(tsn, other, 0);
        }
        match (below(5), waiting, marked, in_flight) {
            (0 | 1, Some(tsn), ..) | (2, _, Some(tsn), _) => _ = buffer.on_sent(tsn, path, 0),
            (3, .., Some(tsn)) => _ = buffer.mark(tsn, path, LostBy::Timeout),
            _ => {
                let cumulative = buffer.ack_point().plus(below(3) as u32);
                let start = 2 + below(5) as u16;
                let gap = GapBlock { start, end: start + below(4) as u16 };
                _ = buffer.on_sack(cumulative, [gap].into_iter(), &mut SackNews::default());
            }
        }
    }

    fn counted(buffer: &SendBuffer, path: PathId) -> u64 {
        let held = std::iter::successors(Some(buffer.ack_point().next()), |tsn| Some(tsn.next()));
        let sent = held.take_while(|tsn| tsn.is_before(buffer.highest_sent().next()));
        let there = sent.filter(|&tsn| buffer.path_of(tsn) == Some(path));
        there.map(|tsn| buffer.data(tsn).payload.len() as u64).sum()
    }
}
