//! Reports peers that try to connect with packets that this end cannot read.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use anabranch_net::{Endpoint, UnreadablePeer};

use crate::arguments::Output;
use crate::notice;

/// The peers that have been reported.
#[derive(Debug)]
pub(super) struct UnreadablePeers {
    is_verbose: bool,
    reported: Vec<UnreadablePeer>,
}

impl UnreadablePeers {
    /// None reported yet. Only with `--verbose` will they be.
    pub(super) fn new(output: Output) -> UnreadablePeers {
        UnreadablePeers { is_verbose: output.verbose, reported: Vec::new() }
    }

    /// Prints a line for each peer whose packets cannot be read, once for each reason. Never ends.
    pub(super) async fn report(&mut self, endpoint: &Endpoint) -> Infallible {
        if !self.is_verbose {
            return pending().await;
        }
        loop {
            for peer in endpoint.unreadable_peers() {
                self.report_once(peer);
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    fn report_once(&mut self, peer: UnreadablePeer) {
        if self.reported.iter().any(|known| known.remote == peer.remote && known.reason == peer.reason) {
            return;
        }
        notice::warn(&format!("{} asks for a connection, but {}", peer.remote, peer.reason));
        if self.reported.len() == MOST {
            self.reported.remove(0);
        }
        self.reported.push(peer);
    }
}

const INTERVAL: Duration = Duration::from_millis(250);
/// The number of reported peers that are remembered.
const MOST: usize = 64;
