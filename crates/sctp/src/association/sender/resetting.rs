//! Holds streams that are reset, and numbers their messages anew when the peer agrees (RFC 6525 §5.1.2, §5.1.4).

use anabranch_base::{Seed, Time};

use super::{Cwr, Sender, SenderRules, UnconfirmedCuts};
use crate::association::ground::Ground;
use crate::seq::Tsn;
use crate::wire::StreamSet;

impl Sender {
    /// Lets later messages on `streams` wait for [`resume`](Sender::resume).
    pub(crate) fn hold(&mut self, streams: &StreamSet) {
        self.buffer.hold(streams);
    }

    /// Sends the messages of `streams` that were on hold, but for those of `held`, which wait on.
    pub(crate) fn resume(&mut self, ground: &mut Ground, streams: &StreamSet, held: &StreamSet, now: Time) {
        let messages = self.buffer.end_hold(streams);
        self.buffer.hold(held);
        for message in messages {
            self.on_message(ground, now, message, false);
        }
    }

    /// Notes that the reset of streams is requested, with the highest TSN that was sent as the last one before it.
    pub(crate) fn on_reset_requested(&mut self) {
        self.buffer.on_reset_requested();
    }

    /// Lets the messages of `streams` count from zero, before they are resumed.
    pub(crate) fn restart_numbers(&mut self, streams: &StreamSet) {
        self.buffer.restart_numbers(streams);
    }

    /// Returns true if a message on `streams`, queued before their hold, was not sent in whole.
    pub(crate) fn has_unsent_on(&mut self, streams: &StreamSet) -> bool {
        self.buffer.has_unsent_on(streams)
    }

    /// The highest TSN that was sent.
    pub(crate) fn highest_sent(&self) -> Tsn {
        self.buffer.highest_sent()
    }

    /// Returns true if all data is acknowledged, except what is on hold.
    pub(crate) fn is_settled(&self) -> bool {
        self.buffer.is_settled()
    }

    /// Gives the next chunk the TSN `next`, which the peer chose; all data is acknowledged. The new TSN may be so far ahead
    /// that the old ones seem to follow it: the state that names them is dropped.
    pub(crate) fn renumber(&mut self, ground: &mut Ground, next: Tsn, seed: &Seed) {
        self.renumbered_from = Some(self.buffer.ack_point());
        self.buffer.renumber(next);
        let settings = &ground.settings;
        if let Ok(fresh) = SenderRules::build(&settings.registry, &settings.config, seed) {
            self.rules.detection = fresh.detection;
        }
        for path in ground.paths.ids() {
            ground.paths.cancel_measurement(path);
            ground.paths.change_after_loss(path, |state| state.on_lowest_unacked(None));
        }
        self.peer_window.end_probe();
        self.cwr = Cwr::default();
        self.unconfirmed = UnconfirmedCuts::default();
        (self.vanishing, self.picked, self.planned_copy, self.run) = (None, None, None, None);
    }

    /// Returns true if a SACK of `cumulative` is from before the last change of TSNs: it was overtaken.
    pub(crate) fn is_from_before(&self, cumulative: Tsn) -> bool {
        let age = |old: Tsn| old.distance_from(cumulative);
        self.renumbered_from.is_some_and(|old| age(old) <= MOST_OVERTAKEN)
    }
}

/// A SACK from before a change of TSNs is less than this far behind.
const MOST_OVERTAKEN: u32 = 1 << 20;
