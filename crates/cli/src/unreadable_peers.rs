//! Tells of peers that ask for a connection with packets that this end cannot read.

use std::convert::Infallible;

use anabranch_net::{Endpoint, UnreadablePeer};

use crate::arguments::Output;
use crate::notice;

/// With `--verbose`, prints a line for each peer whose packets cannot be read, once for each reason. Never ends.
pub async fn tell(endpoint: &Endpoint, output: Output, told: &mut Vec<UnreadablePeer>) -> Infallible {
    if !output.verbose {
        return std::future::pending().await;
    }
    loop {
        for peer in endpoint.unreadable_peers() {
            if !told.iter().any(|known| known.remote == peer.remote && known.reason == peer.reason) {
                notice::tell(&format!("{} asks for a connection, but {}", peer.remote, peer.reason));
                if told.len() == MOST {
                    told.remove(0);
                }
                told.push(peer);
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}

const LOOK: std::time::Duration = std::time::Duration::from_millis(250);
/// So many are remembered as told.
const MOST: usize = 64;
