//! An association that is being opened: which pairs of addresses are tried, and what the network says of them.

use std::sync::Arc;

use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::event::CloseReason;

use crate::association::Association;
use crate::endpoint::ConnectError;
use crate::icmp::Undelivered;
use crate::shared::Shared;

/// An association that is being opened. When it is dropped, the attempt is abandoned.
#[derive(Debug)]
pub struct Opening {
    association: Association,
    shared: Arc<Shared>,
}

impl Opening {
    /// An association that a handle asked for.
    pub(crate) fn new(association: Association, shared: Arc<Shared>) -> Opening {
        Opening { association, shared }
    }

    /// The pairs of addresses that are tried, in their order.
    pub fn tried(&self) -> Vec<PathAddresses> {
        self.association.paths().into_iter().map(|path| path.addresses).collect()
    }

    /// What the network or the operating system said last of packets of this endpoint that were not delivered, one word for
    /// each pair of addresses (ICMP; on Linux only). It does not end the attempt: the port may open yet, and anyone may
    /// forge it.
    pub fn undelivered(&self) -> Vec<Undelivered> {
        // The operating system does not wake a reader for errors.
        self.shared.wake.notify_one();
        self.shared.lock().undelivered.all().to_vec()
    }

    /// Waits until messages may be sent.
    ///
    /// Cancellation-safe: it changes nothing.
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
