//! Listens for the other end, or for many.

use std::future::pending;

use anabranch_net::{Association, Config};
use tokio::sync::watch;

use super::clients::ClientFile;
use super::ends::LocalEnd;
use crate::arguments::ForwardArguments;
use crate::endpoint::Place;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key::{self, ListeningKey};
use crate::listening::{LineTarget, Listener, OtherEnd, ReadyLine};
use crate::peer::Partner;
use crate::report::Outcome;

/// Serves every peer that connects, all at once, until Ctrl-C. Packets have the `mark`.
///
/// # Errors
/// An address that cannot be listened at, and Ctrl-C.
pub(super) async fn run(
    arguments: &ForwardArguments,
    config: &Config,
    end: LocalEnd,
    mark: Option<u32>,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let clients = arguments.clients.as_deref().map(ClientFile::open).transpose()?;
    let key = match &clients {
        Some(file) => ListeningKey::of_clients(&file.clients),
        None => key::to_listen(&arguments.secrecy, arguments.output(), interrupt).await?,
    };
    let (other, partner) =
        if arguments.serve { (LAPTOP, Partner::Programs) } else { (SERVER, Partner::Destinations) };
    let line = ReadyLine { other, target: LineTarget::by(arguments.output()) };
    let hosts = arguments.bind.clone().unwrap_or_default();
    let listener =
        Listener::open(Place { hosts: &hosts, mark }, config, &key, partner, line, arguments.output())
            .await?;
    let removals = clients.as_ref().map(ClientFile::changes);
    let following = clients.map(|file| tokio::spawn(file.follow()));
    let serve = move |association: Association| {
        let (end, removals) = (end.clone(), removals.clone());
        async move {
            let (name, handle) = (name(&association), association.clone());
            tokio::select! {
                _ = end.carry(association, &name) => {}
                () = removed(&handle, removals) => handle.abort(REMOVED),
            }
        }
    };
    let ended = listener.serve_together(serve, interrupt).await;
    if let Some(following) = following {
        following.abort();
    }
    ended
}

/// Waits until the client of `association` is no longer one.
async fn removed(association: &Association, removals: Option<watch::Receiver<u64>>) {
    let Some(mut removals) = removals else { return pending().await };
    while !association.is_client_removed() {
        if removals.changed().await.is_err() {
            return pending().await;
        }
    }
}

/// The name of a client: that of its key, or the address from which it came.
fn name(association: &Association) -> String {
    if let Some(client) = association.client() {
        return client.to_string();
    }
    let addresses = association.paths();
    addresses.first().map_or_else(String::new, |path| path.addresses.remote.ip().to_canonical().to_string())
}

/// The reason for a client that was removed.
const REMOVED: &str = "its key was removed";
const LAPTOP: OtherEnd =
    OtherEnd { place: "host with the programs", command: "anabranch forward --socks 1080", option: "--to" };
const SERVER: OtherEnd = OtherEnd { place: "server", command: "anabranch forward --serve", option: "--to" };
