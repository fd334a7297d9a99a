//! Records the factor that limits each path, when no more can be sent. It changes nothing else.

use anabranch_base::Time;

use super::{Sender, view};
use crate::association::ground::Ground;
use crate::path::LimitingFactor;
use crate::policy::{PathSample, View};

/// The data that remains unsent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnsentData {
    Nothing,
    /// Only lost chunks.
    Lost,
    /// New chunks, and possibly lost ones.
    New {
        /// True if the peer has no room for the next new chunk.
        is_shut: bool,
    },
}

impl Sender {
    /// Records the factor that limits each path until the next event. Called when no more can be sent.
    #[inline]
    pub(super) fn note_limits(&self, ground: &mut Ground, now: Time) {
        let left = match self.buffer.oldest_waiting() {
            Some(oldest) => {
                UnsentData::New { is_shut: self.buffer.rwnd_weight(oldest) > self.peer_window.open() }
            }
            None if self.buffer.has_retransmissions() => UnsentData::Lost,
            None => UnsentData::Nothing,
        };
        let mut is_blocked = false;
        for id in ground.paths.ids() {
            let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
            let limit = self.limit_of(view.path(id), left, &view);
            is_blocked |= limit == LimitingFactor::ReceiveWindow;
            ground.paths.on_limit(id, now, limit);
        }
        if is_blocked { ground.paths.blocked_mut().begin(now) } else { ground.paths.blocked_mut().end(now) }
    }

    #[inline]
    fn limit_of(&self, path: &PathSample, left: UnsentData, view: &View<'_>) -> LimitingFactor {
        if !path.state.carries_data() {
            // A resting path is limited by the user's choice, which counts as the scheduler's.
            return if path.state.works() { LimitingFactor::Scheduler } else { LimitingFactor::Down };
        }
        match left {
            UnsentData::Nothing => LimitingFactor::Application,
            // A lost chunk whose destination has an open window was already sent: the remaining ones wait for other
            // paths.
            UnsentData::Lost if path.has_window() => LimitingFactor::Application,
            UnsentData::Lost => LimitingFactor::CongestionWindow,
            UnsentData::New { .. } if !self.rules.scheduler.may_use(path.id, view) => {
                LimitingFactor::Scheduler
            }
            UnsentData::New { .. } if !path.has_window() => LimitingFactor::CongestionWindow,
            UnsentData::New { is_shut: true } => LimitingFactor::ReceiveWindow,
            UnsentData::New { is_shut: false } => LimitingFactor::Scheduler,
        }
    }
}
