//! Assigns to each ordered message the next stream sequence number of its stream (RFC 9260 §6.5).

use super::fragmentation::Outgoing;
use crate::seq::Ssn;

/// The next SSN of each stream.
#[derive(Debug, Default)]
pub(super) struct MessageNumbers {
    next: Vec<Ssn>,
}

impl MessageNumbers {
    /// Takes the number of `message`; it has no meaning for an unordered one.
    #[inline]
    pub(super) fn take(&mut self, message: &Outgoing) -> Ssn {
        if message.unordered {
            return Ssn::default();
        }
        let stream = usize::from(message.stream.get());
        if stream >= self.next.len() {
            self.next.resize(stream + 1, Ssn::default());
        }
        let ssn = self.next[stream];
        self.next[stream] = ssn.next();
        ssn
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::send::Reliability;
    use crate::wire::{Ppid, StreamId};

    #[test]
    fn ordered_messages_are_counted_on_each_stream() {
        let mut numbers = MessageNumbers::default();
        let mut take = |stream, unordered| {
            let stream = StreamId::new(stream);
            numbers
                .take(&Outgoing {
                    stream,
                    ppid: Ppid::new(0),
                    unordered,
                    reliability: Reliability::Full,
                    payload: Bytes::new(),
                })
                .get()
        };
        assert_eq!([take(2, false), take(2, false), take(0, false)], [0, 1, 0]);
        assert_eq!([take(2, true), take(2, false)], [0, 2]);
    }
}
