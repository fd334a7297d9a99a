//! Listens for peers that dial: the sockets, the line to paste at the other end, and one peer after another.
//!
//! [`Listener::serve_all`] has the loop: the caller's [`Service`] has the work, a transfer or a test for each peer.

#[cfg_attr(not(feature = "full"), path = "listening/no_measurements.rs")]
mod measurements;
mod newcomers;
mod ready;
#[cfg(feature = "full")]
mod silences;
mod unreadable_peers;

use std::future::{Future, pending};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anabranch_net::{Association, Endpoint, Security};
use anabranch_sctp::config::Config;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::arguments::Output;
use crate::closing::{ENDED, INTERRUPTED, farewell};
use crate::endpoint::{self, Place};
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key::ListeningKey;
use crate::peer::{Connected, Partner, Peer};
use crate::report::Outcome;
use crate::supervisor;

use measurements::Measurements;
pub(crate) use newcomers::{Newcomers, Persistence};
pub(crate) use ready::{LineTarget, OtherEnd, ReadyLine};
use unreadable_peers::UnreadablePeers;

/// An end that listens.
#[derive(Debug)]
pub(crate) struct Listener {
    endpoint: Endpoint,
    security: Security,
    partner: Partner,
    unreadable_peers: UnreadablePeers,
    measurements: Measurements,
}

/// The work of a listening end.
pub(crate) trait Service: Send {
    /// The result of serving one peer.
    type Served: Send;

    /// Serves one peer to its end.
    fn serve(
        &mut self,
        connected: &Connected,
        interrupt: &mut Interrupt,
    ) -> impl Future<Output = Self::Served> + Send;

    /// Takes the result of a peer, and decides whether the listener goes on or ends with an outcome. `is_next_here` says
    /// that another peer waits to be served.
    fn on_served(
        &mut self,
        connected: Connected,
        served: Self::Served,
        is_next_here: bool,
    ) -> impl Future<Output = ControlFlow<Result<Outcome, Failure>>> + Send;

    /// The outcome after Ctrl-C while no peer is served.
    ///
    /// # Errors
    /// No peer was served before.
    fn on_interrupt(&mut self) -> Result<Outcome, Failure>;

    /// The treatment of peers that connect while another is served.
    fn newcomers(&self) -> Newcomers;

    /// True if a peer may be served now. One that may not is told that this end is busy.
    fn admits(&self, _: &Connected) -> bool {
        true
    }

    /// Waits until no further peer is expected, and returns the outcome of all.
    fn ended(&mut self) -> impl Future<Output = Outcome> + Send {
        pending()
    }
}

impl Listener {
    /// Opens sockets, and prints the line for the other end.
    ///
    /// # Errors
    /// A host that is not found, an address that is not of this machine or in use.
    pub(crate) async fn open(
        place: Place<'_>,
        config: &Config,
        key: &ListeningKey,
        partner: Partner,
        line: ReadyLine,
        output: Output,
    ) -> Result<Listener, Failure> {
        let endpoint = endpoint::to_listen(place, config, &key.security).await?;
        ready::print(&endpoint, place.hosts, key, line);
        supervisor::ready(&format!("listening at {}", list(&endpoint.local_addresses())));
        let security = key.security.clone();
        let measurements = Measurements::new(config, output);
        let unreadable_peers = UnreadablePeers::new(output);
        Ok(Listener { endpoint, security, partner, unreadable_peers, measurements })
    }

    /// Leaves associations for measurements to the service, too.
    pub(crate) fn with_measurements_served(mut self) -> Listener {
        self.measurements.leave();
        self
    }

    /// Stores files in `folder`: those who measure are told how fast its disk is.
    pub(crate) fn storing_in(mut self, folder: &Path) -> Listener {
        self.measurements.store_in(folder);
        self
    }

    /// The addresses on which it listens.
    pub(crate) fn addresses(&self) -> String {
        list(&self.endpoint.local_addresses())
    }

    /// Serves one peer after another until `service` ends, or Ctrl-C. Peers that are not served are told the reason.
    ///
    /// # Errors
    /// Those of `service`, and Ctrl-C before any peer was served.
    pub(crate) async fn serve_all(
        mut self,
        mut service: impl Service,
        interrupt: &mut Interrupt,
    ) -> Result<Outcome, Failure> {
        let ended = self.serve_each(&mut service, interrupt).await;
        self.dismiss(&ended).await;
        ended
    }

