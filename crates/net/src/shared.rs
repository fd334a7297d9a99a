//! The state shared by handles and driver: the core behind a lock, and the notifiers of waiting tasks. The lock is
//! never held while a task waits.

mod listeners;
mod multiplexing;
mod test_packets;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use anabranch_base::Time;
use anabranch_sctp::association::Message;
use anabranch_sctp::association::{self as core, Association, AssociationState, InitPace, Outgoing, Routes};
use anabranch_sctp::endpoint::{AssociationId, Channel, ConnectError, Endpoint};
use anabranch_sctp::event::{CloseReason, Event};
use tokio::sync::Notify;

use crate::association_entry::{AssociationEntry, Holder, Notifiers};
use crate::clock::Clock;
use crate::icmp::UndeliveredList;
use crate::pairing::Pairing;
use crate::phase::Phase;
use crate::report::{GivenUpCounters, SocketReports};
use crate::seal::{self, Client, Security};
use crate::send_error::SendError;
use crate::unreadable_peers::UnreadablePeers;

/// The endpoint, shared by its handles and its driver.
#[derive(Debug)]
pub(crate) struct Shared {
    core: Mutex<Core>,
    /// Notifies the driver that a handle changed something: there may be packets to send.
    pub wake: Notify,
    /// Notifies that an association can be accepted, or that none will follow.
    pub accepted: Notify,
    /// Notifies that nothing is left to do.
    pub settled: Notify,
}

/// The state behind the lock.
#[derive(Debug)]
pub(crate) struct Core {
    /// The protocol.
    pub endpoint: Endpoint,
    /// The reports of the sockets, maintained by the driver.
    pub sockets: SocketReports,
    /// Reports of undelivered packets while an association is opened; maintained by the driver.
    pub undelivered: UndeliveredList,
    /// Peers whose packets cannot be read; maintained by the driver.
    pub unreadable_peers: UnreadablePeers,
    /// The clients of the associations that peers have just opened; recorded by the driver until the handles are told.
    pub openers: Vec<(AssociationId, Arc<Client>)>,
    clock: Clock,
    associations: BTreeMap<AssociationId, AssociationEntry>,
    incoming: VecDeque<AssociationId>,
    /// The associations whose records have a listener.
    recorded: Vec<AssociationId>,
    /// The associations whose test packets have a reader.
    tested: Vec<AssociationId>,
    /// The associations whose messages are those of streams.
    multiplexed: Vec<AssociationId>,
    /// Wakers of tasks of streams, to call without the lock.
    woken: Vec<Waker>,
    /// The number of channels this end has opened; `None` for plain packets.
    channels: Option<u64>,
    /// True if every association is that of a known client.
    has_clients: bool,
    has_handle: bool,
    has_driver: bool,
    /// True if a handle changed something that the driver has not handled. Then `latest` is not before the first such
    /// change.
    is_dirty: bool,
    /// The time of the last change.
    latest: Time,
    /// True if every packet that the driver has collected was sent.
    is_flushed: bool,
}

impl Shared {
    /// The state of a new endpoint before its driver starts.
    pub(crate) fn new(
        endpoint: Endpoint,
        clock: Clock,
        sockets: SocketReports,
        security: &Security,
    ) -> Shared {
        let core = Core {
            endpoint,
            sockets,
            undelivered: UndeliveredList::default(),
            unreadable_peers: UnreadablePeers::default(),
            openers: Vec::new(),
            clock,
            associations: BTreeMap::new(),
            incoming: VecDeque::new(),
            recorded: Vec::new(),
            tested: Vec::new(),
            multiplexed: Vec::new(),
            woken: Vec::new(),
            channels: security.is_sealed().then_some(0),
            has_clients: matches!(security, Security::Clients(_)),
            has_handle: true,
            has_driver: true,
            is_dirty: false,
            latest: Time::ZERO,
            is_flushed: true,
        };
        Shared {
            core: Mutex::new(core),
            wake: Notify::new(),
            accepted: Notify::new(),
            settled: Notify::new(),
        }
    }

