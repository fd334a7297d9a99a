//! The messages that arrive in parts: the rest of one whose beginning was discarded is discarded as well.

use std::collections::BTreeMap;

use anabranch_sctp::association::{Message, Part};
use anabranch_sctp::wire::StreamId;

/// The messages of which parts arrived, by stream and whether they are unordered.
#[derive(Debug, Default)]
pub(super) struct BegunMessages(BTreeMap<(StreamId, bool), Reader>);

/// The state of the reader of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// It gets the parts.
    Waits,
    /// A part was discarded.
    Gone,
}

impl BegunMessages {
    /// Notes a part. Returns false if the reader did not get all parts before it: then it gets no more.
    pub(super) fn on_part(&mut self, message: &Message) -> bool {
        let key = (message.stream, message.unordered);
        let reader = match message.part {
            Part::Whole => return true,
            Part::First => {
                self.0.insert(key, Reader::Waits);
                return true;
            }
            Part::Middle => self.0.get(&key).copied(),
            Part::Last | Part::Aborted => self.0.remove(&key),
        };
        reader == Some(Reader::Waits)
    }

    /// Notes that what arrived on `stream` was discarded.
    pub(super) fn on_discarded(&mut self, stream: StreamId) {
        for unordered in [false, true] {
            if let Some(reader) = self.0.get_mut(&(stream, unordered)) {
                *reader = Reader::Gone;
            }
        }
    }
}
