//! Test packets, with which a program measures the paths of an open association.

use anabranch_base::ByteCount;
use anabranch_sctp::association::{ReceivedTest, TestError};
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::policy::PathId;

use super::{Association, SharedHandle};
use crate::waiting::until;

/// The test packets that arrive from when [`Association::tests`] was called. It is a handle of the association, too.
///
/// If several read, each packet goes to one of them.
#[derive(Debug)]
pub struct Tests {
    association: Association,
}

impl Association {
    /// Sends a test packet on `path`: `body`, of 1 to 64 bytes, padded to an IP packet of `size`, or up to three bytes
    /// less, because SCTP packets have a multiple of four. It is neither acknowledged nor repeated, and no window bounds
    /// it: the caller bounds its rate. Packets of one size that are sent without waiting between them leave back to
    /// back. Only with [`Config::test_packets`](crate::Config::test_packets).
    ///
    /// # Errors
    /// Test packets are off, the association is not open, the path is unknown or not confirmed, or a length is not
    /// allowed. [`TestError::Full`] if 64 test packets of the path or more than 64 packets of its socket wait on this
    /// machine: their waiting would be taken for a delay of the network.
    pub fn send_test(&self, path: PathId, body: &[u8], size: ByteCount) -> Result<(), TestError> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        let mut refusal = None;
        shared.attempt(|core, _| core.send_test(*id, path, body, size).map_err(|no| refusal = Some(no)).ok());
        refusal.map_or(Ok(()), Err)
    }

    /// Receives the test packets that arrive from now on. Without a reader they are dropped.
    pub fn tests(&self) -> Tests {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.lock().receive_tests(*id);
        Tests { association: self.clone() }
    }
}

impl Tests {
    /// Waits for test packets, and takes all that have arrived, in the order of their arrival. Their times are those of
    /// [`Association::now`].
    ///
    /// Cancellation-safe: if the future is dropped, no packet is lost.
    ///
    /// # Errors
    /// The association has ended, and its last test packet was received.
    pub async fn recv(&mut self) -> Result<Vec<ReceivedTest>, CloseReason> {
        let SharedHandle { shared, id, notifiers } = &*self.association.owner;
        until(&notifiers.tests, || shared.lock().take_tests(*id)).await
    }

    /// The number of test packets that were dropped because 65,536 others waited to be received.
    pub fn missed(&self) -> u64 {
        self.association.view(anabranch_sctp::association::Association::missed_tests).unwrap_or_default()
    }
}

impl Drop for Tests {
    /// With the last reader, test packets are dropped again.
    fn drop(&mut self) {
        let SharedHandle { shared, id, .. } = &*self.association.owner;
        shared.lock().release_tests(*id);
    }
}