    /// Locks the core. If a thread panicked while it held the lock, it was a handle's or the driver, and what is left
    /// can still be closed.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the core on behalf of a handle, and wakes the driver for the consequences.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Core, Time) -> T) -> T {
        let mut core = self.lock();
        let now = core.tick();
        let result = change(&mut core, now);
        self.tell_driver(core);
        result
    }

    /// The time of the endpoint's clock, for reading.
    pub(crate) fn now(&self) -> Time {
        self.lock().now()
    }

    /// Attempts a change that may not be possible yet; `None` means that nothing has changed. Until the driver runs,
    /// attempts have the time of the first: a message needs no clock reading.
    pub(crate) fn attempt<T>(&self, attempt: impl FnOnce(&mut Core, Time) -> Option<T>) -> Option<T> {
        let mut core = self.lock();
        let now = if core.is_dirty { core.latest } else { core.tick() };
        let result = attempt(&mut core, now)?;
        self.tell_driver(core);
        Some(result)
    }

    /// Wakes the driver for a change, unless it was already woken and has not run since.
    fn tell_driver(&self, mut core: MutexGuard<'_, Core>) {
        let is_told = std::mem::replace(&mut core.is_dirty, true);
        drop(core);
        if !is_told {
            self.wake.notify_one();
        }
    }

    /// The next message of an association, or the reason for which none follows; `None` while one may follow. Wakes
    /// the driver only if the peer must learn of the freed room.
    pub(crate) fn receive(&self, id: AssociationId) -> Option<Result<Message, CloseReason>> {
        let mut core = self.lock();
        let Some((message, has_news)) = core.endpoint.receive(id) else {
            return core.close_reason(id).map(Err);
        };
        if has_news {
            if !core.is_dirty {
                core.tick();
            }
            self.tell_driver(core);
        }
        Some(Ok(message))
    }

    /// Handles the end of the driver, normal or not: no task may wait for it any longer.
    pub(crate) fn on_driver_gone(&self) {
        let woken = {
            let mut core = self.lock();
            core.on_driver_gone();
            let now = core.latest;
            core.turn_streams(now);
            std::mem::take(&mut core.woken)
        };
        woken.into_iter().for_each(Waker::wake);
        self.accepted.notify_waiters();
        self.settled.notify_waiters();
    }
}

impl Core {
    /// The time of the endpoint's clock, for reading.
    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    /// The time of the endpoint's clock, for a change.
    pub(crate) fn tick(&mut self) -> Time {
        self.latest = self.clock.now();
        self.latest
    }

    /// The instant of `time` on the endpoint's clock, for timers of tokio.
    pub(crate) fn instant(&self, time: Time) -> tokio::time::Instant {
        self.clock.instant(time)
    }

    /// The time of the latest change.
    pub(crate) fn latest(&self) -> Time {
        self.latest
    }

    /// Starts to open an association; the caller makes its handle.
    pub(crate) fn connect(
        &mut self,
        remote: &[std::net::SocketAddr],
        pairing: &Pairing,
    ) -> Result<(AssociationId, Arc<Notifiers>), ConnectError> {
        let channel = self.channels.map_or(Channel::PLAIN, seal::initiated);
        let Pairing { paths, further, alternatives } = pairing;
        let routes = Routes { paths, further, pace: InitPace::Raced, alternatives };
        let id = self.endpoint.connect_over(channel, remote, routes)?;
        self.channels = self.channels.map(|asked| asked + 1);
        let phase = if self.has_driver { Phase::Opening } else { Phase::Closed(driver_gone()) };
        let entry = AssociationEntry { phase, ..AssociationEntry::new(Holder::Handle) };
        let notifiers = entry.notifiers.clone();
        self.associations.insert(id, entry);
        Ok((id, notifiers))
    }

    /// The next association that a peer opened; the caller makes its handle.
    pub(crate) fn accept(&mut self) -> Option<(AssociationId, Arc<Notifiers>)> {
        let id = self.incoming.pop_front()?;
        let entry = self.associations.get_mut(&id)?;
        entry.holder = Holder::Handle;
        Some((id, entry.notifiers.clone()))
    }

    /// The association of a handle.
    pub(crate) fn association(&mut self, id: AssociationId) -> Option<&mut Association> {
        self.endpoint.association_mut(id)
    }

    /// The phase of a handle's association.
    pub(crate) fn phase(&self, id: AssociationId) -> Phase {
        self.associations.get(&id).map_or_else(|| Phase::Closed(driver_gone()), |entry| entry.phase.clone())
    }

