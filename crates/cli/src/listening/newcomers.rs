//! Peers that connect while another is served. They are refused, but a transfer gives way if its own peer is silent: one
//! that was killed and restarted need not wait until its first association has failed.

use std::future::pending;
use std::time::Duration;

use anabranch_net::reason::BUSY;
use anabranch_net::{Association, Endpoint, SendOptions};
use anabranch_transfer::protocol::{FrameRef, encode};
use tokio::time::{interval, timeout};

/// The treatment of peers that connect while another is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newcomers {
    /// Refused until the test has ended.
    AfterTest,
    /// Refused while the peer of the transfer answers; served if it does not.
    AfterTransfer(Persistence),
}

/// The action of a listening end after a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// It goes on listening.
    Stays,
    /// It ends.
    Ends,
}

impl Newcomers {
    /// Refuses newcomers. Ends when one waits to be served as `next`: the transfer with `current` has ended, or was aborted
    /// because its peer did not answer. A newcomer that is present when this is dropped is `next`, too.
    pub(crate) async fn answer(
        self,
        endpoint: &Endpoint,
        current: &Association,
        next: &mut Option<Association>,
    ) {
        loop {
            let Some(newcomer) = endpoint.accept().await else { return pending().await };
            if self == Newcomers::AfterTest {
                newcomer.abort(&self.busy());
                continue;
            }
            *next = Some(newcomer);
            if !answers(current).await {
                return current.abort("silent on all paths when another peer connected");
            }
            if !current.is_open() {
                return;
            }
            if let Some(newcomer) = next.take() {
                newcomer.abort(&self.busy());
            }
        }
    }

    /// The reason that is sent to a peer that is refused.
    pub(crate) fn busy(self) -> String {
        let (work, advice) = match self {
            Newcomers::AfterTest => ("test", TRY_LATER),
            Newcomers::AfterTransfer(Persistence::Stays) => ("transfer", TRY_LATER),
            Newcomers::AfterTransfer(Persistence::Ends) => ("transfer", ENDS),
        };
        format!("{BUSY}{work}{advice}")
    }
}

impl Persistence {
    /// The action with or without `--keep`.
    pub(crate) fn of(keep: bool) -> Persistence {
        if keep { Persistence::Stays } else { Persistence::Ends }
    }
}

/// True if a packet of the peer arrives within [`PATIENCE`]. It is asked to acknowledge a message.
async fn answers(association: &Association) -> bool {
    let before = received_packets(association);
    let question = encode(&FrameRef::Here);
    let asking = association.send(question, SendOptions::default());
    let waiting = async {
        let mut ticks = interval(INTERVAL);
        while received_packets(association) == before && association.is_open() {
            ticks.tick().await;
        }
    };
    let both = async { tokio::join!(asking, waiting) };
    timeout(PATIENCE, both).await.is_ok() && received_packets(association) != before
}

fn received_packets(association: &Association) -> u64 {
    association.paths().iter().map(|path| path.counters.received_packets).sum()
}

const TRY_LATER: &str = "; try again later";
const ENDS: &str = " and ends after it; it serves one after another when it is started with --keep";
/// Several retransmission timeouts of a path, after which a living peer has usually answered.
const PATIENCE: Duration = Duration::from_secs(3);
const INTERVAL: Duration = Duration::from_millis(20);
