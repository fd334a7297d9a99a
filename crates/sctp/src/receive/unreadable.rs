//! The TSNs beyond the cumulative one whose messages the application cannot read yet.

use std::collections::BTreeMap;

use crate::seq::Tsn;
use crate::wire::{GapBlock, MessageKey};

/// The messages of the TSNs beyond the cumulative one, for receivers that report as NR gaps only what is readable
/// ([`NrGaps::Readable`](crate::config::NrGaps)). It has at most 65,535 entries.
#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    messages: BTreeMap<u32, MessageKey>,
}

impl Unreadable {
    /// Notes that `tsn` arrived, a part of the message `key`.
    pub(crate) fn on_held(&mut self, tsn: Tsn, key: MessageKey) {
        self.messages.insert(tsn.get(), key);
    }

    /// Divides `blocks`, which lie beyond `cumulative`: first those that may be taken back, then those that are
    /// readable, at most `most` in all. Returns the number of the first ones.
    pub(crate) fn divide(
        &mut self,
        cumulative: Tsn,
        blocks: &mut Vec<GapBlock>,
        most: usize,
        is_readable: impl Fn(MessageKey, Tsn) -> bool,
    ) -> u16 {
        self.messages.retain(|&tsn, &mut key| {
            let tsn = Tsn::new(tsn);
            tsn.is_after(cumulative) && !is_readable(key, tsn)
        });
        let (mut unreadable, mut readable) = (Vec::new(), Vec::new());
        for offset in blocks.drain(..).flat_map(|block| block.start..=block.end) {
            let tsn = cumulative.plus(offset.into());
            let is_unreadable = self.messages.contains_key(&tsn.get());
            push(if is_unreadable { &mut unreadable } else { &mut readable }, offset);
        }
        unreadable.truncate(most);
        readable.truncate(most - unreadable.len());
        let count = unreadable.len() as u16;
        blocks.append(&mut unreadable);
        blocks.append(&mut readable);
        count
    }
}

/// Adds `offset`, which is after all of `blocks`.
fn push(blocks: &mut Vec<GapBlock>, offset: u16) {
    match blocks.last_mut() {
        Some(last) if last.end.checked_add(1) == Some(offset) => last.end = offset,
        _ => blocks.push(GapBlock { start: offset, end: offset }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::Mid;
    use crate::wire::StreamId;

    fn key(mid: u32) -> MessageKey {
        MessageKey { stream: StreamId::new(0), unordered: false, mid: Mid::new(mid) }
    }

    fn block(start: u16, end: u16) -> GapBlock {
        GapBlock { start, end }
    }

    #[test]
    fn blocks_of_unreadable_messages_come_first() {
        let cumulative = Tsn::new(u32::MAX - 2);
        let mut held = Unreadable::default();
        for offset in [2, 3, 4, 6] {
            held.on_held(cumulative.plus(offset), key(offset));
        }
        let mut blocks = vec![block(2, 4), block(6, 7)];
        let is_readable = |key: MessageKey, _| key.mid == Mid::new(3);
        assert_eq!(held.divide(cumulative, &mut blocks, 10, is_readable), 3);
        assert_eq!(blocks, [block(2, 2), block(4, 4), block(6, 6), block(3, 3), block(7, 7)]);
        assert_eq!(held.messages.len(), 3, "what became readable is forgotten");
    }

    #[test]
    fn a_list_that_is_too_long_loses_its_readable_blocks_first() {
        let mut held = Unreadable::default();
        [2, 4].into_iter().for_each(|tsn| held.on_held(Tsn::new(tsn), key(tsn)));
        let mut blocks = vec![block(2, 6)];
        assert_eq!(held.divide(Tsn::new(0), &mut blocks, 3, |_, _| false), 2);
        assert_eq!(blocks, [block(2, 2), block(4, 4), block(3, 3)]);
        let mut later = vec![block(1, 1)];
        assert_eq!(held.divide(Tsn::new(4), &mut later, 3, |_, _| false), 0);
        assert!(held.messages.is_empty(), "the cumulative TSN has passed all");
    }
}
