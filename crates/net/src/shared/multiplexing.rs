//! The streams of associations: a handle or the driver moves their messages with the lock, and wakes tasks without it.

use std::task::Waker;

use anabranch_base::Time;
use anabranch_sctp::endpoint::AssociationId;

use super::{Core, Shared};
use crate::streams::{CorePort, Mux, MuxSettings};

impl Shared {
    /// Lets the streams of an association carry its messages from now on.
    pub(crate) fn multiplex(&self, id: AssociationId) {
        self.change(|core, _| core.multiplex(id));
        // Messages that have arrived are taken.
        self.with_streams(id, Mux::turn);
    }

    /// Uses the streams of an association, and wakes the tasks that can continue, and the driver for what is to be sent.
    /// `None` if there are no streams.
    pub(crate) fn with_streams<T>(
        &self,
        id: AssociationId,
        act: impl FnOnce(&mut Mux, &mut CorePort<'_>) -> T,
    ) -> Option<T> {
        let mut core = self.lock();
        let now = if core.is_dirty { core.latest } else { core.tick() };
        let (result, has_changed) = core.with_streams(now, id, act)?;
        let woken = core.take_woken();
        if has_changed {
            self.tell_driver(core);
        } else {
            drop(core);
        }
        woken.into_iter().for_each(Waker::wake);
        Some(result)
    }
}

impl Core {
    /// The wakers to call when the lock is released.
    pub(crate) fn take_woken(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.woken)
    }

    /// Moves the messages of all streams. Returns true if that changed the core.
    pub(super) fn turn_streams(&mut self, now: Time) -> bool {
        let mut has_changed = false;
        for index in 0..self.multiplexed.len() {
            let id = self.multiplexed[index];
            has_changed |= self.with_streams(now, id, Mux::turn).is_some_and(|((), has_changed)| has_changed);
        }
        has_changed
    }

    fn multiplex(&mut self, id: AssociationId) {
        let (Some(entry), Some(association)) =
            (self.associations.get_mut(&id), self.endpoint.association(id))
        else {
            return;
        };
        if entry.mux.is_some() {
            return;
        }
        let (outbound, inbound) = association.streams().unwrap_or_default();
        let (own, peer) = association.tags();
        let settings = MuxSettings {
            credits: association.stream_credits(),
            count: outbound.min(inbound),
            is_odd: Some(own) < peer,
        };
        entry.mux = Some(Box::new(Mux::new(settings)));
        self.multiplexed.push(id);
    }

    fn with_streams<T>(
        &mut self,
        now: Time,
        id: AssociationId,
        act: impl FnOnce(&mut Mux, &mut CorePort<'_>) -> T,
    ) -> Option<(T, bool)> {
        let entry = self.associations.get_mut(&id)?;
        let mux = entry.mux.as_deref_mut()?;
        let mut port = CorePort::new(&mut self.endpoint, id, now, &entry.phase);
        let result = act(mux, &mut port);
        let has_changed = port.has_changed();
        self.woken.append(&mut mux.take_woken());
        if mux.take_arrival_news() {
            entry.notifiers.acceptable.notify_waiters();
        }
        Some((result, has_changed))
    }
}
