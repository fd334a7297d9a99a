//! The addresses of a client's test, and opening an association between them.

use std::net::{IpAddr, SocketAddr};

use anabranch_net::{AddressTracking, Association, Endpoint, Security};
use anabranch_sctp::config::Config;

use crate::addresses;
use crate::arguments::{BenchArguments, Output};
use crate::connecting::connect;
use crate::endpoint;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::links::Outlets;
use crate::peer::{Partner, Peer};
use crate::settings;

/// A way to a server, over one path or several.
#[derive(Clone, Debug)]
pub struct BenchRoute {
    /// The server's addresses.
    pub to: Vec<Vec<SocketAddr>>,
    /// Ours.
    pub outlets: Outlets,
    /// The sealing of packets, with its key.
    pub security: Security,
    /// The settings of the protocol.
    pub config: Config,
    /// The one path that carries data, where the others are to rest.
    pub only: Option<OnePath>,
    /// The output while it connects.
    pub output: Output,
}

/// One path of a route, recognised again in another association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnePath {
    /// The name.
    pub name: String,
    /// The address here; ports differ from one association to the next.
    pub local: IpAddr,
    /// The address there.
    pub remote: SocketAddr,
}

/// An association over a route.
#[derive(Debug)]
pub struct Connected {
    /// The association.
    pub association: Association,
    /// The server.
    pub peer: Peer,
}

impl BenchRoute {
    /// The ways that the command line allows.
    ///
    /// # Errors
    /// An invalid host, interface, key or setting.
    pub async fn of(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<BenchRoute, Failure> {
        let security = key::to_send(&arguments.secrecy, interrupt).await?;
        let to = addresses::look_up(&arguments.to).await?;
        let outlets = Outlets::to(&to, &arguments.via)?;
        let config = settings::with(settings::for_tools(), &arguments.settings)?;
        Ok(BenchRoute { to, outlets, security, config, only: None, output: arguments.output })
    }

    /// The same with one path that carries data: the others are there, and rest.
    pub fn only(&self, path: &OnePath) -> BenchRoute {
        let mut route = self.clone();
        "primary".clone_into(&mut route.config.scheduler);
        route.only = Some(path.clone());
        // A backup would rest, alone too.
        route.outlets = self.outlets.without_backups();
        route
    }

    /// The way between the two addresses of one path.
    pub fn single(&self, path: &OnePath) -> BenchRoute {
        let mut route = self.clone();
        let known = self.outlets.local.iter().copied().filter(|local| local.ip() == path.local);
        route.outlets.local = known.collect();
        if route.outlets.local.is_empty() {
            route.outlets.local.push(SocketAddr::new(path.local, 0));
        }
        route.to = vec![vec![path.remote]];
        route.outlets.tracking = AddressTracking::Off;
        route
    }

    /// The sockets for it. When done with them, let their last packets leave.
    ///
    /// # Errors
    /// One that cannot be bound.
    pub fn bind(&self) -> Result<Endpoint, Failure> {
        endpoint::to_connect(&self.outlets, &self.config, &self.security)
    }

    /// Opens an association over it.
    ///
    /// # Errors
    /// A server that does not answer, Ctrl-C.
    pub async fn connect(
        &self,
        endpoint: &Endpoint,
        interrupt: &mut Interrupt,
    ) -> Result<Connected, Failure> {
        let peer = Peer::new(self.to.concat(), &self.security, Partner::Tests);
        let association = connect(endpoint, &self.to, &peer, self.output, interrupt).await?;
        if let Some(path) = &self.only {
            tokio::select! {
                chosen = choose(&association, path) => chosen?,
                () = interrupt.pressed() => return Err(Failure::Interrupted),
            }
        }
        Ok(Connected { association, peer })
    }
}

/// Sends by `path` alone, once it answers.
async fn choose(association: &Association, path: &OnePath) -> Result<(), Failure> {
    let found = || {
        let all = association.paths();
        all.into_iter().find(|report| {
            report.addresses.remote == path.remote
                && report.addresses.local.ip() == path.local
                && report.sample.state.carries_data()
        })
    };
    let waiting = async {
        loop {
            match found() {
                Some(report) => return report.id,
                None => tokio::time::sleep(LOOK).await,
            }
        }
    };
    let id = tokio::time::timeout(PATIENCE, waiting).await.map_err(|_| {
        Failure::PeerGone(format!("the path does not answer within {} s", PATIENCE.as_secs()))
    })?;
    association.set_primary(id);
    Ok(())
}

/// The time a path may take until it is verified.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
const LOOK: std::time::Duration = std::time::Duration::from_millis(20);
