//! An attempt to open an association: the address pairs tried, and the reports of undelivered packets.

use std::sync::Arc;

use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::event::CloseReason;

use crate::association::Association;
use crate::connect_error::ConnectError;
use crate::icmp::Undelivered;
use crate::shared::Shared;

/// An attempt to open an association. When it is dropped, the attempt is abandoned.
#[derive(Debug)]
pub struct Opening {
    association: Association,
    shared: Arc<Shared>,
}

impl Opening {
    /// An attempt requested by a handle.
    pub(crate) fn new(association: Association, shared: Arc<Shared>) -> Opening {
        Opening { association, shared }
    }

    /// The address pairs tried, in their order.
    pub fn tried(&self) -> Vec<PathAddresses> {
        self.association.paths().into_iter().map(|path| path.addresses).collect()
    }

    /// The latest report of undelivered packets of this endpoint for each pair of addresses (ICMP; on Linux only). It
    /// does not end the attempt: the port may still open, and ICMP can be forged.
    pub fn undelivered(&self) -> Vec<Undelivered> {
        // The operating system does not wake a reader for errors.
        self.shared.wake.notify_one();
        self.shared.lock().undelivered.all().to_vec()
    }

    /// Waits until messages can be sent.
    ///
    /// Cancellation-safe: it only waits.
    ///
    /// # Errors
    /// The peer does not answer or refuses.
    pub async fn opened(&self) -> Result<Association, ConnectError> {
        match self.association.opened().await {
            Ok(()) => Ok(self.association.clone()),
            Err(CloseReason::NoAnswer { attempts }) => {
                Err(ConnectError::NoAnswer { attempts, tried: self.tried() })
            }
            Err(reason) => Err(ConnectError::Failed(reason)),
        }
    }
}
