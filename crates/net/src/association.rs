//! The handle of an association: its construction, its end, and the reports of its paths. Methods lock the core
//! briefly, and wait without the lock.

mod multiplexing;
mod receiving;
mod reconfiguration;
mod sending;
mod streams;
mod test_packets;

use std::sync::Arc;

use anabranch_base::ByteCount;
use anabranch_sctp::association as core;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::policy::{PathId, PathSample};

pub use receiving::TryRecvError;
pub use reconfiguration::StreamChangeError;
pub use sending::{Effort, OutboundStream, SendOptions};
pub use streams::{Events, Records};
pub use test_packets::Tests;

use crate::association_entry::Notifiers;
use crate::links::LinkReport;
use crate::phase::Phase;
use crate::report::{GivenUpCounters, PathReport};
use crate::shared::{Core, Shared};
use crate::waiting::until;

/// An open association with a peer.
///
/// Clones are handles of the same association, for use in several tasks: several may send and several may receive at
/// once. When the last handle is dropped, an open association is aborted; one that is closing completes its shutdown.
#[derive(Clone, Debug)]
pub struct Association {
    owner: Arc<SharedHandle>,
}

/// Dropped with the last handle.
#[derive(Debug)]
struct SharedHandle {
    shared: Arc<Shared>,
    id: AssociationId,
    notifiers: Arc<Notifiers>,
}

/// The error of an association that did not shut down gracefully.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {undelivered} of the sent data were not acknowledged")]
#[non_exhaustive]
pub struct CloseError {
    /// The reason for which it ended.
    pub reason: CloseReason,
    /// User data that was sent and that the peer did not acknowledge; some of it may still have arrived. Zero means
    /// that everything was delivered and only the shutdown failed.
    pub undelivered: ByteCount,
}

impl Association {
    pub(crate) fn new(shared: Arc<Shared>, id: AssociationId, notifiers: Arc<Notifiers>) -> Association {
        Association { owner: Arc::new(SharedHandle { shared, id, notifiers }) }
    }

