//! The parts of messages, joined in memory of the test, so that none of an end's memory is kept.

use std::collections::BTreeMap;

use anabranch_sctp::association::{Message, Part};

/// The messages of an association of which parts were delivered, by stream and whether they are unordered.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    begun: BTreeMap<(u16, bool), Vec<u8>>,
}

impl Joined {
    /// Takes what was received next; the bytes of a message once it is whole.
    pub(super) fn take(&mut self, message: &Message) -> Result<Option<Vec<u8>>, String> {
        let (key, part) = ((message.stream.get(), message.unordered), message.part);
        let is_inside = self.begun.contains_key(&key) && !(part == Part::Whole && message.unordered);
        if is_inside == part.begins() {
            return Err(format!("{part:?} of {key:?} does not follow"));
        }
        match part {
            Part::Whole => return Ok(Some(message.to_vec())),
            Part::Aborted => _ = self.begun.remove(&key),
            Part::First | Part::Middle | Part::Last => {
                self.begun.entry(key).or_default().extend(message.to_vec());
            }
        }
        Ok(if part == Part::Last { self.begun.remove(&key) } else { None })
    }
}
