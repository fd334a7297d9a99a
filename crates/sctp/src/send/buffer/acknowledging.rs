//! Acknowledges chunks, or takes their acknowledgement back.

use anabranch_base::ByteCount;

use super::super::chunk::State;
use super::SendBuffer;
use crate::policy::loss_detection::SackNews;

impl SendBuffer {
    /// Acknowledges and removes the chunks before `new_first`.
    pub(super) fn ack_cumulatively(&mut self, new_first: u64, news: &mut SackNews) {
        for position in self.chunks.first()..new_first {
            self.ack_up_to(position, news);
            let Some(chunk) = self.chunks.take_first() else { continue };
            if !chunk.is_dropped() {
                self.held.on_released(chunk.path(), chunk.length());
            }
            if chunk.head().is_limited() && chunk.bounds().1 {
                self.limited.on_acknowledged(chunk.head().key(), position);
            }
        }
        self.reports.pass(new_first);
        self.firm.pass(new_first);
    }

    /// Drops the user data of the chunks that the NR-SACK just read acknowledges for good. Their records stay until they
    /// are cumulatively acknowledged.
    pub(super) fn release_firm(&mut self) {
        for position in self.firm.settle(self.reports.acked()).into_iter().flatten() {
            let chunk = self.chunks.at_mut(position);
            let (path, length) = (chunk.path(), chunk.drop_payload());
            if length > 0 {
                self.held.on_released(path, length);
            }
        }
    }

    /// Limits the acknowledgements taken back by the credit: a SACK without new acknowledgements is short, and could
    /// take back a whole window. The highest chunks, for which no credit is left, do not change, and the SACK's reports
    /// above that point are ignored.
    pub(super) fn bound_taking_back(&mut self) {
        let wanted = self.reports.count_taken_back();
        let paid = self.credit.spend(wanted);
        if paid != wanted {
            self.reports.take_back_only(paid);
        }
    }

    /// Acknowledges the chunks in new gap blocks.
    pub(super) fn ack_gaps(&mut self, news: &mut SackNews) {
        let reports = std::mem::take(&mut self.reports);
        for position in reports.newly_acked() {
            self.ack(position, news);
        }
        self.reports = reports;
    }

    /// Takes acknowledgements back. RFC 9260 §6.2.1 iv: a TSN that an earlier gap block acknowledged, and that this
    /// SACK does not report, is missing again.
    pub(super) fn take_back(&mut self, news: &mut SackNews) {
        let mut given_up = Vec::new();
        for &position in self.reports.take_back() {
            news.examined += 1;
            let chunk = self.chunks.at_mut(position);
            let (last, length) = (chunk.take_back(), chunk.length());
            let Some(last) = last else {
                given_up.push(position);
                continue;
            };
            self.log.insert(position, last.path, last.departure);
            self.in_flight.revoke(position, self.rwnd_charge.weigh(length));
            news.paths[last.path.index()].returned += self.charge.weigh(length);
        }
        given_up.into_iter().for_each(|position| self.drop_taken_back(position));
    }

    /// Acknowledges the chunk at `position` cumulatively.
    fn ack_up_to(&mut self, position: u64, news: &mut SackNews) {
        let chunk = self.chunks.at(position);
        if matches!(chunk.state(), State::Lost(_)) {
            news.paths[chunk.path().index()].marked = true;
        }
        if !self.ns2.is_ours() {
            self.pass(position, news);
        }
        self.ack(position, news);
    }

    /// Acknowledges the chunk at `position`, which may be in any state.
    fn ack(&mut self, position: u64, news: &mut SackNews) {
        news.examined += 1;
        let tsn = self.chunks.tsn(position);
        let chunk = self.chunks.at_mut(position);
        let is_new = self.ns2.counts_as_new(chunk.was_acked());
        let before = chunk.acknowledge();
        let (path, length) = (chunk.path(), chunk.length());
        let weight = self.charge.weigh(length);
        match before {
            State::InFlight | State::Revoked => {
                self.in_flight.leave(position, self.rwnd_charge.weigh(length));
                news.paths[path.index()].left += weight;
                // All copies leave their flights, no matter which of them arrived.
                if !self.copies.is_empty() {
                    for copy in self.copies.take_all(position) {
                        news.paths[copy.path.index()].left += weight;
                    }
                }
            }
            State::Lost(_) | State::RevokedLost(_) => {
                self.marked.remove(position, self.rwnd_charge.weigh(length));
            }
            State::Waiting => {
                self.waiting.take(position, ByteCount::of_len(length));
                // Only a misbehaving peer acknowledges a chunk that was not sent: it counts as sent on the path in its
                // record.
                self.held.on_sent(path, None, length);
            }
            State::GivenUp => {
                self.given_up -= 1;
                return;
            }
            State::Acked => return,
        }
        if is_new {
            self.credit.earn();
            news.acked.push(chunk.acked(tsn, weight, before.is_lost()));
        } else {
            news.acked_again.push(tsn);
        }
    }
}
