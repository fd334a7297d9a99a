//! Assembles messages from fragments, which arrive in any order.

mod in_parts;

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::ByteCount;
use bytes::Bytes;

use super::load::MemoryLoad;
use super::message::{Message, Part};
use crate::seq::{Fsn, Mid, Tsn};
use crate::wire::{Ppid, StreamId};

/// Incomplete messages (RFC 9260 §6.9).
///
/// Consecutive fragments of one message are kept as one run. In order or not, a fragment costs O(log n) in the number
/// of runs (amortised; when two runs meet, the shorter one moves). A message of one fragment is not stored.
#[derive(Debug)]
pub(crate) struct Reassembly {
    /// The runs, by the position of their first fragment.
    runs: BTreeMap<u64, FragmentRun>,
    /// The TSN that arrived last and its position, which counts TSNs without wrapping.
    seen: (Tsn, u64),
    /// The position of the last fragment of a message that was skipped without its end: those that follow it are
    /// dropped.
    skipped: Option<u64>,
    held: MemoryLoad,
}

/// The result of the arrival of a fragment.
#[derive(Debug)]
pub(crate) enum Inserted {
    /// It is held until its message is complete.
    Held,
    /// It completes a message.
    Whole(Message),
    /// It belongs to a message that was skipped, and is dropped; so are others, of this weight with it.
    Dropped(ByteCount),
}

/// A DATA chunk that owns its payload.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    /// The TSN.
    pub tsn: Tsn,
    /// The stream of its message.
    pub stream: StreamId,
    /// The position of its message in the stream.
    pub mid: Mid,
    /// The place in an interleaved message.
    pub fsn: Fsn,
    /// The sending application's identifier for the message; the one of the first fragment counts.
    pub ppid: Ppid,
    /// True if the message has no position in its stream.
    pub unordered: bool,
    /// The B bit: it is the first fragment of its message.
    pub beginning: bool,
    /// The E bit: it is the last fragment of its message.
    pub ending: bool,
    /// The user data.
    pub payload: Bytes,
    /// The weight against the advertised window.
    pub charge: ByteCount,
}

/// Fragments that contradict each other: the peer violated the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReassemblyError {
    /// A message begins before the previous one has ended.
    #[error("the message that begins with TSN {tsn} is inside another message")]
    BeginsInside {
        /// The TSN with the B bit.
        tsn: Tsn,
    },
    /// A message has ended, and the next fragment does not begin a message.
    #[error("TSN {tsn} continues a message, but the one before it has ended")]
    HasNoBeginning {
        /// The TSN without the B bit.
        tsn: Tsn,
    },
    /// Two fragments of one message differ in stream, SSN or U bit.
    #[error(
        "TSN {tsn} and the one before it belong to one message, but not to the same stream, SSN and kind"
    )]
    Differs {
        /// The second of the two.
        tsn: Tsn,
    },
    /// Everything up to `cumulative` has arrived, but a message before it is incomplete.
    #[error(
        "every TSN up to {cumulative} has arrived, but the message that ends with TSN {tsn} lacks a part"
    )]
    Incomplete {
        /// The last TSN of the message's fragments.
        tsn: Tsn,
        /// The cumulative TSN.
        cumulative: Tsn,
    },
    /// The same TSN arrived again; the caller should have filtered duplicates.
    #[error("TSN {tsn} is held already")]
    AlreadyHeld { tsn: Tsn },
    /// A fragment of an interleaved message has the FSN of another, or one beyond the last (RFC 8260 §2.1).
    #[error("TSN {tsn} has an FSN that its message cannot have, or has already")]
    WrongFsn { tsn: Tsn },
}

/// Consecutive fragments of one message, which are not the whole message.
#[derive(Debug)]
pub(super) struct FragmentRun {
    outline: Outline,
    /// The PPID of the run's first fragment.
    ppid: Ppid,
    pub(super) load: MemoryLoad,
    parts: VecDeque<Bytes>,
    /// The number of fragments before `parts` that were delivered as the first parts of the message.
    taken: u64,
}

/// The message of a fragment or run, and its part of the message.
#[derive(Clone, Copy, Debug)]
struct Outline {
    stream: StreamId,
    mid: Mid,
    unordered: bool,
    begins: bool,
    ends: bool,
}

impl Reassembly {
    /// An empty store.
    pub(crate) fn new() -> Reassembly {
        let seen = (Tsn::new(0), FIRST_POSITION);
        Reassembly { runs: BTreeMap::new(), seen, skipped: None, held: MemoryLoad::NONE }
    }

