//! Takes messages of DATA in parts, when they are too large to wait for their end (RFC 9260 §6.9).

use anabranch_base::ByteCount;

use super::super::load::MemoryLoad;
use super::super::message::{Message, Part};
use super::{FragmentRun, Reassembly, message};
use crate::seq::{Mid, Tsn};
use crate::wire::MessageKey;

impl Reassembly {
    /// Takes, with its number, what is held of the message at the cumulative TSN: its beginning if `may_begin`, which gets the message and
    /// its first TSN, and if that weighs `least` or more; or what follows the part that was taken last. Other messages
    /// wait: fragments of a message of DATA have consecutive TSNs, so only this one can lack room.
    pub(crate) fn take_part(
        &mut self,
        cumulative: Tsn,
        least: ByteCount,
        may_begin: impl FnOnce(MessageKey, Tsn) -> bool,
    ) -> Option<(Mid, Message)> {
        let (&first, _) = self.runs.first_key_value()?;
        if first > self.position(cumulative) {
            return None;
        }
        let tsn = self.tsn_at(first);
        let run = self.runs.get_mut(&first)?;
        if !run.may_give(least) || !run.has_begun() && !may_begin(run.key(), tsn) {
            return None;
        }
        let before = run.load;
        let (mid, part) = (run.outline.mid, run.take_part());
        self.held = self.held.saturating_sub(before) + run.load;
        part.map(|part| (mid, part))
    }

    /// Returns true if a message was delivered in part.
    pub(crate) fn has_begun(&self) -> bool {
        self.runs.first_key_value().is_some_and(|(_, run)| run.has_begun())
    }

    /// Drops the message that was delivered in part, and what arrives of it later. Returns the weight.
    pub(crate) fn drop_begun(&mut self) -> ByteCount {
        let Some(entry) = self.runs.first_entry().filter(|entry| entry.get().has_begun()) else {
            return ByteCount::ZERO;
        };
        let (first, run) = entry.remove_entry();
        self.held = self.held.saturating_sub(run.load);
        self.skipped = Some(first + run.len() - 1);
        run.load.charge + self.drop_skipped()
    }
}

impl FragmentRun {
    /// The memory of a message that was delivered in part, while nothing more of it is held.
    pub(super) const BEGUN: MemoryLoad = MemoryLoad { charge: ByteCount::ZERO, memory: MemoryLoad::OVERHEAD };

    /// Takes the fragments that are held: the beginning of the message, or what follows the last part.
    pub(in super::super) fn take_part(&mut self) -> Option<Message> {
        let first = self.parts.pop_front()?;
        let rest = std::mem::take(&mut self.parts);
        let load = std::mem::replace(&mut self.load, FragmentRun::BEGUN);
        let (part, load) = if self.has_begun() {
            (Part::Middle, load.saturating_sub(FragmentRun::BEGUN))
        } else {
            (Part::First, load)
        };
        self.taken += 1 + rest.len() as u64;
        Some(Message { part, ..message(self.outline, self.ppid, first, rest, load) })
    }

    /// Returns true if a part can be taken: any that follows another, or a beginning of weight `least`.
    pub(in super::super) fn may_give(&self, least: ByteCount) -> bool {
        let is_enough = self.has_begun() || self.outline.begins && self.load.charge >= least;
        is_enough && !self.parts.is_empty()
    }

    /// Returns true if a part of the message was taken.
    pub(in super::super) fn has_begun(&self) -> bool {
        self.taken > 0
    }

    fn key(&self) -> MessageKey {
        let super::Outline { stream, unordered, mid, .. } = self.outline;
        MessageKey { stream, unordered, mid }
    }
}
