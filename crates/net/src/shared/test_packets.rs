//! The test packets of associations: sent while little waits for their socket, and kept while somebody reads them.

use anabranch_base::ByteCount;
use anabranch_sctp::association::{Association, ReceivedTest, TestError};
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::policy::PathId;

use super::Core;

impl Core {
    /// Queues a test packet.
    pub(crate) fn send_test(
        &mut self,
        id: AssociationId,
        path: PathId,
        body: &[u8],
        size: ByteCount,
    ) -> Result<(), TestError> {
        if !self.has_driver {
            return Err(TestError::NotOpen);
        }
        let Core { endpoint, sockets, .. } = self;
        let association = endpoint.association_mut(id).ok_or(TestError::NotOpen)?;
        let is_known = path.index() < association.paths().len();
        if is_known && sockets.is_busy(association.path_addresses(path).local) {
            return Err(TestError::Full);
        }
        association.send_test(path, body, size)
    }

    /// Adds a reader of an association's test packets.
    pub(crate) fn receive_tests(&mut self, id: AssociationId) {
        let Some(entry) = self.associations.get_mut(&id) else { return };
        entry.test_readers += 1;
        if entry.test_readers == 1 {
            self.tested.push(id);
            let _ = self.endpoint.association_mut(id).map(Association::receive_tests);
        }
    }

    /// Removes a reader; after the last one, test packets are dropped.
    pub(crate) fn release_tests(&mut self, id: AssociationId) {
        let Some(entry) = self.associations.get_mut(&id) else { return };
        entry.test_readers = entry.test_readers.saturating_sub(1);
        if entry.test_readers == 0 {
            self.tested.retain(|tested| *tested != id);
            let _ = self.endpoint.association_mut(id).map(Association::stop_receiving_tests);
        }
    }

    /// Takes the test packets that have arrived, or the reason for which none follows; `None` while some may follow.
    pub(crate) fn take_tests(&mut self, id: AssociationId) -> Option<Result<Vec<ReceivedTest>, CloseReason>> {
        let has_some = self.endpoint.association(id).is_some_and(Association::has_tests);
        if !has_some {
            return self.close_reason(id).map(Err);
        }
        let association = self.endpoint.association_mut(id)?;
        Some(Ok(std::iter::from_fn(|| association.poll_test()).collect()))
    }

    /// Wakes the readers of test packets that have arrived.
    pub(super) fn tell_tests(&self) {
        for id in &self.tested {
            if self.endpoint.association(*id).is_some_and(Association::has_tests)
                && let Some(entry) = self.associations.get(id)
            {
                entry.notifiers.tests.notify_waiters();
            }
        }
    }
}