    /// Notes the arrival of a whole message, if no fragment is stored that it could contradict.
    #[inline]
    pub(crate) fn pass(&mut self, tsn: Tsn) -> bool {
        let is_alone = self.runs.is_empty() && self.skipped.is_none();
        if is_alone {
            // Positions have a meaning among the stored fragments alone.
            self.seen.0 = tsn;
        }
        is_alone
    }

    /// Adds a fragment that is not a duplicate.
    ///
    /// # Errors
    /// The fragment contradicts its neighbours; it was not stored.
    pub(crate) fn insert(&mut self, fragment: Fragment) -> Result<Inserted, ReassemblyError> {
        let (tsn, outline) = (fragment.tsn, fragment.outline());
        let at = self.position(tsn);
        if self.skipped == Some(at.wrapping_sub(1)) && !outline.begins {
            self.seen = (tsn, at);
            self.skipped = (!outline.ends).then_some(at);
            return Ok(Inserted::Dropped(fragment.charge + self.drop_skipped()));
        }
        let before = self.run_before(at, tsn, outline)?;
        let joins_after = self.is_continued_after(at, tsn, outline)?;
        self.seen = (tsn, at);
        if outline.begins && outline.ends {
            return Ok(Inserted::Whole(fragment.into_message()));
        }
        self.held += fragment.load();
        let first = before.unwrap_or(at);
        match self.runs.get_mut(&first) {
            Some(run) => run.push(fragment),
            None => {
                self.runs.insert(first, fragment.into_run());
            }
        }
        if joins_after
            && let Some(after) = self.runs.remove(&(at + 1))
            && let Some(run) = self.runs.get_mut(&first)
        {
            run.append(after);
        }
        Ok(self.take_whole(first).map_or(Inserted::Held, Inserted::Whole))
    }

    /// Drops the incomplete messages that begin at or before `cumulative`, which a FORWARD-TSN has moved (RFC 3758
    /// §3.6). Returns their weight.
    pub(crate) fn skip_to(&mut self, cumulative: Tsn) -> ByteCount {
        let at = self.position(cumulative);
        self.seen = (cumulative, at);
        self.skipped = Some(at);
        let mut dropped = ByteCount::ZERO;
        while let Some(entry) = self.runs.first_entry() {
            if *entry.key() > at {
                break;
            }
            let (first, run) = entry.remove_entry();
            dropped += run.load.charge;
            self.held = self.held.saturating_sub(run.load);
            if first + run.len() > at {
                self.skipped = (!run.outline.ends).then_some(first + run.len() - 1);
            }
        }
        dropped + self.drop_skipped()
    }

    /// Every TSN up to `cumulative` has arrived, so no message before it may be incomplete. The cost is small.
    ///
    /// # Errors
    /// A message before `cumulative` is incomplete.
    pub(crate) fn on_cumulative(&self, cumulative: Tsn) -> Result<(), ReassemblyError> {
        // The first run decides: if it begins a message and ends beyond `cumulative`, all other runs are beyond it.
        let Some((&first, run)) = self.runs.first_key_value() else { return Ok(()) };
        let reached = self.position(cumulative);
        let last = first + run.len() - 1;
        if first <= reached && (!run.outline.begins || last < reached) {
            return Err(ReassemblyError::Incomplete { tsn: self.tsn_at(last), cumulative });
        }
        Ok(())
    }

    /// Returns true if the fragment `tsn` is stored.
    pub(super) fn holds(&self, tsn: Tsn) -> bool {
        let at = self.position(tsn);
        let before = self.runs.range(..=at).next_back();
        before.is_some_and(|(first, run)| first + run.len() > at)
    }

    /// The cost of the stored fragments.
    pub(crate) fn held(&self) -> MemoryLoad {
        self.held
    }

    /// Drops the fragments that continue a skipped message without a gap, and returns their weight.
    fn drop_skipped(&mut self) -> ByteCount {
        let mut dropped = ByteCount::ZERO;
        while let Some(last) = self.skipped
            && self.runs.get(&(last + 1)).is_some_and(|run| !run.outline.begins)
            && let Some(run) = self.runs.remove(&(last + 1))
        {
            dropped += run.load.charge;
            self.held = self.held.saturating_sub(run.load);
            self.skipped = (!run.outline.ends).then_some(last + run.len());
        }
        dropped
    }

    fn take_whole(&mut self, first: u64) -> Option<Message> {
        if !self.runs.get(&first).is_some_and(FragmentRun::is_whole) {
            return None;
        }
        let run = self.runs.remove(&first)?;
        self.held = self.held.saturating_sub(run.load);
        run.into_message()
    }

