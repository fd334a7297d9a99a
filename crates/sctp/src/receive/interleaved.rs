//! Assembles messages whose fragments arrive in any order, between those of other messages (RFC 8260 §2.2.3).

mod in_parts;

use std::collections::BTreeMap;

use anabranch_base::ByteCount;

use super::load::MemoryLoad;
use super::reassembly::{Fragment, FragmentRun, Inserted, ReassemblyError};
use crate::seq::Mid;
use crate::wire::{MessageKey, StreamId, StreamSet};
pub(crate) use in_parts::Search;

/// Incomplete messages of I-DATA.
///
/// Consecutive fragments of a message are kept as one run. A message of one fragment is not stored.
#[derive(Debug, Default)]
pub(crate) struct Interleaved {
    /// The runs, by their message and the FSN of their first fragment.
    runs: BTreeMap<(MessageKey, u64), FragmentRun>,
    /// The last unordered message of each stream that was skipped: its fragments may arrive later.
    skipped: BTreeMap<StreamId, Mid>,
    held: MemoryLoad,
    /// The number of runs that a search for a message to deliver in parts may pass.
    search: usize,
}

impl Interleaved {
    /// Adds a fragment whose TSN is not a duplicate. `is_behind` is true if its ordered message was delivered or
    /// skipped.
    ///
    /// # Errors
    /// The fragment contradicts others of its message; it was not stored.
    pub(crate) fn insert(
        &mut self,
        fragment: Fragment,
        is_behind: bool,
    ) -> Result<Inserted, ReassemblyError> {
        let (tsn, fsn) = (fragment.tsn, u64::from(fragment.fsn.get()));
        let key = MessageKey { stream: fragment.stream, unordered: fragment.unordered, mid: fragment.mid };
        if is_behind || self.was_skipped(key) {
            return Ok(Inserted::Dropped(fragment.charge));
        }
        let before = self.run_before(key, fsn);
        let is_after_end = before.is_some_and(|(first, run)| first + run.len() > fsn || run.ends());
        let is_before_others =
            fragment.ending && self.runs.range((key, fsn)..=(key, u64::MAX)).next().is_some();
        if fragment.beginning != (fsn == 0) || is_after_end || is_before_others {
            return Err(ReassemblyError::WrongFsn { tsn });
        }
        let first = before.filter(|(first, run)| first + run.len() == fsn).map_or(fsn, |(first, _)| first);
        if fragment.beginning && fragment.ending {
            return Ok(Inserted::Whole(fragment.into_message()));
        }
        self.held += fragment.load();
        match self.runs.get_mut(&(key, first)) {
            Some(run) => run.push(fragment),
            None => _ = self.runs.insert((key, first), fragment.into_run()),
        }
        self.join(key, first, fsn + 1);
        Ok(self.take_whole((key, first)).map_or(Inserted::Held, Inserted::Whole))
    }

    /// Drops the messages of a stream up to `last`, which the sender gave up. Returns their weight.
    pub(crate) fn skip_to(&mut self, last: MessageKey) -> ByteCount {
        let MessageKey { stream, unordered, mid } = last;
        let mut dropped = ByteCount::ZERO;
        for (lowest, highest) in numbers_up_to(mid) {
            let (lowest, highest) = (MessageKey { mid: lowest, ..last }, MessageKey { mid: highest, ..last });
            while let Some((&at, _)) = self.runs.range((lowest, 0)..=(highest, u64::MAX)).next()
                && let Some(run) = self.runs.remove(&at)
            {
                dropped += run.load.charge;
                self.held = self.held.saturating_sub(run.load);
            }
        }
        if unordered {
            let skipped = self.skipped.entry(stream).or_insert(mid);
            *skipped = if mid.is_after(*skipped) { mid } else { *skipped };
        }
        dropped
    }

    /// Forgets what was skipped of `streams`, whose messages count anew.
    pub(crate) fn reset(&mut self, streams: &StreamSet) {
        self.skipped.retain(|stream, _| !streams.contains(*stream));
    }

