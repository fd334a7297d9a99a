//! The messages that the association has not yet acknowledged, and the file data in them.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

/// Unacknowledged messages, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Underway {
    messages: VecDeque<OutstandingMessage>,
    /// Their total length.
    length: ByteCount,
}

#[derive(Debug)]
struct OutstandingMessage {
    length: ByteCount,
    /// The bytes of a file at its end.
    size: ByteCount,
    /// The bytes of those already counted as acknowledged.
    counted: ByteCount,
}

impl Underway {
    /// Records a message handed to the association whose last `size` bytes are of a file.
    pub(crate) fn hand_over(&mut self, length: ByteCount, size: ByteCount) {
        self.length += length;
        self.messages.push_back(OutstandingMessage { length, size, counted: ByteCount::ZERO });
    }

    /// Returns the bytes of files acknowledged since the last call, given that `unacknowledged` bytes of all messages
    /// are not.
    pub(crate) fn take_acknowledged(&mut self, unacknowledged: ByteCount) -> ByteCount {
        let mut taken = ByteCount::ZERO;
        while let Some(first) = self.messages.front_mut() {
            let acknowledged = self.length.saturating_sub(unacknowledged).min(first.length);
            let counts = acknowledged.saturating_sub(first.length - first.size).max(first.counted);
            taken += counts - first.counted;
            first.counted = counts;
            if acknowledged < first.length {
                break;
            }
            self.length -= first.length;
            self.messages.pop_front();
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_acknowledged_counts_once_and_headers_do_not() {
        let bytes = ByteCount::new;
        let mut underway = Underway::default();
        underway.hand_over(bytes(30), bytes(0));
        underway.hand_over(bytes(101), bytes(100));
        underway.hand_over(bytes(51), bytes(50));
        for (left, counts) in
            [(182, 0), (152, 0), (151, 0), (141, 10), (151, 0), (51, 90), (51, 0), (0, 50), (0, 0)]
        {
            assert_eq!(underway.take_acknowledged(bytes(left)), bytes(counts), "{left} B are left");
        }
        underway.hand_over(bytes(11), bytes(10));
        assert_eq!(underway.take_acknowledged(bytes(5)), bytes(5));
        assert_eq!(underway.take_acknowledged(bytes(0)), bytes(5));
    }
}
