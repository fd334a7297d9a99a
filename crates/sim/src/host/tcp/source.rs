//! The data of an application, cut into segments. A segment has data of one message.

use anabranch_base::{ByteCount, Time};

use crate::application::{Ready, Sender};

/// The data left to send.
#[derive(Debug)]
pub(super) struct SegmentSource {
    sender: Sender,
    mss: ByteCount,
    /// The rest of the message that was begun.
    begun: Option<Ready>,
    /// True if the application gives data only when they can leave.
    is_bulk: bool,
}

impl SegmentSource {
    /// The data of `sender`, in segments of at most `mss`.
    pub(super) fn new(sender: Sender, mss: ByteCount, is_bulk: bool) -> SegmentSource {
        SegmentSource { sender, mss, begun: None, is_bulk }
    }

    /// The data of the next segment.
    pub(super) fn peek(&mut self, now: Time) -> Option<Ready> {
        if self.begun.is_none() {
            let ready = self.sender.peek(now)?;
            self.sender.take(ready);
            self.begun = Some(ready);
        }
        let segment = |ready: Ready| Ready {
            size: ready.size.min(self.mss),
            since: if self.is_bulk { now } else { ready.since },
        };
        self.begun.map(segment)
    }

    /// Takes the data that [`SegmentSource::peek`] returned.
    pub(super) fn take(&mut self, segment: Ready) {
        self.begun = self
            .begun
            .map(|ready| Ready { size: ready.size.saturating_sub(segment.size), ..ready })
            .filter(|ready| !ready.size.is_zero());
    }

    /// When the next message will be ready, if that depends only on the time: none is awaited while one waits to leave.
    pub(super) fn due(&self) -> Option<Time> {
        self.sender.due().filter(|_| self.begun.is_none())
    }
}
