//! A packet under construction, and the check of its path's window.

use crate::policy::{PathId, View};
use crate::wire::StreamId;

/// A packet that is being filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenPacket {
    pub path: PathId,
    /// True if it already has a DATA chunk.
    pub has_data: bool,
    /// True if it may exceed the window of a path with losses.
    pub is_exempt: bool,
    /// The stream of its new chunks, if all must be of one.
    pub stream: Option<StreamId>,
}

impl OpenPacket {
    /// Returns true if the window of its path has room for one more lost chunk.
    pub(super) fn has_window(self, view: &View<'_>) -> bool {
        let sample = view.path(self.path);
        self.is_exempt || if self.has_data { sample.has_window_for_more() } else { sample.has_window() }
    }

    /// Returns true if one more new chunk may be added.
    pub(super) fn may_send(self, view: &View<'_>) -> bool {
        let sample = view.path(self.path);
        if self.has_data { sample.may_send_more() } else { sample.may_send() }
    }
}
