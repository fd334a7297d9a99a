//! Records chunks as sent, for the first time or again.

use anabranch_base::ByteCount;

use super::super::chunk::State;
use super::{SendBuffer, Sent};
use crate::policy::PathId;
use crate::seq::Tsn;

impl SendBuffer {
    /// Records the chunk `tsn` as sent on `path`, in the round `round` of the path's window.
    pub(crate) fn on_sent(&mut self, tsn: Tsn, path: PathId, round: u64) -> Sent {
        let position = self.chunks.position(tsn);
        let is_by_departure = self.log.is_kept();
        let was_earliest = is_by_departure && self.is_before_all_departures(position);
        let transmission = self.log.transmission(path, round);
        let chunk = self.chunks.at_mut(position);
        let before = chunk.leave(transmission);
        if is_by_departure {
            chunk.count_missing(0);
        }
        let (length, state, sends) = (chunk.length(), chunk.state(), chunk.sends());
        let payload = ByteCount::of_len(length);
        let rwnd_weight = self.rwnd_charge.weigh(length);
        let previous = before.map(|before| before.path);
        self.held.on_sent(path, previous, length);
        match previous {
            Some(from) => {
                self.marked.remove(position, rwnd_weight);
                if from != path {
                    self.standing.search_anew(from);
                }
            }
            None => {
                self.waiting.take(position, payload);
                self.chunks.on_left(position);
            }
        }
        match state {
            State::Revoked => self.in_flight.revoke(position, rwnd_weight),
            _ => self.in_flight.enter(position, path, sends, rwnd_weight),
        }
        let is_lowest_again = if is_by_departure {
            previous == Some(path) && was_earliest
        } else {
            previous.is_some() && self.lowest_on(path) == Some(tsn)
        };
        self.log.insert(position, path, transmission.departure);
        let departures = (transmission.departure, before.map_or(0, |before| before.departure));
        let weight = self.charge.weigh(length);
        Sent { weight, rwnd_weight, payload, previous, departures, is_lowest_again }
    }

    /// Returns true if the chunk at `position`, which is sent again, was sent on its path before all chunks in flight
    /// there.
    fn is_before_all_departures(&mut self, position: u64) -> bool {
        let last = self.chunks.at(position).last();
        self.earliest_departure(last.path).is_none_or(|earliest| last.departure <= earliest.number)
    }
}
