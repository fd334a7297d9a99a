//! The assembly of fragments: of DATA, by consecutive TSNs, or of I-DATA, by MID and FSN.

use anabranch_base::ByteCount;

use super::interleaved::{Interleaved, Search};
use super::load::MemoryLoad;
use super::message::Message;
use super::reassembly::{Fragment, Inserted, Reassembly, ReassemblyError};
use crate::seq::{Mid, Tsn};
use crate::wire::{MessageKey, StreamId, StreamSet};

/// The incomplete messages of an association.
#[derive(Debug)]
pub(crate) enum Assembly {
    /// Of DATA.
    Consecutive(Reassembly),
    /// Of I-DATA.
    Interleaved(Interleaved),
}

impl Assembly {
    /// An empty store for I-DATA, if `interleaves`, or for DATA.
    pub(crate) fn new(interleaves: bool) -> Assembly {
        if interleaves {
            Assembly::Interleaved(Interleaved::default())
        } else {
            Assembly::Consecutive(Reassembly::new())
        }
    }

    /// Notes the arrival of a whole message that is not a duplicate. False if it must be [inserted](Assembly::insert),
    /// because it could contradict others.
    #[inline]
    pub(crate) fn pass(&mut self, tsn: Tsn) -> bool {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.pass(tsn),
            Assembly::Interleaved(_) => false,
        }
    }

    /// Adds a fragment that is not a duplicate. `is_behind` tells if its ordered message was delivered or skipped.
    ///
    /// # Errors
    /// The fragment contradicts others; it was not stored.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        fragment: Fragment,
        is_behind: impl FnOnce(&Fragment) -> bool,
    ) -> Result<Inserted, ReassemblyError> {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.insert(fragment),
            Assembly::Interleaved(interleaved) => {
                let is_behind = !fragment.unordered && is_behind(&fragment);
                interleaved.insert(fragment, is_behind)
            }
        }
    }

    /// Every TSN up to `cumulative` has arrived: no message of DATA before it may be incomplete.
    ///
    /// # Errors
    /// A message before `cumulative` is incomplete.
    #[inline]
    pub(crate) fn on_cumulative(&self, cumulative: Tsn) -> Result<(), ReassemblyError> {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.on_cumulative(cumulative),
            Assembly::Interleaved(_) => Ok(()),
        }
    }

    /// Drops the incomplete messages of DATA that begin at or before `cumulative`. Returns their weight.
    pub(crate) fn skip_to(&mut self, cumulative: Tsn) -> ByteCount {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.skip_to(cumulative),
            Assembly::Interleaved(_) => ByteCount::ZERO,
        }
    }

    /// Forgets what was skipped of `streams`, whose messages count anew (RFC 6525 §5.2.2). Incomplete messages have the
    /// new numbers: all before the reset have arrived.
    pub(crate) fn reset(&mut self, streams: &StreamSet) {
        if let Assembly::Interleaved(interleaved) = self {
            interleaved.reset(streams);
        }
    }

    /// Takes what is held of a message, of which `tsn` just arrived: its beginning if `may_begin`, which gets the message
    /// and a TSN of it, and if that weighs `least` or more, or what follows the part that was taken last. Of DATA, it is
    /// the message at the cumulative TSN; of I-DATA, the message `key`.
    pub(crate) fn take_part(
        &mut self,
        (key, tsn): (MessageKey, Tsn),
        cumulative: Tsn,
        least: ByteCount,
        may_begin: impl FnOnce(MessageKey, Tsn) -> bool,
    ) -> Option<(Mid, Message)> {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.take_part(cumulative, least, may_begin),
            Assembly::Interleaved(interleaved) => {
                interleaved.take_part(key, least, |key| may_begin(key, tsn))
            }
        }
    }

    /// Takes the beginning of any message that `may_begin`: of I-DATA, of the one of which most is held.
    pub(crate) fn take_any(
        &mut self,
        cumulative: Tsn,
        may_begin: impl Fn(MessageKey, Tsn) -> bool,
    ) -> Search {
        match self {
            Assembly::Consecutive(reassembly) => {
                let part = reassembly.take_part(cumulative, ByteCount::ZERO, may_begin);
                part.map_or(Search::Nothing, |(mid, part)| Search::Found(mid, part))
            }
            Assembly::Interleaved(interleaved) => interleaved.take_largest(|key| may_begin(key, cumulative)),
        }
    }

    /// Returns true if the message `key` was delivered in part and is incomplete.
    pub(crate) fn has_begun(&self, key: MessageKey) -> bool {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.has_begun(),
            Assembly::Interleaved(interleaved) => interleaved.has_begun(key),
        }
    }

    /// Drops what is held of the message `key`, which was delivered in part. Returns its weight.
    pub(crate) fn drop_begun(&mut self, key: MessageKey) -> ByteCount {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.drop_begun(),
            Assembly::Interleaved(interleaved) => interleaved.drop_begun(key),
        }
    }

    /// Returns true if the unordered message `mid` of I-DATA was skipped.
    pub(crate) fn has_skipped(&self, stream: StreamId, unordered: bool, mid: Mid) -> bool {
        match self {
            Assembly::Consecutive(_) => false,
            Assembly::Interleaved(interleaved) => {
                interleaved.was_skipped(MessageKey { stream, unordered, mid })
            }
        }
    }

    /// Returns true if `tsn`, a part of the message `key`, is stored. Of I-DATA, any part of the message counts.
    pub(crate) fn holds(&self, key: MessageKey, tsn: Tsn) -> bool {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.holds(tsn),
            Assembly::Interleaved(interleaved) => interleaved.holds(key),
        }
    }

    /// The cost of the stored fragments.
    #[inline]
    pub(crate) fn held(&self) -> MemoryLoad {
        match self {
            Assembly::Consecutive(reassembly) => reassembly.held(),
            Assembly::Interleaved(interleaved) => interleaved.held(),
        }
    }
}
