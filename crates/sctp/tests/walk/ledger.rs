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
    pub(crate) fn association_of(message: &Message) -> Option<u32> {
        message.clone().into_bytes().get(MARK).map(|mark| u32::from(*mark))
    }

    /// It was sent.
    pub(crate) fn on_sent(&mut self, stream: u16, unordered: bool, length: usize) {
        let number = self.next.entry((stream, unordered)).or_default();
        self.lengths.insert((stream, unordered, *number), length);
        *number += 1;
    }

    /// A message arrived.
    pub(crate) fn check(&mut self, message: &Message) -> Result<(), String> {
        let bytes = message.clone().into_bytes();
        let stream = message.stream.get();
        let number = if message.unordered {
            let head: [u8; 4] = bytes.get(..4).and_then(|head| head.try_into().ok()).ok_or("too short")?;
            let number = u32::from_be_bytes(head).wrapping_sub(self.association << 24);
            if !self.arrived_unordered.insert((stream, number)) {
                return Err(format!("unordered message {number} of stream {stream} arrived twice"));
            }
            number
        } else {
            let next = self.arrived_in_order.entry(stream).or_default();
            *next += 1;
            *next - 1
        };
        let Some(&length) = self.lengths.get(&(stream, message.unordered, number)) else {
            return Err(format!("message {number} of stream {stream} was never sent"));
        };
        if bytes != self.payload(stream, message.unordered, number, length) {
            return Err(format!("message {number} of stream {stream} is not what was sent"));
        }
        Ok(())
    }

    /// Returns true if all arrived that was sent.
    pub(crate) fn check_complete(&self) -> Result<(), String> {
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

    fn payload(&self, stream: u16, unordered: bool, number: u32, length: usize) -> Bytes {
        let which = (self.from as u32) ^ (u32::from(stream) << 3) ^ number.wrapping_mul(2_654_435_761);
        let key = which.wrapping_add(self.association.wrapping_mul(0x9e37_79b9));
        let mut bytes: Vec<u8> = (0..length as u32).map(|at| (key.rotate_left(at % 31) ^ at) as u8).collect();
        if let Some(mark) = bytes.get_mut(MARK) {
            *mark = self.association as u8;
        }
        if unordered {
            bytes[..4].copy_from_slice(&number.wrapping_add(self.association << 24).to_be_bytes());
        }
        Bytes::from(bytes)
    }
}

/// Where a message says which association it belongs to.
const MARK: usize = 4;