    /// The start of the run that a fragment at position `at` continues, if there is one.
    fn run_before(&self, at: u64, tsn: Tsn, outline: Outline) -> Result<Option<u64>, ReassemblyError> {
        let Some((&first, run)) = self.runs.range(..=at).next_back() else { return Ok(None) };
        let end = first + run.len();
        if end > at {
            return Err(ReassemblyError::AlreadyHeld { tsn });
        }
        let is_continued = end == at && run.outline.is_continued_by(outline, tsn)?;
        Ok(is_continued.then_some(first))
    }

    /// Returns true if the run directly after position `at` continues the fragment there.
    fn is_continued_after(&self, at: u64, tsn: Tsn, outline: Outline) -> Result<bool, ReassemblyError> {
        match self.runs.get(&(at + 1)) {
            Some(run) => outline.is_continued_by(run.outline, tsn.next()),
            None => Ok(false),
        }
    }

    /// The position of `tsn`, counted without wrapping from the TSN that arrived last.
    fn position(&self, tsn: Tsn) -> u64 {
        let (seen, at) = self.seen;
        at.wrapping_add_signed(i64::from(tsn.distance_from(seen) as i32))
    }

    fn tsn_at(&self, position: u64) -> Tsn {
        let (seen, at) = self.seen;
        seen.plus(position.wrapping_sub(at) as u32)
    }
}

impl Default for Reassembly {
    fn default() -> Reassembly {
        Reassembly::new()
    }
}

impl Fragment {
    fn outline(&self) -> Outline {
        Outline {
            stream: self.stream,
            mid: self.mid,
            unordered: self.unordered,
            begins: self.beginning,
            ends: self.ending,
        }
    }

    /// The cost if it is stored separately.
    pub(crate) fn load(&self) -> MemoryLoad {
        MemoryLoad::of_chunk(self.charge, self.payload.len())
    }

    pub(super) fn into_message(self) -> Message {
        let load = self.load();
        message(self.outline(), self.ppid, self.payload, VecDeque::new(), load)
    }

    pub(super) fn into_run(self) -> FragmentRun {
        let (outline, load) = (self.outline(), self.load());
        FragmentRun { outline, ppid: self.ppid, load, parts: VecDeque::from([self.payload]), taken: 0 }
    }
}

impl FragmentRun {
    /// Adds a fragment at the end of this run.
    pub(super) fn push(&mut self, fragment: Fragment) {
        self.outline.ends = fragment.ending;
        self.load += fragment.load();
        self.parts.push_back(fragment.payload);
    }

    /// Adds `after` at the end of this run; the shorter of the two moves.
    pub(super) fn append(&mut self, mut after: FragmentRun) {
        self.outline.ends = after.outline.ends;
        self.load += after.load;
        if self.parts.len() >= after.parts.len() {
            self.parts.append(&mut after.parts);
            return;
        }
        while let Some(part) = self.parts.pop_back() {
            after.parts.push_front(part);
        }
        self.parts = after.parts;
    }

    pub(super) fn into_message(mut self) -> Option<Message> {
        let first = self.parts.pop_front()?;
        if self.taken > 0 {
            let load = self.load.saturating_sub(FragmentRun::BEGUN);
            return Some(Message {
                part: Part::Last,
                ..message(self.outline, self.ppid, first, self.parts, load)
            });
        }
        Some(message(self.outline, self.ppid, first, self.parts, self.load))
    }

    /// The number of its fragments, with those that were delivered.
    pub(super) fn len(&self) -> u64 {
        self.taken + self.parts.len() as u64
    }

    /// True if it ends its message.
    pub(super) fn ends(&self) -> bool {
        self.outline.ends
    }

    /// True if it is the whole message.
    pub(super) fn is_whole(&self) -> bool {
        self.outline.begins && self.outline.ends
    }
}

impl Outline {
    /// Returns true if `next`, which begins with `tsn` directly after this part, belongs to the same message.
    fn is_continued_by(self, next: Outline, tsn: Tsn) -> Result<bool, ReassemblyError> {
        match (self.ends, next.begins) {
            (true, true) => Ok(false),
            (true, false) => Err(ReassemblyError::HasNoBeginning { tsn }),
            (false, true) => Err(ReassemblyError::BeginsInside { tsn }),
            (false, false) if self.is_same_message(next) => Ok(true),
            (false, false) => Err(ReassemblyError::Differs { tsn }),
        }
    }

