//! The end of an association, as its peer sees it: the last packets, and the reasons that are sent.

use std::time::Duration;

use anabranch_net::Endpoint;
use tokio::time::timeout;

/// Waits briefly until the last packets have left, so that the peer learns of the end.
pub(crate) async fn farewell(endpoint: &Endpoint) {
    let _ = timeout(LONGEST, endpoint.settled()).await;
}

/// The reason sent to a peer after Ctrl-C at this end.
pub(crate) const INTERRUPTED: &str = "interrupted by its user";
/// The reason sent to a peer that connected too late.
pub(crate) const ENDED: &str = "it has finished and is exiting";
/// The time that the last packets have.
const LONGEST: Duration = Duration::from_secs(1);
