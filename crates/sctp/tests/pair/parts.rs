//! The parts of messages, which are joined, and whose order is checked.

use std::collections::BTreeMap;

use anabranch_sctp::association::{Message, Part};

/// The messages of which parts were delivered, of one association, by stream and whether they are unordered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    begun: BTreeMap<(u16, bool), Message>,
}

impl Parts {
    /// Takes what was received next, and returns it once it is whole.
    pub(crate) fn take(&mut self, message: Message) -> Result<Option<Message>, String> {
        let (key, part) = ((message.stream.get(), message.unordered), message.part);
        let wrong = |what: &str| format!("{part:?} of {key:?} {what}");
        if part != Part::Aborted && message.is_empty() {
            return Err(wrong("is empty"));
        }
        match (part, self.begun.remove(&key)) {
            (Part::Whole, None) => Ok(Some(message)),
            // Unordered messages may arrive between the parts of another.
            (Part::Whole, Some(begun)) if key.1 => {
                self.begun.insert(key, begun);
                Ok(Some(message))
            }
            (Part::First, None) => {
                self.begun.insert(key, message);
                Ok(None)
            }
            (Part::Middle | Part::Last, Some(mut begun)) => {
                if (begun.ssn, begun.ppid) != (message.ssn, message.ppid) {
                    return Err(wrong("is of another message"));
                }
                begun.append(message).map_err(|_| wrong("does not follow"))?;
                if begun.part == Part::Whole {
                    return Ok(Some(begun));
                }
                self.begun.insert(key, begun);
                Ok(None)
            }
            (Part::Aborted, Some(_)) if message.is_empty() => Ok(None),
            (Part::Whole | Part::First, Some(_)) => Err(wrong("begins inside another")),
            (_, None) => Err(wrong("has no beginning")),
            (Part::Aborted, Some(_)) => Err(wrong("has a payload")),
        }
    }
}
