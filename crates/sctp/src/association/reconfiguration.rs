//! The state of changes of streams while an association is open (RFC 6525): this end's requests, and the answers to the
//! peer's.

mod answers;
mod encoded;
mod requests;

pub(super) use answers::{Answer, Answers, Judgement};
pub(super) use encoded::EncodedReConfig;
pub(super) use requests::{Outstanding, Ready, Requests};

use anabranch_base::Seed;

use super::agreement::Agreement;

/// The state of both ends' requests.
#[derive(Debug)]
pub(super) struct Reconfiguration {
    /// This end's requests.
    pub(super) requests: Requests,
    /// The answers to the peer's.
    pub(super) answers: Answers,
    /// The seed of policies that are built anew when TSNs change.
    pub(super) seed: Seed,
}

impl Reconfiguration {
    /// The initial state. "The Re-configuration Request Sequence Number [...] is initialized to the value of the Initial
    /// TSN" (§4.1).
    pub(super) fn new(agreement: &Agreement, seed: &Seed) -> Reconfiguration {
        let requests = Requests::new(agreement.local_tsn);
        Reconfiguration { requests, answers: Answers::new(agreement.peer_tsn), seed: seed.clone() }
    }
}
