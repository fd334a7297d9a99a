//! Dials a host that listens: the addresses, the links, the sockets, the handshake, and the last packets.
//!
//! [`Route::dial`] stands between them: the caller gives the work over the association, a transfer or a test.

mod progress;

use std::net::SocketAddr;

use anabranch_net::{Association, Endpoint, Security};
use anabranch_sctp::config::Config;

use crate::addresses;
use crate::arguments::{HostPort, Output, Via};
use crate::closing::farewell;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::links::Outlets;
use crate::peer::{Connected, Partner, Peer};
use crate::supervisor;

/// This end of an association to be opened.
#[derive(Clone, Debug)]
pub(crate) struct Dialer {
    /// The settings of the protocol.
    pub config: Config,
    /// The sealing of packets, with its key.
    pub security: Security,
    /// The mark of packets, where flows of this host are led to this program and its own must not be.
    pub mark: Option<u32>,
    /// The program that is expected at the other end.
    pub partner: Partner,
    /// The form of the output.
    pub output: Output,
}

/// A host, and the links by which it is dialled.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The addresses of each host that was named; of each one address is used.
    pub to: Vec<Vec<SocketAddr>>,
    /// The addresses and links of this machine.
    pub outlets: Outlets,
    /// This end.
    pub dialer: Dialer,
}

impl Route {
    /// Looks up `hosts`, and chooses the links `via` to reach them.
    ///
    /// # Errors
    /// A host that cannot be looked up or reached; an interface or address that is not here.
    pub(crate) async fn find(dialer: Dialer, hosts: &[HostPort], via: &[Via]) -> Result<Route, Failure> {
        Route::to(dialer, addresses::look_up(hosts).await?, via)
    }

    /// Chooses the links `via` to reach one address of each of the hosts `to`.
    ///
    /// # Errors
    /// An interface or address is not here.
    pub(crate) fn to(dialer: Dialer, to: Vec<Vec<SocketAddr>>, via: &[Via]) -> Result<Route, Failure> {
        let outlets = Outlets::to(&to, via)?;
        Ok(Route { to, outlets, dialer })
    }

    /// Opens an association and does `work` over it. However that ends, the peer learns of the end.
    ///
    /// # Errors
    /// A socket cannot be opened, the peer does not answer or refuses, or Ctrl-C; then those of `work`.
    pub(crate) async fn dial<T>(
        &self,
        interrupt: &mut Interrupt,
        work: impl AsyncFnOnce(Connected, &mut Interrupt) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let endpoint =
            endpoint::to_dial(&self.outlets, &self.dialer.config, &self.dialer.security, self.dialer.mark)?;
        let result = match self.connect(&endpoint, interrupt).await {
            Ok(connected) => {
                let _watched = supervisor::watch(&connected.association);
                work(connected, interrupt).await
            }
            Err(failure) => Err(failure),
        };
        farewell(&endpoint).await;
        result
    }

    /// Opens another association over the same links, from sockets of its own, without a word to the user.
    ///
    /// # Errors
    /// As [`dial`](Route::dial).
    pub(crate) async fn open_beside(&self) -> Result<(Endpoint, Association), Failure> {
        let Dialer { config, security, mark, partner, .. } = &self.dialer;
        let endpoint = endpoint::to_dial(&self.outlets, config, security, *mark)?;
        let peer = || Peer::new(self.to.concat(), security, *partner);
        let opening = endpoint.open_hosts(&self.to).map_err(|error| peer().not_opened(error))?;
        let association = opening.opened().await.map_err(|error| peer().not_opened(error))?;
        Ok((endpoint, association))
    }

    async fn connect(&self, endpoint: &Endpoint, interrupt: &mut Interrupt) -> Result<Connected, Failure> {
        let Dialer { security, partner, output, .. } = &self.dialer;
        let peer = Peer::new(self.to.concat(), security, *partner);
        let association = progress::connect(endpoint, &self.to, &peer, *output, interrupt).await?;
        Ok(Connected { association, endpoint: endpoint.clone(), peer })
    }

    /// The addresses that are dialled, as they are written after `--to`.
    pub(crate) fn hosts(&self) -> String {
        list(&self.to.concat())
    }
}
