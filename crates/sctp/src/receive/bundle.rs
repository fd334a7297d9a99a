//! Stores small messages contiguously in one block of memory, so that a packet of them takes little more memory than
//! one large message.

use std::collections::VecDeque;

use anabranch_base::ByteCount;
use bytes::Bytes;

use super::load::MemoryLoad;
use super::message::{Message, Part};
use crate::seq::Ssn;
use crate::wire::{Ppid, StreamId};

/// Complete messages of at most [`Bundle::LARGEST`] bytes each, in the order in which they were added.
///
/// A separate message takes [`MemoryLoad::OVERHEAD`] more than its user data. In a bundle it takes [`Bundle::HEADER`]
/// more, and a share of the bundle's own overhead: for messages of one byte, a fifteenth.
#[derive(Debug, Default)]
pub(crate) struct Bundle {
    /// Headers and user data; the part before `read` was taken.
    records: Vec<u8>,
    read: usize,
    count: u64,
    charge: ByteCount,
}

impl Bundle {
    /// The largest user data of a message in a bundle. A longer message, stored separately, takes less than twice its
    /// user data, which is the memory that a receive buffer has for it.
    pub(crate) const LARGEST: usize = u8::MAX as usize;

    /// The length of the header before the user data of each message.
    pub(crate) const HEADER: usize = 12;

    /// Returns true if `message` fits into a bundle: it is small, and has one fragment.
    pub(crate) fn takes(message: &Message) -> bool {
        message.rest.is_empty() && message.first.len() <= Bundle::LARGEST && charge_of(message).is_some()
    }

    /// The cost of a message with `length` bytes of user data among others of this length, including unused room.
    pub(crate) const fn cost_of(length: usize) -> ByteCount {
        let record = (Bundle::HEADER + length) as u64;
        ByteCount::new(record + record / 2 + MemoryLoad::OVERHEAD.get() * record / FULL as u64)
    }

    /// Adds a copy of `message` at the end, if it fits into a bundle and there is room. Returns true if it was added.
    pub(crate) fn push(&mut self, message: &Message) -> bool {
        let length = Bundle::HEADER + message.first.len();
        let Some(charge) = charge_of(message).filter(|_| Bundle::takes(message) && self.has_room(length))
        else {
            return false;
        };
        self.reserve(length);
        let [stream0, stream1] = message.stream.get().to_be_bytes();
        let [ssn0, ssn1] = message.ssn.get().to_be_bytes();
        let [ppid0, ppid1, ppid2, ppid3] = message.ppid.get().to_be_bytes();
        let [charge0, charge1] = charge.to_be_bytes();
        let (length, unordered) = (message.first.len() as u8, u8::from(message.unordered));
        let header: [u8; Bundle::HEADER] =
            [length, unordered, stream0, stream1, ssn0, ssn1, ppid0, ppid1, ppid2, ppid3, charge0, charge1];
        self.records.extend_from_slice(&header);
        self.records.extend_from_slice(&message.first);
        self.count += 1;
        self.charge += message.load.charge;
        true
    }

    /// Removes the first message and returns it. The memory is freed with the last one.
    pub(crate) fn take(&mut self) -> Option<Message> {
        let (header, behind) = self.records.get(self.read..)?.split_first_chunk::<{ Bundle::HEADER }>()?;
        let [length, unordered, stream0, stream1, ssn0, ssn1, ppid @ .., charge0, charge1] = *header;
        let first = Bytes::copy_from_slice(behind.get(..usize::from(length))?);
        let charge = ByteCount::new(u64::from(u16::from_be_bytes([charge0, charge1])));
        self.read += Bundle::HEADER + first.len();
        self.count -= 1;
        self.charge = self.charge.saturating_sub(charge);
        Some(Message {
            stream: StreamId::new(u16::from_be_bytes([stream0, stream1])),
            ssn: Ssn::new(u16::from_be_bytes([ssn0, ssn1])),
            ppid: Ppid::new(u32::from_be_bytes(ppid)),
            unordered: unordered != 0,
            part: Part::Whole,
            load: MemoryLoad::of_chunk(charge, first.len()),
            first,
            rest: VecDeque::new(),
        })
    }

    /// Adds all messages of `other` at the end if there is room for all of them. Otherwise they stay in `other`.
    pub(crate) fn absorb(&mut self, other: &mut Bundle) -> bool {
        let behind = &other.records[other.read..];
        if !self.has_room(behind.len()) {
            return false;
        }
        self.reserve(behind.len());
        self.records.extend(behind);
        self.count += other.count;
        self.charge += other.charge;
        *other = std::mem::take(other).emptied();
        true
    }

