//! The associations of an endpoint, with queues of those that have events, packets, or an expired timer.

use std::collections::VecDeque;

use anabranch_base::Time;

use super::AssociationId;
use super::by_id::ById;
use super::due::Due;
use crate::association::{Association, PathAddresses, Transmit};
use crate::event::Event;

/// The associations by their ids. Every method that changes an association ends with [`touch`](Members::touch).
#[derive(Debug, Default)]
pub(super) struct Members {
    all: ById<Member>,
    /// The associations that may have events, each at most once, in the order in which they were touched.
    ready: VecDeque<AssociationId>,
    /// The associations that may have packets to send, or a changed timer, likewise.
    sending: VecDeque<AssociationId>,
    /// The next timer of each association, in order. Entries of associations in `sending` may be outdated.
    due: Due,
}

/// An association and its membership in the queues.
#[derive(Debug)]
struct Member {
    association: Association,
    is_ready: bool,
    is_sending: bool,
    /// The entry in `due`.
    due: Option<Time>,
}

impl Members {
    /// Adds an association.
    pub(super) fn insert(&mut self, id: AssociationId, association: Association) {
        let member = Member { association, is_ready: false, is_sending: false, due: None };
        self.all.insert(id, member);
        self.touch(id);
    }

    /// Removes an association. The entry in a queue may stay; the entry is skipped.
    pub(super) fn remove(&mut self, id: AssociationId) -> Option<Association> {
        let Member { association, due, .. } = self.all.remove(id)?;
        self.due.change(id, due, None);
        Some(association)
    }

    /// An association, for reading.
    pub(super) fn get(&self, id: AssociationId) -> Option<&Association> {
        self.all.value(id).map(|member| &member.association)
    }

    /// An association, for a call that does not change its events, packets and timers; see `touch` for other calls.
    pub(crate) fn untouched(&mut self, id: AssociationId) -> Option<&mut Association> {
        self.all.value_mut(id).map(|member| &mut member.association)
    }

    /// Marks that an association may have events, packets and another timer, and returns it.
    #[inline]
    pub(crate) fn touch(&mut self, id: AssociationId) -> Option<&mut Association> {
        let member = self.all.value_mut(id)?;
        if !std::mem::replace(&mut member.is_ready, true) {
            self.ready.push_back(id);
        }
        if !std::mem::replace(&mut member.is_sending, true) {
            self.sending.push_back(id);
        }
        Some(&mut member.association)
    }

    /// The next event: first all events of one association, then those of the next.
    #[inline]
    pub(super) fn poll_event(&mut self) -> Option<(AssociationId, Event)> {
        let id = self.first_with_events()?;
        let event = self.all.value_mut(id)?.association.poll_event()?;
        Some((id, event))
    }

    /// The next association that has events. Those before it, which have none, leave the queue.
    fn first_with_events(&mut self) -> Option<AssociationId> {
        while let Some(&id) = self.ready.front() {
            if let Some(member) = self.all.value_mut(id) {
                if member.association.has_events() {
                    return Some(id);
                }
                member.is_ready = false;
            }
            self.ready.pop_front();
        }
        None
    }