    /// Serves all peers at once with `serve`, until Ctrl-C.
    ///
    /// # Errors
    /// The sockets failed, and Ctrl-C.
    pub(crate) async fn serve_together<F: Future<Output = ()> + Send + 'static>(
        mut self,
        serve: impl Fn(Association) -> F,
        interrupt: &mut Interrupt,
    ) -> Result<Outcome, Failure> {
        let mut served = JoinSet::new();
        let mut open: Vec<Association> = Vec::new();
        let ended = loop {
            tokio::select! {
                accepted = self.accept() => match accepted {
                    Ok(association) if self.measurements.is_one(&association) => {
                        self.measurements.begin(&self.endpoint, association);
                    }
                    Ok(association) => {
                        open.retain(Association::is_open);
                        open.push(association.clone());
                        let watched = supervisor::watch(&association);
                        let serving = serve(association);
                        served.spawn(async {
                            serving.await;
                            drop(watched);
                        });
                        supervisor::status(&connections(served.len()));
                    }
                    Err(failure) => break Err(failure),
                },
                Some(_) = served.join_next() => supervisor::status(&connections(served.len())),
                () = interrupt.pressed() => break Err(Failure::Interrupted),
            }
        };
        open.iter().for_each(|association| association.abort(INTERRUPTED));
        self.dismiss(&ended).await;
        ended
    }

    async fn serve_each(
        &mut self,
        service: &mut impl Service,
        interrupt: &mut Interrupt,
    ) -> Result<Outcome, Failure> {
        let mut next = None;
        loop {
            let association = match next.take() {
                Some(association) => association,
                None => tokio::select! {
                    accepted = self.accept() => accepted?,
                    outcome = service.ended() => return Ok(outcome),
                    () = interrupt.pressed() => return service.on_interrupt(),
                },
            };
            let connected = self.connected(association);
            if self.measurements.is_one(&connected.association) {
                self.measure(connected, interrupt).await?;
                continue;
            }
            let newcomers = service.newcomers();
            if !service.admits(&connected) {
                connected.association.abort(&newcomers.busy());
                continue;
            }
            supervisor::status(&format!("serving {}", connected.peer));
            let served = {
                let _watched = supervisor::watch(&connected.association);
                let serving = service.serve(&connected, interrupt);
                tokio::pin!(serving);
                tokio::select! {
                    // A peer that connects when all is done must not be told that another is served.
                    biased;
                    served = &mut serving => served,
                    () = newcomers.answer(&self.endpoint, &connected.association, &mut next) => serving.await,
                }
            };
            supervisor::status(WAITING);
            if let ControlFlow::Break(ended) = service.on_served(connected, served, next.is_some()).await {
                if let (true, Some(newcomer)) = (is_interrupted(&ended), next) {
                    newcomer.abort(INTERRUPTED);
                }
                return ended;
            }
        }
    }

    /// Answers a measurement.
    async fn measure(&mut self, client: Connected, interrupt: &mut Interrupt) -> Result<(), Failure> {
        let _watched = supervisor::watch(&client.association);
        tokio::select! {
            biased;
            () = self.measurements.answer(&client) => Ok(()),
            () = interrupt.pressed() => {
                client.association.abort(INTERRUPTED);
                Err(Failure::Interrupted)
            }
        }
    }

    /// The next peer that connects. Meanwhile, peers whose packets cannot be read are reported.
    async fn accept(&mut self) -> Result<Association, Failure> {
        tokio::select! {
            accepted = self.endpoint.accept() => {
                accepted.ok_or_else(|| Failure::System(std::io::Error::other("the sockets were closed")))
            }
            never = self.unreadable_peers.report(&self.endpoint) => match never {},
        }
    }

    fn connected(&self, association: Association) -> Connected {
        let mut remote = Vec::new();
        for path in association.paths() {
            if !remote.contains(&path.addresses.remote) {
                remote.push(path.addresses.remote);
            }
        }
        let peer = Peer::new(remote, &self.security, self.partner);
        Connected { association, endpoint: self.endpoint.clone(), peer }
    }

    /// The program is about to end: peers that were not served yet learn the reason, and the last packets leave.
    async fn dismiss(&self, ended: &Result<Outcome, Failure>) {
        let why = if is_interrupted(ended) { INTERRUPTED } else { ENDED };
        while let Ok(Some(association)) = timeout(Duration::ZERO, self.endpoint.accept()).await {
            association.abort(why);
        }
        farewell(&self.endpoint).await;
    }
}

/// The number of peers that are served, as a status.
fn connections(count: usize) -> String {
    match count {
        0 => WAITING.to_owned(),
        _ => format!("{count} connected"),
    }
}

/// True if Ctrl-C ended it.
fn is_interrupted(ended: &Result<Outcome, Failure>) -> bool {
    let failure = ended.as_ref().map_or_else(Some, |outcome| outcome.failure.as_ref());
    matches!(failure, Some(Failure::Interrupted))
}

/// The status while no peer is served.
const WAITING: &str = "listening";
