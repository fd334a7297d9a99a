//! The fate of a test's messages, each with a deadline.

use serde::Serialize;

use crate::protocol::{Deadlines, Order, ReceiverReport, SenderReport};

/// The fate of messages with a deadline. Every message that was due is in time, late, dropped, or was not sent when the
/// test ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DeadlineEntry {
    /// The delay up to which a message is in time.
    pub deadline_s: f64,
    /// The time after which the sender gives a message up.
    pub lifetime_s: Option<f64>,
    /// True if messages were delivered in the order in which they were sent.
    pub ordered: bool,
    /// The messages that were due.
    pub due_messages: u64,
    /// The messages that arrived in time.
    pub in_time_messages: u64,
    /// The messages that arrived late.
    pub late_messages: u64,
    /// The messages that the sender dropped before any part of them was sent.
    pub dropped_unsent_messages: u64,
    /// The messages that the sender dropped after a part of them was sent, and that did not arrive.
    pub dropped_sent_messages: u64,
    /// The messages that were still to be sent when the test ended.
    pub unsent_messages: u64,
    /// The messages that arrived in time as a share of those due, 0 to 1.
    pub in_time_share: f64,
}

impl DeadlineEntry {
    /// The fate of the messages that the sender `sent` and the receiver `received`. Each end may be wrong about its part.
    pub(crate) fn of(deadlines: Deadlines, sent: &SenderReport, received: &ReceiverReport) -> DeadlineEntry {
        let dropped = sent.dropped.unwrap_or_default();
        let due_messages = sent.messages.saturating_add(dropped.expired).saturating_add(sent.unsent_messages);
        let in_time_messages = received.in_time_messages.unwrap_or(0).min(received.messages);
        DeadlineEntry {
            deadline_s: deadlines.deadline.as_secs_f64(),
            lifetime_s: deadlines.lifetime.map(anabranch_base::Duration::as_secs_f64),
            ordered: deadlines.order == Order::Sent,
            due_messages,
            in_time_messages,
            late_messages: received.messages - in_time_messages,
            dropped_unsent_messages: dropped.expired.saturating_add(dropped.unsent),
            // The receiver decides: a message that was given up may have arrived.
            dropped_sent_messages: sent
                .messages
                .saturating_sub(dropped.unsent)
                .saturating_sub(received.messages),
            unsent_messages: sent.unsent_messages,
            in_time_share: if due_messages == 0 {
                0.0
            } else {
                in_time_messages as f64 / due_messages as f64
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;
    use crate::protocol::Dropped;

    fn entry(dropped: Dropped, messages: u64, received: u64, in_time: u64) -> DeadlineEntry {
        let lifetime = Some(Duration::from_millis(150));
        let deadlines = Deadlines { deadline: Duration::from_millis(150), lifetime, order: Order::Sent };
        let sent =
            SenderReport { messages, unsent_messages: 2, dropped: Some(dropped), ..SenderReport::default() };
        let received = ReceiverReport {
            messages: received,
            in_time_messages: Some(in_time),
            ..ReceiverReport::default()
        };
        DeadlineEntry::of(deadlines, &sent, &received)
    }

    #[test]
    fn every_message_that_was_due_has_one_fate() {
        // Of seven that were given up after they were sent, three arrived all the same.
        let entry = entry(Dropped { expired: 5, unsent: 3, sent: 7 }, 100, 93, 90);
        assert_eq!((entry.due_messages, entry.in_time_messages, entry.late_messages), (107, 90, 3));
        assert_eq!((entry.dropped_unsent_messages, entry.dropped_sent_messages), (8, 4));
        let all = entry.in_time_messages
            + entry.late_messages
            + entry.dropped_unsent_messages
            + entry.dropped_sent_messages
            + entry.unsent_messages;
        assert_eq!(all, entry.due_messages);
        assert!((entry.in_time_share - 90.0 / 107.0).abs() < 1e-9);
    }

    #[test]
    fn absurd_reports_of_a_peer_are_counted_without_a_panic() {
        let most = u64::MAX;
        let entry = entry(Dropped { expired: most, unsent: most, sent: most }, most, 5, most);
        assert_eq!((entry.due_messages, entry.in_time_messages, entry.late_messages), (most, 5, 0));
        assert_eq!(entry.dropped_sent_messages, 0);
    }
}