    /// The number of messages it holds.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The weight of its messages, and the memory that it takes.
    pub(crate) fn load(&self) -> MemoryLoad {
        MemoryLoad {
            charge: self.charge,
            memory: MemoryLoad::OVERHEAD + ByteCount::of_len(self.records.capacity()),
        }
    }

    /// The memory, without messages.
    #[must_use]
    pub(crate) fn emptied(mut self) -> Bundle {
        self.records.clear();
        Bundle { records: self.records, ..Bundle::default() }
    }

    fn has_room(&self, more: usize) -> bool {
        self.records.len() + more <= FULL
    }

    /// Makes room for what [`Bundle::has_room`] allows: doubles the memory, up to the size of a full bundle.
    fn reserve(&mut self, more: usize) {
        let (length, capacity) = (self.records.len(), self.records.capacity());
        if length + more > capacity {
            let grown = (capacity * 2).clamp(LEAST, FULL).max(length + more);
            self.records.reserve_exact(grown - length);
        }
    }
}

/// The weight of `message`, if it fits into the 16 bits of the header.
fn charge_of(message: &Message) -> Option<u16> {
    u16::try_from(message.load.charge.get()).ok()
}

/// The largest size of a bundle in bytes. It is freed as a whole, so the last unread message keeps all of it
/// allocated.
const FULL: usize = 1024;
/// The least size that is allocated.
const LEAST: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::message::tests::message;
    use super::*;

    fn bundle(count: u16) -> Bundle {
        let mut bundle = Bundle::default();
        (0..count).for_each(|ssn| assert!(bundle.push(&message(3, ssn, b"x"))));
        bundle
    }

    fn ssns(bundle: &mut Bundle) -> Vec<u16> {
        std::iter::from_fn(|| bundle.take()).map(|message| message.ssn.get()).collect()
    }

    #[test]
    fn messages_come_out_as_they_went_in() {
        let mut bundle = Bundle::default();
        let longest: &[u8] = &[7; Bundle::LARGEST];
        let sent = [
            message(1, 2, b"one"),
            Message { unordered: true, ppid: Ppid::new(0x0102_0304), ..message(u16::MAX, 0, b"t") },
            message(0, u16::MAX, longest),
        ];
        sent.iter().for_each(|message| assert!(bundle.push(message)));
        assert_eq!((bundle.count(), bundle.load().charge.get()), (3, 3 + 1 + 255));
        for message in sent {
            let taken = bundle.take().expect("there are as many");
            assert_eq!(
                (taken.stream, taken.ssn, taken.ppid, taken.unordered),
                (message.stream, message.ssn, message.ppid, message.unordered)
            );
            assert_eq!((taken.to_vec(), taken.load()), (message.to_vec(), message.load()));
        }
        assert!(bundle.take().is_none());
        assert_eq!((bundle.count(), bundle.load().charge), (0, ByteCount::ZERO));
    }

    #[test]
    fn a_large_message_or_one_of_several_fragments_is_given_back() {
        let large: &[u8] = &[0; Bundle::LARGEST + 1];
        assert!(!Bundle::takes(&message(0, 0, large)));
        assert!(!Bundle::default().push(&message(0, 0, large)));
        let rest = VecDeque::from([Bytes::from_static(b"b")]);
        assert!(!Bundle::takes(&Message { rest, ..message(0, 0, b"a") }));
    }

    #[test]
    fn a_full_bundle_costs_what_is_said_of_its_messages() {
        for length in [1, 10, 100, Bundle::LARGEST] {
            let first = Bytes::from(vec![7; length]);
            let small = Message {
                load: MemoryLoad::of_chunk(ByteCount::of_len(length), length),
                first,
                ..message(0, 0, b"")
            };
            let mut bundle = Bundle::default();
            while bundle.push(&small) {}
            let each = bundle.load().memory.get() / bundle.count();
            assert!(each <= Bundle::cost_of(length).get(), "{each} B for {length} B");
            assert!(bundle.load().memory.get() <= FULL as u64 + MemoryLoad::OVERHEAD.get());
        }
        assert!(Bundle::cost_of(1).get() < 24, "a packet of messages of one byte costs less than 1,800 B");
    }

    #[test]
    fn one_bundle_takes_all_of_another_or_nothing() {
        let (mut first, mut second) = (bundle(40), bundle(40));
        assert_eq!(second.take().expect("40").ssn.get(), 0);
        assert!(!first.absorb(&mut second), "79 do not fit");
        assert_eq!((first.count(), second.count()), (40, 39));
        let mut third = bundle(3);
        assert!(first.absorb(&mut third));
        assert_eq!((first.count(), third.count()), (43, 0));
        assert_eq!(ssns(&mut first).last(), Some(&2));
    }
}
