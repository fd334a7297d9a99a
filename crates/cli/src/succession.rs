//! Serves one peer at a time. Another one is refused meanwhile, unless the first one no longer answers: a peer
//! that was killed and restarted need not wait until its first association has failed.

use std::time::Duration;

use anabranch_net::reason::BUSY;
use anabranch_net::{Association, Endpoint, SendOptions};
use anabranch_transfer::protocol::{FrameRef, encode};
use tokio::time::{interval, timeout};

use crate::failure::Failure;
use crate::report::Outcome;

/// Turns away newcomers while `current` answers. Ends when a newcomer is `waiting` whose turn it is: `current` is
/// over, or
/// was aborted because it did not answer. A newcomer that is there when this is dropped is `waiting` too.
pub async fn successor(
    endpoint: &Endpoint,
    current: &Association,
    waiting: &mut Option<Association>,
    stay: Stay,
) {
    loop {
        *waiting = endpoint.accept().await;
        if waiting.is_none() {
            return std::future::pending().await;
        }
        if !answers(current).await {
            return current.abort("silent on all paths when another peer connected");
        }
        if !current.is_open() {
            return;
        }
        if let Some(newcomer) = waiting.take() {
            newcomer.abort(&format!("{BUSY}transfer{}", stay.advice()));
        }
    }
}

/// The action of a listening end after a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// It goes on listening.
    Keep,
    /// It ends.
    Once,
}

impl Stay {
    /// Returns the action for `--keep`.
    pub fn of(keep: bool) -> Stay {
        if keep { Stay::Keep } else { Stay::Once }
    }

    /// The advice for a peer that comes meanwhile.
    fn advice(self) -> &'static str {
        match self {
            Stay::Keep => "; try again later",
            Stay::Once => " and ends after it; it serves one after another when it is started with --keep",
        }
    }
}

/// Ctrl-C while no peer is there: what came before, if anything, is still told.
///
/// # Errors
/// Nothing came before.
pub fn interrupted(broken_off: Option<Outcome>) -> Result<Outcome, Failure> {
    let outcome = broken_off.ok_or(Failure::Interrupted)?;
    Ok(Outcome { failure: Some(Failure::Interrupted), ..outcome })
}

/// Returns true if anything comes from the peer within [`PATIENCE`], asked to acknowledge a message if by nothing else.
async fn answers(association: &Association) -> bool {
    let before = heard(association);
    let question = encode(&FrameRef::Here);
    let asking = association.send(question, SendOptions::default());
    let listening = async {
        let mut ticks = interval(LOOK);
        while heard(association) == before && association.is_open() {
            ticks.tick().await;
        }
    };
    let both = async { tokio::join!(asking, listening) };
    timeout(PATIENCE, both).await.is_ok() && heard(association) != before
}

/// The number of packets of the peer have come.
fn heard(association: &Association) -> u64 {
    association.paths().iter().map(|path| path.counters.received_packets).sum()
}

/// Several time-outs of a path, after which a living peer has usually answered.
const PATIENCE: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(20);
