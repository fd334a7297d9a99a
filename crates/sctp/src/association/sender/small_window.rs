//! Recovery of losses in a receive window of a few packets, too small for enough missing reports (M-SWS-1; YE 3.4).

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::policy::PathId;
use crate::policy::loss_detection::SackNews;
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::record::Happening;

impl Sender {
    /// If a gap block acknowledges the last chunk that was sent, nothing in flight could report more chunks missing,
    /// and no new data may be sent: everything in flight below it is lost, and is sent again, each chunk once.
    #[inline]
    pub(super) fn recover_small_window(&mut self, ground: &mut Ground, news: &SackNews, now: Time) {
        if !ground.settings.config.small_window_recovery || !self.has_small_window(ground) {
            return;
        }
        let highest = self.buffer.highest_sent();
        let is_idle = news.acked.last().is_some_and(|chunk| chunk.tsn == highest);
        if !is_idle || self.buffer.ack_point() == highest {
            return;
        }
        for path in ground.paths.ids() {
            if news.holes.iter().any(|hole| hole.path == path) {
                self.resend_small_window(ground, path, news, now);
            }
        }
    }

    /// Returns true if the peer's window never had room for more than [`SMALL`] packets: with more, missing reports suffice.
    fn has_small_window(&self, ground: &Ground) -> bool {
        let mtu = ground.paths.sample(ground.paths.primary()).mtu;
        self.peer_window.buffer() <= mtu * SMALL
    }

    fn resend_small_window(&mut self, ground: &mut Ground, path: PathId, news: &SackNews, now: Time) {
        let lost = news.holes.iter().filter(|hole| hole.path == path);
        let response = self.respond(ground, Signal::SmallWindow, path, now);
        for hole in lost.take(response.resend.count(news.holes.len())) {
            if self.mark_lost(ground, hole.tsn, path, LostBy::SmallWindow).is_some() {
                ground.paths.counters_mut(path).fast_retransmits += 1;
                ground.log.record(now, path, Happening::FastRetransmit(hole.tsn));
                self.exemptions.grant_one_more();
            }
        }
    }
}

/// The size of a small window in packets: with five, a loss leaves four chunks that can report it missing.
const SMALL: u64 = 4;