    /// The reason for which the association ended, if it did.
    pub(crate) fn close_reason(&self, id: AssociationId) -> Option<CloseReason> {
        match &self.associations.get(&id)?.phase {
            Phase::Closed(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    /// The client that opened an association, at a server that knows several.
    pub(crate) fn client(&self, id: AssociationId) -> Option<&Arc<Client>> {
        self.associations.get(&id)?.client.as_ref()
    }

    /// The messages of an association that were given up.
    pub(crate) fn given_up(&self, id: AssociationId) -> GivenUpCounters {
        self.associations.get(&id).map(|entry| entry.given_up).unwrap_or_default()
    }

    /// Passes a message to an association; `None`, with the message unchanged, if it has no room now, or has just
    /// ended and the driver has not published the reason yet.
    pub(crate) fn try_send(
        &mut self,
        now: Time,
        id: AssociationId,
        message: &mut Outgoing,
    ) -> Option<Result<(), SendError>> {
        match self.associations.get(&id).map(|entry| (&entry.phase, entry.mux.is_some())) {
            None => return Some(Err(SendError::Closed(driver_gone()))),
            Some((Phase::Closed(reason), _)) => return Some(Err(SendError::Closed(reason.clone()))),
            Some((_, true)) => return Some(Err(SendError::Multiplexed)),
            Some(_) => {}
        }
        let Some(association) = self.endpoint.association_mut(id) else {
            return Some(Err(SendError::Closing));
        };
        match association.try_send(now, message) {
            Ok(()) => Some(Ok(())),
            Err(core::SendError::BufferFull { .. }) => None,
            Err(core::SendError::NotOpen) if association.state() == AssociationState::Closed => None,
            Err(core::SendError::NotOpen) => Some(Err(SendError::Closing)),
            Err(error) => Some(Err(SendError::Refused(error))),
        }
    }

    /// Shuts an association down gracefully.
    pub(crate) fn close(&mut self, now: Time, id: AssociationId) {
        if let Some(entry) = self.associations.get_mut(&id) {
            entry.is_shutdown_requested = true;
            if entry.phase == Phase::Open {
                entry.enter(Phase::Closing);
            }
        }
        if let Some(association) = self.endpoint.association_mut(id) {
            association.close(now);
        }
    }

    /// Handles the drop of an association's last handle: aborts an open association; a closing one completes its
    /// shutdown.
    pub(crate) fn release(&mut self, now: Time, id: AssociationId) {
        match self.associations.get_mut(&id) {
            Some(entry) if entry.phase == Phase::Closing && self.has_driver => entry.holder = Holder::Dropped,
            _ => self.remove(now, id),
        }
    }

    /// Handles the drop of the endpoint's last handle: no new associations are accepted.
    pub(crate) fn release_endpoint(&mut self, now: Time) {
        self.has_handle = false;
        for id in std::mem::take(&mut self.incoming) {
            self.remove(now, id);
        }
    }

    /// Marks all changes of handles as handled by the driver.
    pub(crate) fn take_changes(&mut self) {
        self.is_dirty = false;
    }

    /// Passes events to the handles. Returns true if that changed the core.
    pub(crate) fn tell_handles(&mut self, now: Time, accepted: &Notify) -> bool {
        // Records come first: after the end listeners get nothing.
        self.tell_records();
        self.tell_tests();
        let mut has_changed = false;
        while let Some((id, event)) = self.endpoint.poll_event() {
            has_changed |= self.on_event(now, id, &event, accepted);
        }
        self.openers.clear();
        has_changed |= self.turn_streams(now);
        self.is_dirty |= has_changed;
        has_changed
    }

    /// Returns true if the endpoint is a server that has a key for each client.
    pub(crate) fn has_clients(&self) -> bool {
        self.has_clients
    }

    /// Returns true if this end is opening an association.
    pub(crate) fn is_connecting(&self) -> bool {
        let mut held = self.associations.values().filter(|entry| entry.holder == Holder::Handle);
        held.any(|entry| entry.phase == Phase::Opening)
    }

    /// Records whether all packets collected by the driver were sent.
    pub(crate) fn set_flushed(&mut self, is_flushed: bool) {
        self.is_flushed = is_flushed;
    }

    /// Returns true if nothing is left to do: all associations have ended, and all packets were sent.
    pub(crate) fn is_settled(&self) -> bool {
        let is_over = |entry: &AssociationEntry| matches!(entry.phase, Phase::Closed(_));
        !self.has_driver || (self.is_flushed && !self.is_dirty && self.associations.values().all(is_over))
    }

    /// Returns true if all handles are dropped.
    pub(crate) fn is_deserted(&self) -> bool {
        !self.has_handle && self.associations.is_empty() && self.is_settled()
    }

    /// Returns true if the endpoint has a driver.
    pub(crate) fn has_driver(&self) -> bool {
        self.has_driver
    }

    /// The number of associations, including ended ones that still have a handle.
    pub(crate) fn held_associations(&self) -> usize {
        self.associations.len()
    }

    fn on_event(&mut self, now: Time, id: AssociationId, event: &Event, accepted: &Notify) -> bool {
        let entry = self.associations.entry(id).or_insert_with(|| AssociationEntry::new(Holder::AcceptQueue));
        if entry.client.is_none() {
            let opener = self.openers.iter().find(|(opened, _)| *opened == id);
            entry.client = opener.map(|(_, client)| client.clone());
        }
        match event {
            Event::Readable => entry.notifiers.readable.notify_waiters(),
            Event::Writable => entry.notifiers.writable.notify_waiters(),
            Event::Connected => {
                entry.enter(Phase::Open);
                if entry.holder == Holder::AcceptQueue {
                    // The opener is unknown if the association ended with the packet that opened it.
                    if !self.has_handle || (self.has_clients && entry.client.is_none()) {
                        self.remove(now, id);
                        return true;
                    }
                    self.incoming.push_back(id);
                    accepted.notify_waiters();
                }
            }
            Event::PeerClosing => entry.enter(Phase::Closing),
            Event::Restarted => self.on_restart(now, id),
            Event::GivenUp { stream, ppid, bytes, was_sent } => {
                entry.given_up.add(*bytes, *was_sent);
                if let Some(mux) = &mut entry.mux {
                    mux.on_given_up(*stream, *ppid, *bytes);
                }
            }
            Event::Closed(reason) => entry.enter(Phase::Closed(reason.clone())),
            _ => {}
        }
        let Some(entry) = self.associations.get_mut(&id) else { return false };
        let is_over = matches!(entry.phase, Phase::Closed(_));
        let is_new = *event == Event::Restarted;
        match event {
            Event::Readable | Event::Writable => {}
            Event::GivenUp { .. } => entry.events.publish_minor(event),
            _ => entry.events.publish(event),
        }
        if !is_over {
            return is_new;
        }
        entry.close_feeds();
        let was_never_open = entry.holder == Holder::AcceptQueue && !self.incoming.contains(&id);
        if entry.holder == Holder::Dropped || was_never_open {
            self.remove(now, id);
            return true;
        }
        false
    }

    /// Handles a restart of the association: waiting senders have room, and a shutdown lost by the peer's restart is
    /// requested again.
    fn on_restart(&mut self, now: Time, id: AssociationId) {
        let Some(entry) = self.associations.get_mut(&id) else { return };
        if entry.mux.as_ref().is_some_and(|mux| mux.has_credits()) {
            // The credits of both ends no longer fit together.
            if let Some(association) = self.endpoint.association_mut(id) {
                association.abort("the peer restarted and lost its streams");
            }
        } else if entry.is_shutdown_requested {
            self.close(now, id);
        } else {
            entry.enter(Phase::Open);
        }
    }

    fn remove(&mut self, now: Time, id: AssociationId) {
        self.associations.remove(&id);
        self.recorded.retain(|recorded| *recorded != id);
        self.tested.retain(|tested| *tested != id);
        self.multiplexed.retain(|multiplexed| *multiplexed != id);
        self.endpoint.remove(now, id);
    }

    fn on_driver_gone(&mut self) {
        self.has_driver = false;
        for entry in self.associations.values_mut().filter(|entry| !matches!(entry.phase, Phase::Closed(_))) {
            entry.enter(Phase::Closed(driver_gone()));
            entry.close_feeds();
        }
    }
}

fn driver_gone() -> CloseReason {
    CloseReason::AbortedHere { why: "the runtime that drove the sockets has ended".to_owned() }
}