    /// Shuts the association down gracefully and waits until it has ended: everything sent is delivered first.
    /// Messages of the peer that arrive until then can still be received, by another handle or afterwards.
    ///
    /// Cancellation-safe: the shutdown begins when the future is first polled, and continues if it is dropped.
    ///
    /// # Errors
    /// The association ended in another way, before the call or during it: the error has the reason and the amount
    /// not delivered.
    pub async fn close(&self) -> Result<(), CloseError> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.change(|core, now| core.close(now, *id));
        match self.closed().await {
            CloseReason::Graceful => Ok(()),
            reason => Err(CloseError { reason, undelivered: self.unacknowledged() }),
        }
    }

    /// Waits until the association has ended, whichever end closes it.
    /// [`unacknowledged`](Association::unacknowledged) then returns the amount not delivered.
    ///
    /// Cancellation-safe: it only waits.
    pub async fn closed(&self) -> CloseReason {
        let poll = || match self.phase() {
            Phase::Closed(reason) => Some(reason),
            _ => None,
        };
        until(&self.owner.notifiers.changed, poll).await
    }

    /// Aborts the association immediately and sends the reason `why` to the peer. Unacknowledged data may be lost.
    /// Messages that have arrived can still be received.
    pub fn abort(&self, why: &str) {
        self.with(|association| association.abort(why));
    }

    /// Returns true if messages may be sent.
    pub fn is_open(&self) -> bool {
        self.phase() == Phase::Open
    }

    /// The name of the client that opened the association, if the endpoint has a key for each
    /// ([`Security::Clients`](crate::Security::Clients)). The handshake has proved that the peer has the key of this
    /// client, and no other client can add to the association or end it. The name remains when the client is removed.
    pub fn client(&self) -> Option<Arc<str>> {
        self.owner.shared.lock().client(self.owner.id).map(|client| client.name().clone())
    }

    /// Returns true if the client that opened the association was since [removed](crate::Clients::replace), or given
    /// another key or name: the application ends its associations.
    pub fn is_client_removed(&self) -> bool {
        self.owner.shared.lock().client(self.owner.id).is_some_and(|client| client.is_removed())
    }

    /// User data that was sent and that the peer has not acknowledged. Once the association has ended, the data it
    /// never acknowledged.
    pub fn unacknowledged(&self) -> ByteCount {
        self.view(core::Association::unacknowledged).unwrap_or_default()
    }

    /// User data that waits in the send buffer, not yet transmitted on any path. A little data here keeps every path
    /// busy; more only adds delay.
    pub fn waiting(&self) -> ByteCount {
        self.view(core::Association::waiting).unwrap_or_default()
    }

    /// The size of the receive buffer in user data, as configured or as grown.
    pub fn receive_buffer(&self) -> ByteCount {
        self.view(core::Association::receive_buffer).unwrap_or_default()
    }

    /// The amount of user data that can be sent without waiting.
    pub fn send_space(&self) -> ByteCount {
        self.view(core::Association::send_space).unwrap_or_default()
    }

    /// Returns true if both ends set [`Config::partial_reliability`](crate::Config::partial_reliability). Otherwise every
    /// message has full effort, whatever its [`Effort`].
    pub fn has_partial_reliability(&self) -> bool {
        self.view(core::Association::has_partial_reliability).unwrap_or_default()
    }

    /// Returns true if both ends set [`Config::test_packets`](crate::Config::test_packets): the association is for a
    /// measurement.
    pub fn has_test_packets(&self) -> bool {
        self.view(core::Association::has_test_packets).unwrap_or_default()
    }

    /// The messages that were given up so far, or until the association ended.
    pub fn given_up(&self) -> GivenUpCounters {
        self.owner.shared.lock().given_up(self.owner.id)
    }

    /// The negotiated numbers of outbound and inbound streams.
    pub fn streams(&self) -> (u16, u16) {
        self.view(core::Association::streams).flatten().unwrap_or_default()
    }

    /// Every present and past path, in the order of their ids.
    pub fn paths(&self) -> Vec<PathReport> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        let core = shared.lock();
        let Some(association) = core.endpoint.association(*id) else { return Vec::new() };
        association.paths().iter().map(|sample| report(&core, association, sample)).collect()
    }

    /// The traffic of each link of this machine, for all associations of its endpoint.
    pub fn links(&self) -> Vec<LinkReport> {
        self.owner.shared.lock().sockets.links.reports()
    }

    /// Makes `path` the primary path, which carries the data if only one path is used. Ignores an unknown path.
    pub fn set_primary(&self, path: PathId) {
        self.with(|association| association.set_primary(path));
    }

    /// Waits until the handshake has completed.
    pub(crate) async fn opened(&self) -> Result<(), CloseReason> {
        let poll = || match self.phase() {
            Phase::Opening => None,
            Phase::Open | Phase::Closing => Some(Ok(())),
            Phase::Closed(reason) => Some(Err(reason)),
        };
        until(&self.owner.notifiers.changed, poll).await
    }

    fn phase(&self) -> Phase {
        self.owner.shared.lock().phase(self.owner.id)
    }

    /// Changes the association in the core, and wakes the driver.
    fn with(&self, change: impl FnOnce(&mut core::Association)) {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.change(|core, _| {
            if let Some(association) = core.association(*id) {
                change(association);
            }
        });
    }

    /// Reads the association in the core, if it exists.
    fn view<T>(&self, view: impl FnOnce(&core::Association) -> T) -> Option<T> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.lock().endpoint.association(*id).map(view)
    }
}

impl Drop for SharedHandle {
    fn drop(&mut self) {
        let id = self.id;
        self.shared.change(|core, now| core.release(now, id));
    }
}

/// The report of one path at present.
fn report(core: &Core, association: &core::Association, sample: &PathSample) -> PathReport {
    let (now, addresses) = (core.now(), association.path_addresses(sample.id));
    PathReport {
        id: sample.id,
        addresses,
        sample: sample.clone(),
        counters: association.path_counters(sample.id),
        limits: association.time_in_limit(now, sample.id),
        mean_cwnd: association.mean_cwnd(now, sample.id),
        unsent: core.sockets.unsent_from(addresses.local),
    }
}