    /// Appends up to `max_segments` packets of the next association, in rotation, to `buf`. Calls `settled` for each
    /// association that has no more packets.
    pub(super) fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
        mut settled: impl FnMut(AssociationId, &Association),
    ) -> Option<(AssociationId, PathAddresses, Transmit)> {
        while let Some(&id) = self.sending.front() {
            if let Some(member) = self.all.value_mut(id) {
                if let Some(transmit) = member.association.poll_transmit(now, buf, max_segments) {
                    return Some((id, member.association.path_addresses(transmit.path), transmit));
                }
                member.is_sending = false;
                let due = member.association.poll_timeout();
                let before = std::mem::replace(&mut member.due, due);
                self.due.change(id, before, due);
                settled(id, &member.association);
            }
            self.sending.pop_front();
        }
        None
    }

    /// The expiry time of the first of all timers.
    pub(crate) fn next_due(&self) -> Option<Time> {
        if self.sending.is_empty() {
            return self.due.iter().next().map(|(due, _)| due);
        }
        let is_settled = |id| self.all.value(id).is_some_and(|member| !member.is_sending);
        let settled = self.due.iter().find(|(_, id)| is_settled(*id)).map(|(due, _)| due);
        let touched = self.sending.iter().filter_map(|id| self.get(*id)?.poll_timeout());
        settled.into_iter().chain(touched).min()
    }

    /// The associations with an expired timer, in the order of their ids.
    pub(super) fn due(&self, now: Time) -> Vec<AssociationId> {
        let settled = self.due.iter().take_while(|(due, _)| *due <= now).map(|(_, id)| id);
        let mut ids: Vec<AssociationId> = settled.chain(self.sending.iter().copied()).collect();
        ids.retain(|id| self.get(*id).and_then(Association::poll_timeout).is_some_and(|due| due <= now));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The ids, in their order.
    pub(super) fn ids(&self) -> impl Iterator<Item = AssociationId> {
        self.all.iter().map(|(id, _)| id)
    }

    /// The associations, in the order of their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Association> {
        self.all.iter().map(|(_, member)| &member.association)
    }

    /// The number of associations.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use anabranch_base::{ByteCount, Seed};

    use super::*;
    use crate::association::{LocalIdentity, RandomNumber, ReceiverRules, Routes, Settings};
    use crate::config::Config;
    use crate::policy::Registry;
    use crate::receive::Budget;
    use crate::seq::Tsn;
    use crate::wire::VerificationTag;

    fn opening() -> Association {
        let settings = Settings {
            config: Config::rfc9260(),
            registry: Registry::standard(),
            receiver: ReceiverRules::default(),
            budget: Arc::new(Budget::new(ByteCount::ZERO)),
        };
        let identity = LocalIdentity {
            local_port: 1,
            peer_port: 1,
            tag: VerificationTag::new(1),
            tsn: Tsn::new(1),
            random: RandomNumber::default(),
        };
        let address = |host| SocketAddr::from(([10, 0, 0, host], 9899));
        let paths = [PathAddresses { local: address(1), remote: address(2) }];
        let routes = Routes::one_by_one(&paths);
        Association::connect(Arc::new(settings), identity, Vec::new(), routes, Seed::from_number(1))
    }

    fn members(count: u64) -> Members {
        let mut members = Members::default();
        (1..=count).for_each(|id| members.insert(AssociationId(id), opening()));
        members
    }

    /// The associations in the order in which they have sent everything.
    fn senders(members: &mut Members) -> Vec<u64> {
        let mut senders = Vec::new();
        let mut packets = Vec::new();
        while members.poll_transmit(Time::ZERO, &mut packets, 1, |id, _| senders.push(id.0)).is_some() {}
        senders
    }

    #[test]
    fn an_association_that_waits_already_keeps_its_place() {
        let mut members = members(3);
        assert_eq!(senders(&mut members), [1, 2, 3]);
        for id in [2, 1, 2, 3, 1] {
            members.touch(AssociationId(id));
        }
        assert_eq!(senders(&mut members), [2, 1, 3]);
        assert_eq!(members.ready, [1, 2, 3].map(AssociationId), "events were not asked for");
        assert_eq!((members.poll_event(), members.ready.len()), (None, 0));
    }

    #[test]
    fn a_removed_association_has_no_turn_and_no_timer() {
        let mut members = members(2);
        senders(&mut members);
        let due = members.next_due().expect("an INIT waits for its answer");
        assert_eq!(members.due(due), [1, 2].map(AssociationId));
        members.touch(AssociationId(1));
        members.remove(AssociationId(1));
        assert_eq!(senders(&mut members), [0; 0]);
        assert_eq!((members.due(due), members.len()), (vec![AssociationId(2)], 1));
        members.remove(AssociationId(2));
        assert_eq!((members.next_due(), members.due.iter().count()), (None, 0));
        assert_eq!(members.poll_event(), None);
    }

    #[test]
    fn the_timer_of_an_association_that_was_touched_counts_before_it_has_sent() {
        let mut members = members(1);
        senders(&mut members);
        let due = members.next_due();
        let association = members.touch(AssociationId(1)).expect("it is there");
        association.handle_timeout(due.expect("an INIT waits for its answer"));
        let own = association.poll_timeout();
        assert_eq!(members.next_due(), own);
        senders(&mut members);
        assert_eq!(
            (members.next_due(), members.due.iter().count()),
            (members.all.value(AssociationId(1)).and_then(|member| member.due), 1)
        );
    }
}
