//! Takes messages of I-DATA in parts, several at once on different streams (RFC 8260 §2.2.3, RFC 9260 §6.9).

use anabranch_base::ByteCount;

use super::super::message::Message;
use super::{FragmentRun, Interleaved};
use crate::seq::Mid;
use crate::wire::MessageKey;

/// The result of a search for a message that can be delivered in parts.
#[derive(Debug)]
pub(crate) enum Search {
    /// The beginning of one.
    Found(Mid, Message),
    /// Too much would have to be searched for one packet.
    NotYet,
    /// No message can be.
    Nothing,
}

impl Interleaved {
    /// Takes what is held of message `key`: its beginning if `may_begin` and if that weighs `least` or more, or what follows
    /// the part that was taken last.
    pub(crate) fn take_part(
        &mut self,
        key: MessageKey,
        least: ByteCount,
        may_begin: impl FnOnce(MessageKey) -> bool,
    ) -> Option<(Mid, Message)> {
        let run = self.runs.get_mut(&(key, 0))?;
        if !run.may_give(least) || !run.has_begun() && !may_begin(key) {
            return None;
        }
        let before = run.load;
        let part = run.take_part();
        self.held = self.held.saturating_sub(before) + run.load;
        part.map(|part| (key.mid, part))
    }

    /// Takes the largest beginning of the messages that `may_begin`. Each call allows a search of [`SEARCHED`] more
    /// runs, so that a peer with very many incomplete messages does not cause a long search with each packet.
    pub(crate) fn take_largest(&mut self, may_begin: impl Fn(MessageKey) -> bool) -> Search {
        self.search += SEARCHED;
        if self.search < self.runs.len() {
            return Search::NotYet;
        }
        self.search = 0;
        let beginnings = self.runs.iter().filter(|((key, fsn), run)| {
            *fsn == 0 && !run.has_begun() && run.may_give(ByteCount::ZERO) && may_begin(*key)
        });
        let largest = beginnings.max_by_key(|(_, run)| run.load.charge).map(|(&(key, _), _)| key);
        match largest.and_then(|key| self.take_part(key, ByteCount::ZERO, |_| true)) {
            Some((mid, part)) => Search::Found(mid, part),
            None => Search::Nothing,
        }
    }

    /// Returns true if message `key` was delivered in part.
    pub(crate) fn has_begun(&self, key: MessageKey) -> bool {
        self.runs.get(&(key, 0)).is_some_and(FragmentRun::has_begun)
    }

    /// Drops what is held of message `key`, which was delivered in part, without a gap. Returns the weight.
    pub(crate) fn drop_begun(&mut self, key: MessageKey) -> ByteCount {
        let Some(run) = self.runs.remove(&(key, 0)) else { return ByteCount::ZERO };
        self.held = self.held.saturating_sub(run.load);
        run.load.charge
    }
}

/// The number of runs that a search may pass for each packet.
const SEARCHED: usize = 64;
