//! The data that an application sends and expects: the pattern of its bytes, and the messages that are ready.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Time};
use bytes::Bytes;

use crate::traffic::TrafficSource;

/// The sending side of an application.
#[derive(Debug)]
pub(crate) struct Sender {
    supply: Supply,
    /// The rest of a transfer.
    left: Option<ByteCount>,
    /// The number of bytes that were taken so far.
    position: u64,
}

/// A message that is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    /// The time since which it is ready.
    pub since: Time,
    /// The length.
    pub size: ByteCount,
}

#[derive(Debug)]
enum Supply {
    /// As much as the transport accepts, in messages of this size.
    Bulk { size: ByteCount },
    /// Messages at certain times; those that are due wait until the transport accepts them.
    Timed { source: Box<dyn TrafficSource>, next: Option<Ready>, waiting: VecDeque<Ready> },
}

impl Sender {
    /// An application with the pattern of `source`, or with as much data as the transport accepts in messages of
    /// `size`. `transfer` limits the total.
    pub(crate) fn new(
        source: Option<Box<dyn TrafficSource>>,
        size: ByteCount,
        transfer: Option<ByteCount>,
        start: Time,
    ) -> Sender {
        let supply = match source {
            None => Supply::Bulk { size },
            Some(mut source) => {
                let next = source.next(start).map(|(since, size)| Ready { since, size });
                Supply::Timed { source, next, waiting: VecDeque::new() }
            }
        };
        Sender { supply, left: transfer, position: 0 }
    }

    /// The message to send at `now`.
    pub(crate) fn peek(&mut self, now: Time) -> Option<Ready> {
        if self.is_done() {
            return None;
        }
        let ready = match &mut self.supply {
            Supply::Bulk { size } => Ready { since: now, size: *size },
            Supply::Timed { source, next, waiting } => {
                while let Some(due) = next.take_if(|next| next.since <= now) {
                    waiting.push_back(due);
                    *next = source.next(due.since).map(|(since, size)| Ready { since, size });
                }
                *waiting.front()?
            }
        };
        Some(Ready { size: self.left.map_or(ready.size, |left| ready.size.min(left)), ..ready })
    }

    /// Takes the message that [`Sender::peek`] returned, and returns its bytes.
    pub(crate) fn take(&mut self, ready: Ready) -> Bytes {
        if let Supply::Timed { waiting, .. } = &mut self.supply {
            waiting.pop_front();
        }
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(ready.size);
        }
        let bytes = pattern(self.position, ready.size.as_len());
        self.position += ready.size.get();
        Bytes::from_static(bytes)
    }

    /// When the next message will be ready, if that depends only on the time.
    pub(crate) fn due(&self) -> Option<Time> {
        match &self.supply {
            Supply::Timed { next, .. } if !self.is_done() => next.map(|next| next.since),
            _ => None,
        }
    }

    /// Returns true if a whole transfer was sent.
    pub(crate) fn is_done(&self) -> bool {
        self.left.is_some_and(ByteCount::is_zero)
    }
}

/// The bytes of an application's stream from `position` on.
///
/// # Panics
/// `len` is more than 65,536.
pub(crate) fn pattern(position: u64, len: usize) -> &'static [u8] {
    let offset = usize::try_from(position % PERIOD as u64).unwrap_or(0);
    &PATTERN[offset..offset + len]
}

/// A prime, so that no shift by a power of two goes unnoticed.
const PERIOD: usize = 65_521;

/// Longer than a period, so that every slice of up to 65,536 bytes is contiguous.
static PATTERN: [u8; PERIOD + 65_536] = repeated();

const fn repeated() -> [u8; PERIOD + 65_536] {
    let mut bytes = [0; PERIOD + 65_536];
    let mut index = 0;
    while index < bytes.len() {
        let mixed = ((index % PERIOD) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        bytes[index] = mixed[0] ^ mixed[3];
        index += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::TrafficSource;
    use anabranch_base::Duration;

    /// A message of ten bytes each millisecond.
    #[derive(Debug)]
    struct Ticks(u64);

    impl TrafficSource for Ticks {
        fn next(&mut self, _: Time) -> Option<(Time, ByteCount)> {
            self.0 += 1;
            Some((at(self.0), ByteCount::new(10)))
        }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn messages_that_are_due_wait_with_their_own_time() {
        let mut sender = Sender::new(Some(Box::new(Ticks(0))), ByteCount::ZERO, None, Time::ZERO);
        assert_eq!((sender.peek(at(0)), sender.due()), (None, Some(at(1))));
        let first = sender.peek(at(3)).expect("three are due");
        assert_eq!(first, Ready { since: at(1), size: ByteCount::new(10) });
        sender.take(first);
        assert_eq!(sender.peek(at(3)).map(|ready| ready.since), Some(at(2)));
        assert_eq!(sender.due(), Some(at(4)));
    }

    #[test]
    fn the_last_message_of_a_transfer_is_what_is_left() {
        let mut sender = Sender::new(None, ByteCount::new(1_000), Some(ByteCount::new(1_500)), Time::ZERO);
        let sizes: Vec<u64> = std::iter::from_fn(|| {
            let ready = sender.peek(at(1))?;
            Some(sender.take(ready).len() as u64)
        })
        .collect();
        assert_eq!(sizes, [1_000, 500]);
        assert!(sender.is_done());
    }

    #[test]
    fn the_pattern_goes_on_where_it_stopped() {
        let whole = pattern(65_000, 2_000);
        assert_eq!(pattern(66_000, 1_000), &whole[1_000..]);
        assert_ne!(pattern(65_001, 1_000), &whole[..1_000]);
    }
}
