//! The data that one end sent in one association, and its arrivals: once, in order of its stream, unchanged.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_sctp::association::Message;
use bytes::Bytes;

use crate::pair::End;

/// The data that one end sent and the other received.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    from: End,
    /// The number of the association between the two, so that a message of one is not mistaken for that of another.
    association: u32,
    next: BTreeMap<(u16, bool), u32>,
    lengths: BTreeMap<(u16, bool, u32), usize>,
    /// True if messages may be given up: then ordered ones begin with their numbers, too.
    is_partial: bool,
    /// The messages that may be given up.
    limited: BTreeSet<(u16, bool, u32)>,
    arrived: u32,
    arrived_in_order: BTreeMap<u16, u32>,
    arrived_unordered: BTreeSet<(u16, u32)>,
}

impl Ledger {
    /// Of what `from` sends in the association of this number.
    pub(crate) fn of(from: End, association: u32) -> Ledger {
        Ledger {
            from,
            association,
            next: BTreeMap::new(),
            lengths: BTreeMap::new(),
            is_partial: false,
            limited: BTreeSet::new(),
            arrived: 0,
            arrived_in_order: BTreeMap::new(),
            arrived_unordered: BTreeSet::new(),
        }
    }

    /// The next message to be sent: it contains its own number. Unordered ones begin with their number and have four
    /// bytes at
    /// least, and every byte depends on all.
    pub(crate) fn next(&self, stream: u16, unordered: bool, length: usize) -> Bytes {
        let number = self.next.get(&(stream, unordered)).copied().unwrap_or(0);
        self.payload(stream, unordered, number, length)
    }

    /// The number of the association that a message belongs to, if it is long enough to tell.
    pub(crate) fn association_of(bytes: &[u8]) -> Option<u32> {
        bytes.get(MARK).map(|mark| u32::from(*mark))
    }

    /// It was sent.
    pub(crate) fn on_sent(&mut self, stream: u16, unordered: bool, length: usize) {
        let number = self.next.entry((stream, unordered)).or_default();
        self.lengths.insert((stream, unordered, *number), length);
        *number += 1;
    }

    /// This ledger, of messages that may be given up.
    pub(crate) fn partial(self) -> Ledger {
        Ledger { is_partial: true, ..self }
    }

    /// The last message that was sent so may be given up.
    pub(crate) fn limit_last(&mut self, stream: u16, unordered: bool) {
        let number = self.next[&(stream, unordered)] - 1;
        self.limited.insert((stream, unordered, number));
    }

    /// A message arrived.
    pub(crate) fn check(&mut self, message: &Message) -> Result<(), String> {
        self.check_bytes((message.stream.get(), message.unordered), &message.to_vec())
    }

    /// The bytes of a message arrived.
    pub(crate) fn check_bytes(
        &mut self,
        (stream, unordered): (u16, bool),
        bytes: &[u8],
    ) -> Result<(), String> {
        self.arrived += 1;
        let number = if unordered || self.is_partial {
            let head: [u8; 4] = bytes.get(..4).and_then(|head| head.try_into().ok()).ok_or("too short")?;
            u32::from_be_bytes(head).wrapping_sub(self.association << 24)
        } else {
            0
        };
        let number = if unordered {
            if !self.arrived_unordered.insert((stream, number)) {
                return Err(format!("unordered message {number} of stream {stream} arrived twice"));
            }
            number
        } else {
            let next = self.arrived_in_order.entry(stream).or_default();
            let number = if self.is_partial { number } else { *next };
            if number < *next {
                return Err(format!("message {number} of stream {stream} arrived after {next}"));
            }
            let is_kept = |number: &u32| !self.limited.contains(&(stream, false, *number));
            if let Some(missing) = (*next..number).find(is_kept) {
                return Err(format!("message {missing} of stream {stream} was skipped"));
            }
            *next = number + 1;
            number
        };
        let Some(&length) = self.lengths.get(&(stream, unordered, number)) else {
            return Err(format!("message {number} of stream {stream} was never sent"));
        };
        if bytes != self.payload(stream, unordered, number, length) {
            return Err(format!("message {number} of stream {stream} is not what was sent"));
        }
        Ok(())
    }

    /// Returns true if all arrived that was sent, but for at most `given_up` messages that may be.
    pub(crate) fn check_complete(&self, given_up: u32) -> Result<(), String> {
        if self.is_partial {
            return self.check_but_for(given_up);
        }
        for (&(stream, unordered), &sent) in &self.next {
            let arrived = if unordered {
                self.arrived_unordered.iter().filter(|(other, _)| *other == stream).count() as u32
            } else {
                self.arrived_in_order.get(&stream).copied().unwrap_or(0)
            };
            if arrived != sent {
                return Err(format!(
                    "{:?} sent {sent} on stream {stream} (unordered: {unordered}), {arrived} arrived, \
                     and both ends closed in order",
                    self.from
                ));
            }
        }
        Ok(())
    }

    fn check_but_for(&self, given_up: u32) -> Result<(), String> {
        let sent: u32 = self.next.values().sum();
        if self.arrived + given_up < sent {
            let (arrived, from) = (self.arrived, self.from);
            return Err(format!("{from:?} sent {sent} and gave {given_up} up, {arrived} arrived"));
        }
        for (&(stream, unordered), &sent) in &self.next {
            let first = if unordered { 0 } else { self.arrived_in_order.get(&stream).copied().unwrap_or(0) };
            let is_missing = |number: &u32| {
                let has_arrived = unordered && self.arrived_unordered.contains(&(stream, *number));
                !has_arrived && !self.limited.contains(&(stream, unordered, *number))
            };
            if let Some(missing) = (first..sent).find(is_missing) {
                return Err(format!("message {missing} of stream {stream} did not arrive"));
            }
        }
        Ok(())
    }

    fn payload(&self, stream: u16, unordered: bool, number: u32, length: usize) -> Bytes {
        let which = (self.from as u32) ^ (u32::from(stream) << 3) ^ number.wrapping_mul(2_654_435_761);
        let key = which.wrapping_add(self.association.wrapping_mul(0x9e37_79b9));
        let mut bytes: Vec<u8> = (0..length as u32).map(|at| (key.rotate_left(at % 31) ^ at) as u8).collect();
        if let Some(mark) = bytes.get_mut(MARK) {
            *mark = self.association as u8;
        }
        if unordered || self.is_partial {
            bytes[..4].copy_from_slice(&number.wrapping_add(self.association << 24).to_be_bytes());
        }
        Bytes::from(bytes)
    }
}

/// Where a message says which association it belongs to.
const MARK: usize = 4;
