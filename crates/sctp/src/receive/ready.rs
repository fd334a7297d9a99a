//! Messages that the application may take, in the order in which they were added.

use std::collections::VecDeque;

use super::bundle::Bundle;
use super::load::MemoryLoad;
use super::message::Message;

/// Messages that are ready, first in, first out. Small consecutive ones are stored together, in a [`Bundle`].
#[derive(Debug, Default)]
pub(crate) struct ReadyMessages {
    parcels: VecDeque<Parcel>,
    load: MemoryLoad,
    /// Empty bundles, whose memory the next bundles use.
    spare: Vec<Bundle>,
}

/// A unit of storage.
#[derive(Debug)]
pub(super) enum Parcel {
    Message(Message),
    /// Small consecutive messages.
    Bundle(Bundle),
}

impl ReadyMessages {
    /// Adds a message at the end.
    pub(crate) fn push(&mut self, message: Message) {
        if let Some(Parcel::Bundle(last)) = self.parcels.back_mut() {
            let before = last.load();
            if last.push(&message) {
                self.load = self.load.saturating_sub(before) + last.load();
                return;
            }
        }
        let parcel = if Bundle::takes(&message) {
            Parcel::of(message, self.spare.pop().unwrap_or_default())
        } else {
            Parcel::Message(message)
        };
        self.push_back(parcel);
    }

    /// Adds a part of a message at the end. It joins the part before it, if that was not taken yet and is the last one.
    pub(super) fn push_part(&mut self, part: Message) {
        let load = part.load;
        let part = match self.parcels.back_mut() {
            Some(Parcel::Message(last)) => last.append(part),
            _ => Err(part),
        };
        match part {
            Ok(()) => self.load += load,
            Err(part) => self.push_back(Parcel::Message(part)),
        }
    }

    /// Adds a message or a bundle at the end.
    pub(super) fn push_parcel(&mut self, mut parcel: Parcel) {
        if let (Some(Parcel::Bundle(last)), Parcel::Bundle(bundle)) = (self.parcels.back_mut(), &mut parcel) {
            let before = last.load();
            if last.absorb(bundle) {
                self.load = self.load.saturating_sub(before) + last.load();
                return;
            }
        }
        self.push_back(parcel);
    }

    /// Adds all messages of `other` at the end.
    pub(crate) fn append(&mut self, mut other: ReadyMessages) {
        self.parcels.append(&mut other.parcels);
        self.load += other.load;
    }

    /// Removes the next message and returns it.
    pub(crate) fn take(&mut self) -> Option<Message> {
        if let Some(Parcel::Bundle(bundle)) = self.parcels.front_mut()
            && bundle.count() > 1
        {
            let before = bundle.load();
            let message = bundle.take();
            self.load = self.load.saturating_sub(before) + bundle.load();
            return message;
        }
        let parcel = self.parcels.pop_front()?;
        self.load = self.load.saturating_sub(parcel.load());
        match parcel {
            Parcel::Message(message) => Some(message),
            Parcel::Bundle(mut bundle) => {
                let message = bundle.take();
                if self.spare.len() < MOST_SPARE {
                    self.spare.push(bundle.emptied());
                }
                message
            }
        }
    }

    /// Returns true if no message is ready.
    pub(crate) fn is_empty(&self) -> bool {
        self.parcels.is_empty()
    }

    /// The cost of the messages.
    pub(crate) fn load(&self) -> MemoryLoad {
        self.load
    }

    fn push_back(&mut self, parcel: Parcel) {
        self.load += parcel.load();
        self.parcels.push_back(parcel);
    }
}

impl Parcel {
    /// A separate message, or the first one in `bundle`, which is empty.
    pub(super) fn of(message: Message, mut bundle: Bundle) -> Parcel {
        if bundle.push(&message) { Parcel::Bundle(bundle) } else { Parcel::Message(message) }
    }

    /// The number of its messages.
    pub(super) fn count(&self) -> u64 {
        match self {
            Parcel::Message(_) => 1,
            Parcel::Bundle(bundle) => bundle.count(),
        }
    }

    /// The cost.
    pub(super) fn load(&self) -> MemoryLoad {
        match self {
            Parcel::Message(message) => message.load,
            Parcel::Bundle(bundle) => bundle.load(),
        }
    }
}

/// The number of empty bundles that are kept, a kilobyte each: enough for a packet of small messages.
const MOST_SPARE: usize = 4;

#[cfg(test)]
mod tests {
    use super::super::message::tests::message;
    use super::*;

    #[test]
    fn two_queues_become_one_in_their_order_and_without_more_memory() {
        let large: &[u8] = &[7; 700];
        let filled = |ssns: std::ops::Range<u16>| {
            let mut ready = ReadyMessages::default();
            ssns.for_each(|ssn| ready.push(message(0, ssn, if ssn % 50 == 0 { large } else { b"x" })));
            ready
        };
        let (mut first, second) = (filled(0..1_000), filled(1_000..2_000));
        let memory = first.load().memory + second.load().memory;
        first.append(second);
        assert_eq!(first.load().memory, memory);
        assert!(std::iter::from_fn(|| first.take()).map(|message| message.ssn.get()).eq(0..2_000));
        assert_eq!((first.is_empty(), first.load()), (true, MemoryLoad::NONE));
    }
}
