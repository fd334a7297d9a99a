//! The failures of a test, as the user reads them.

use anabranch_bench::{AgreeError, ExchangeError};
use anabranch_net::Association;

use crate::failure::Failure;
use crate::peer::Peer;

/// The failure to agree on a test.
pub(crate) fn not_agreed(peer: &Peer, error: AgreeError) -> Failure {
    match error {
        AgreeError::Ended(reason) => peer.failure(reason),
        AgreeError::NotTaken(error) => peer.not_sent(error),
        AgreeError::Silent(waited) => {
            Failure::PeerGone(format!("{peer} answers but has sent no message for {} s", waited.as_secs()))
        }
        AgreeError::Frame(_) | AgreeError::NotAnAnswer(_) | AgreeError::Client(_) => peer.garbage(&error),
        AgreeError::RefusedThere(why) => Failure::Refused(format!("{peer} refused the test: {why}")),
        AgreeError::RefusedHere(why) => Failure::Refused(format!("refused {peer}: {why}")),
        AgreeError::NoDeadlines => Failure::Refused(format!("{peer}: {error}")),
        AgreeError::Impossible(_) => Failure::Arguments(error.to_string()),
    }
}

/// The failure of a test that did not end as agreed; without an `error`, Ctrl-C ended it. Aborts the association with it as
/// the reason.
pub(crate) fn not_ended(association: &Association, peer: &Peer, error: Option<ExchangeError>) -> Failure {
    let failure = match error {
        None => Failure::Interrupted,
        Some(ExchangeError::Ended(reason)) => peer.failure(reason),
        Some(ExchangeError::NotTaken(error)) => peer.not_sent(error),
        Some(ExchangeError::Protocol(error)) => peer.garbage(&error),
        Some(error @ ExchangeError::Late { .. }) => Failure::PeerGone(format!("{peer}: {error}")),
    };
    association.abort(&failure.to_string());
    failure
}