    /// Returns true if a fragment of the message `key` is stored.
    pub(super) fn holds(&self, key: MessageKey) -> bool {
        self.runs.range((key, 0)..=(key, u64::MAX)).next().is_some()
    }

    /// The cost of the stored fragments.
    pub(crate) fn held(&self) -> MemoryLoad {
        self.held
    }

    /// Returns true if the unordered message `key` was skipped.
    pub(super) fn was_skipped(&self, key: MessageKey) -> bool {
        let skipped = || self.skipped.get(&key.stream).is_some_and(|last| !key.mid.is_after(*last));
        key.unordered && !self.skipped.is_empty() && skipped()
    }

    /// The run of the message that begins at `fsn` or before it, with its first FSN.
    fn run_before(&self, key: MessageKey, fsn: u64) -> Option<(u64, &FragmentRun)> {
        self.runs.range((key, 0)..=(key, fsn)).next_back().map(|(&(_, first), run)| (first, run))
    }

    /// Appends the run that begins at `next` to the run that begins at `first`.
    fn join(&mut self, key: MessageKey, first: u64, next: u64) {
        if let Some(after) = self.runs.remove(&(key, next))
            && let Some(run) = self.runs.get_mut(&(key, first))
        {
            run.append(after);
        }
    }

    fn take_whole(&mut self, at: (MessageKey, u64)) -> Option<super::Message> {
        if !self.runs.get(&at).is_some_and(FragmentRun::is_whole) {
            return None;
        }
        let run = self.runs.remove(&at)?;
        self.held = self.held.saturating_sub(run.load);
        run.into_message()
    }
}