    /// RFC 9260 §6.9: every fragment has the SSN of its message, and the U bit if the message is unordered. (The SSN
    /// of unordered data has no meaning: §6.6.)
    fn is_same_message(self, other: Outline) -> bool {
        self.stream == other.stream
            && self.unordered == other.unordered
            && (self.unordered || self.mid == other.mid)
    }
}

fn message(outline: Outline, ppid: Ppid, first: Bytes, rest: VecDeque<Bytes>, load: MemoryLoad) -> Message {
    let Outline { stream, mid, unordered, .. } = outline;
    Message { stream, ssn: mid.ssn(), ppid, unordered, part: Part::Whole, first, rest, load }
}

/// The first position: no peer can count back from here to 0.
const FIRST_POSITION: u64 = 1 << 62;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::Ssn;

    /// A fragment of stream 1, SSN 5, whose payload is one letter; `part` is "B", "E", "BE" or "".
    fn fragment(tsn: u32, part: &str, letter: &'static str) -> Fragment {
        Fragment {
            tsn: Tsn::new(tsn),
            stream: StreamId::new(1),
            mid: Mid::new(5),
            fsn: Fsn::default(),
            ppid: Ppid::new(51),
            unordered: false,
            beginning: part.contains('B'),
            ending: part.contains('E'),
            payload: Bytes::from_static(letter.as_bytes()),
            charge: ByteCount::of_len(letter.len()),
        }
    }

    /// The results of inserting the fragments one after the other.
    fn text_of(reassembly: &mut Reassembly, fragments: &[Fragment]) -> Vec<String> {
        let mut texts = Vec::new();
        for fragment in fragments {
            if let Inserted::Whole(whole) = reassembly.insert(fragment.clone()).expect("sound") {
                texts.push(String::from_utf8(whole.to_vec()).expect("letters"));
            }
        }
        texts
    }

    fn whole(inserted: Result<Inserted, ReassemblyError>) -> Message {
        match inserted.expect("sound") {
            Inserted::Whole(message) => message,
            other => panic!("not complete: {other:?}"),
        }
    }

    fn error_of(fragments: &[Fragment]) -> ReassemblyError {
        let mut reassembly = Reassembly::new();
        let (last, first) = fragments.split_last().expect("some");
        text_of(&mut reassembly, first);
        let held = reassembly.held();
        let error = reassembly.insert(last.clone()).expect_err("a violation");
        assert_eq!(reassembly.held(), held, "a refused fragment is not held");
        error
    }

    #[test]
    fn a_message_in_one_fragment_passes_through() {
        let mut reassembly = Reassembly::new();
        let message = whole(reassembly.insert(fragment(7, "BE", "x")));
        assert_eq!(
            (message.stream, message.ssn, message.ppid),
            (StreamId::new(1), Ssn::new(5), Ppid::new(51))
        );
        assert_eq!(message.load(), MemoryLoad::of_chunk(ByteCount::new(1), 1));
        assert_eq!(reassembly.held(), MemoryLoad::NONE);
    }

    #[test]
    fn three_fragments_make_a_message_in_any_order() {
        let parts = [fragment(u32::MAX, "B", "a"), fragment(0, "", "b"), fragment(1, "E", "c")];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut reassembly = Reassembly::new();
            let arriving = order.map(|index: usize| parts[index].clone());
            assert_eq!(text_of(&mut reassembly, &arriving), ["abc"], "{order:?}");
            assert_eq!(reassembly.held(), MemoryLoad::NONE);
        }
    }

    #[test]
    fn neighbouring_messages_do_not_mix() {
        let arriving = [
            fragment(4, "E", "d"),
            fragment(2, "E", "b"),
            fragment(5, "BE", "e"),
            fragment(3, "B", "c"),
            fragment(1, "B", "a"),
        ];
        assert_eq!(text_of(&mut Reassembly::new(), &arriving), ["e", "cd", "ab"]);
    }

    #[test]
    fn the_ppid_of_the_first_fragment_counts() {
        let mut reassembly = Reassembly::new();
        text_of(&mut reassembly, &[Fragment { ppid: Ppid::new(0), ..fragment(2, "E", "b") }]);
        let message = whole(reassembly.insert(fragment(1, "B", "a")));
        assert_eq!(message.ppid, Ppid::new(51));
    }

    #[test]
    fn a_message_that_begins_inside_another_is_a_violation() {
        let tsn = Tsn::new(2);
        let error = ReassemblyError::BeginsInside { tsn };
        assert_eq!(error_of(&[fragment(1, "B", "a"), fragment(2, "B", "b")]), error);
        assert_eq!(error_of(&[fragment(1, "B", "a"), fragment(2, "BE", "b")]), error);
        assert_eq!(error_of(&[fragment(2, "B", "b"), fragment(1, "B", "a")]), error);
    }

    #[test]
    fn a_message_that_has_no_beginning_is_a_violation() {
        let error = ReassemblyError::HasNoBeginning { tsn: Tsn::new(2) };
        assert_eq!(error_of(&[fragment(1, "E", "a"), fragment(2, "", "b")]), error);
        assert_eq!(error_of(&[fragment(2, "E", "b"), fragment(1, "BE", "a")]), error);
    }

    #[test]
    fn fragments_of_one_message_that_differ_are_a_violation() {
        let others = [
            Fragment { stream: StreamId::new(2), ..fragment(2, "E", "b") },
            Fragment { mid: Mid::new(6), ..fragment(2, "E", "b") },
            Fragment { unordered: true, ..fragment(2, "E", "b") },
        ];
        for other in others {
            assert_eq!(
                error_of(&[fragment(1, "B", "a"), other]),
                ReassemblyError::Differs { tsn: Tsn::new(2) }
            );
        }
    }

    #[test]
    fn the_ssn_of_unordered_fragments_means_nothing() {
        let first = Fragment { unordered: true, ..fragment(1, "B", "a") };
        let second = Fragment { unordered: true, mid: Mid::new(9), ..fragment(2, "E", "b") };
        assert_eq!(text_of(&mut Reassembly::new(), &[first, second]), ["ab"]);
    }

    #[test]
    fn a_tsn_is_held_once() {
        let run = [fragment(1, "B", "a"), fragment(2, "", "b"), fragment(1, "B", "a")];
        assert_eq!(error_of(&run), ReassemblyError::AlreadyHeld { tsn: Tsn::new(1) });
    }

    #[test]
    fn a_skipped_message_goes_with_its_rest_and_the_next_one_stays() {
        let mut reassembly = Reassembly::new();
        let early = [fragment(1, "B", "a"), fragment(3, "", "c"), fragment(6, "B", "f")];
        text_of(&mut reassembly, &early);
        assert_eq!(reassembly.skip_to(Tsn::new(2)), ByteCount::new(2), "1, and 3 without a gap");
        assert!(
            matches!(reassembly.insert(fragment(5, "E", "e")), Ok(Inserted::Held)),
            "4 may end the message"
        );
        let dropped = reassembly.insert(fragment(4, "", "d"));
        assert!(
            matches!(dropped, Ok(Inserted::Dropped(weight)) if weight == ByteCount::new(2)),
            "{dropped:?}"
        );
        assert_eq!(reassembly.on_cumulative(Tsn::new(5)), Ok(()));
        assert_eq!(text_of(&mut reassembly, &[fragment(7, "E", "g")]), ["fg"]);
        assert_eq!(reassembly.held(), MemoryLoad::NONE);
    }

    #[test]
    fn a_message_that_begins_before_the_skipped_tsn_goes_whole_however_much_of_it_arrived() {
        let mut reassembly = Reassembly::new();
        text_of(&mut reassembly, &[fragment(2, "B", "b"), fragment(3, "", "c"), fragment(4, "", "d")]);
        assert_eq!(reassembly.skip_to(Tsn::new(3)), ByteCount::new(3));
        let dropped = reassembly.insert(fragment(5, "E", "e"));
        assert!(
            matches!(dropped, Ok(Inserted::Dropped(weight)) if weight == ByteCount::new(1)),
            "{dropped:?}"
        );
        assert!(matches!(reassembly.insert(fragment(6, "B", "f")), Ok(Inserted::Held)));
    }

    #[test]
    fn what_should_be_whole_by_the_cumulative_tsn_and_is_not_is_a_violation() {
        let mut reassembly = Reassembly::new();
        text_of(&mut reassembly, &[fragment(1, "BE", "a"), fragment(2, "", "b")]);
        assert_eq!(reassembly.on_cumulative(Tsn::new(1)), Ok(()));
        let error = ReassemblyError::Incomplete { tsn: Tsn::new(2), cumulative: Tsn::new(2) };
        assert_eq!(reassembly.on_cumulative(Tsn::new(2)), Err(error));

        let mut reassembly = Reassembly::new();
        text_of(&mut reassembly, &[fragment(1, "B", "a"), fragment(2, "", "b"), fragment(9, "", "c")]);
        assert_eq!(reassembly.on_cumulative(Tsn::new(2)), Ok(()));
        let error = ReassemblyError::Incomplete { tsn: Tsn::new(2), cumulative: Tsn::new(3) };
        assert_eq!(reassembly.on_cumulative(Tsn::new(3)), Err(error));
    }
}