/// The ranges of the 2³¹ MIDs up to `mid` (RFC 1982).
fn numbers_up_to(mid: Mid) -> impl Iterator<Item = (Mid, Mid)> {
    let (last, oldest) = (mid.get(), mid.get().wrapping_sub(u32::MAX >> 1));
    let (least, most) = (Mid::new(0), Mid::new(u32::MAX));
    let (near, far) = if oldest <= last {
        ((Mid::new(oldest), mid), None)
    } else {
        ((least, mid), Some((Mid::new(oldest), most)))
    };
    std::iter::once(near).chain(far)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::seq::{Fsn, Tsn};
    use crate::wire::Ppid;

    /// Fragment `fsn` of message `mid` on stream 1, whose payload is one letter; `end` marks the last one.
    fn fragment(mid: u32, fsn: u32, end: bool, letter: &'static str) -> Fragment {
        Fragment {
            tsn: Tsn::new(9),
            stream: StreamId::new(1),
            mid: Mid::new(mid),
            fsn: Fsn::new(fsn),
            ppid: Ppid::new(51),
            unordered: false,
            beginning: fsn == 0,
            ending: end,
            payload: Bytes::from_static(letter.as_bytes()),
            charge: ByteCount::of_len(letter.len()),
        }
    }

    fn text_of(store: &mut Interleaved, fragments: impl IntoIterator<Item = Fragment>) -> Vec<String> {
        let whole = |fragment| match store.insert(fragment, false).expect("sound") {
            Inserted::Whole(message) => Some(String::from_utf8(message.to_vec()).expect("letters")),
            _ => None,
        };
        fragments.into_iter().filter_map(whole).collect()
    }

    #[test]
    fn messages_are_assembled_side_by_side_in_any_order() {
        let parts = [
            fragment(7, 0, false, "a"),
            fragment(7, 1, false, "b"),
            fragment(7, 2, true, "c"),
            fragment(8, 0, false, "x"),
            fragment(8, 1, true, "y"),
        ];
        for order in [[0, 3, 1, 4, 2], [2, 4, 1, 3, 0], [1, 0, 4, 2, 3], [3, 2, 0, 1, 4]] {
            let mut store = Interleaved::default();
            let mut texts = text_of(&mut store, order.map(|at: usize| parts[at].clone()));
            texts.sort();
            assert_eq!(texts, ["abc", "xy"], "{order:?}");
            assert_eq!(store.held(), MemoryLoad::NONE);
        }
    }

    #[test]
    fn ordered_and_unordered_messages_have_their_own_numbers() {
        let mut store = Interleaved::default();
        let unordered = |part: Fragment| Fragment { unordered: true, ..part };
        let parts = [fragment(7, 0, false, "a"), unordered(fragment(7, 0, false, "x"))];
        let ends = [fragment(7, 1, true, "b"), unordered(fragment(7, 1, true, "y"))];
        assert_eq!(text_of(&mut store, parts.into_iter().chain(ends)), ["ab", "xy"]);
    }

    #[test]
    fn an_fsn_that_its_message_cannot_have_is_a_violation() {
        let wrong = Err(ReassemblyError::WrongFsn { tsn: Tsn::new(9) });
        let odd = [
            Fragment { beginning: true, ..fragment(7, 1, false, "a") },
            Fragment { beginning: false, ..fragment(7, 0, false, "a") },
        ];
        for first in odd {
            assert_eq!(Interleaved::default().insert(first, false).map(|_| ()), wrong);
        }
        let pairs = [
            (fragment(7, 2, true, "c"), fragment(7, 3, false, "d")),
            (fragment(7, 2, true, "c"), fragment(7, 4, true, "d")),
            (fragment(7, 2, false, "c"), fragment(7, 1, true, "b")),
            (fragment(7, 2, false, "c"), fragment(7, 2, false, "c")),
            (fragment(7, 2, false, "c"), fragment(7, 2, true, "c")),
        ];
        for (first, second) in pairs {
            let mut store = Interleaved::default();
            assert!(store.insert(first, false).is_ok());
            let held = store.held();
            assert_eq!(store.insert(second, false).map(|_| ()), wrong);
            assert_eq!(store.held(), held);
        }
    }

    #[test]
    fn half_of_all_mids_are_up_to_one() {
        let ranges = |mid| -> Vec<(u32, u32)> {
            numbers_up_to(Mid::new(mid)).map(|(from, to)| (from.get(), to.get())).collect()
        };
        assert_eq!(ranges(u32::MAX), [(0x8000_0000, u32::MAX)]);
        assert_eq!(ranges(0x7fff_ffff), [(0, 0x7fff_ffff)]);
        assert_eq!(ranges(5), [(0, 5), (0x8000_0006, u32::MAX)]);
    }

    #[test]
    fn a_skipped_message_goes_with_what_arrives_of_it_later() {
        let mut store = Interleaved::default();
        let unordered = |part: Fragment| Fragment { unordered: true, ..part };
        let parts = [fragment(7, 0, false, "a"), unordered(fragment(5, 0, false, "u"))];
        text_of(&mut store, parts.into_iter().chain([unordered(fragment(6, 1, false, "v"))]));
        let key = MessageKey { stream: StreamId::new(1), unordered: true, mid: Mid::new(5) };
        assert_eq!(store.skip_to(key), ByteCount::new(1));
        assert_eq!(store.skip_to(MessageKey { mid: Mid::new(4), ..key }), ByteCount::ZERO);
        let late = store.insert(unordered(fragment(5, 1, true, "w")), false);
        assert!(matches!(late, Ok(Inserted::Dropped(charge)) if charge == ByteCount::new(1)), "{late:?}");
        let behind = store.insert(fragment(3, 1, true, "w"), true);
        assert!(matches!(behind, Ok(Inserted::Dropped(_))), "{behind:?}");
        assert_eq!(
            store.skip_to(MessageKey { unordered: false, mid: Mid::new(7), ..key }),
            ByteCount::new(1)
        );
        assert_eq!(text_of(&mut store, [unordered(fragment(6, 0, false, "u"))]), [""; 0]);
        assert_eq!(text_of(&mut store, [unordered(fragment(6, 2, true, "w"))]), ["uvw"]);
        assert_eq!(store.held(), MemoryLoad::NONE);
    }
}
