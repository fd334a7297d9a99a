//! From where to where a client's test goes, and opening an association over that. It knows no test.

use std::net::SocketAddr;

use anabranch_net::{Association, Endpoint, Follow, Options, Security};
use anabranch_planner::live;
use anabranch_sctp::config::Config;

use crate::addresses;
use crate::arguments::BenchArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::peer::{Partner, Peer};
use crate::settings;

/// A way to a server, over one path or several.
#[derive(Clone, Debug)]
pub struct Route {
    /// The server's addresses.
    pub to: Vec<SocketAddr>,
    /// Ours.
    pub local: Vec<SocketAddr>,
    /// Which others may join them.
    pub follow: Follow,
    /// Whether packets are sealed, and with which key.
    pub security: Security,
    /// The settings of the protocol.
    pub config: Config,
}

/// An association over a route.
#[derive(Debug)]
pub struct Connected {
    /// Its sockets.
    pub endpoint: Endpoint,
    /// The association.
    pub association: Association,
    /// The server.
    pub peer: Peer,
}

impl Route {
    /// All the ways that the command line allows.
    ///
    /// # Errors
    /// A host, an interface, a key or a setting that is none.
    pub async fn of(arguments: &BenchArguments) -> Result<Route, Failure> {
        let security = key::to_send(&arguments.secrecy)?;
        let to = addresses::look_up(&arguments.to).await?;
        let local = addresses::local_for(&to, &arguments.via)?;
        let follow = addresses::to_follow(&arguments.via);
        let config = settings::with(settings::for_tools(), &arguments.settings)?;
        Ok(Route { to, local, follow, security, config })
    }

    /// Opens an association over it.
    ///
    /// # Errors
    /// A socket that cannot be bound, a server that does not answer, Ctrl-C.
    pub async fn connect(&self, interrupt: &mut Interrupt) -> Result<Connected, Failure> {
        let may_grow = addresses::may_grow(&self.local, &self.follow);
        let options = Options {
            local: self.local.clone(),
            // With several ways out, now or later, a packet has to leave by the one whose address it has.
            by_device: may_grow || self.local.len() > 1,
            follow: self.follow.clone(),
            config: self.config.clone(),
            registry: live::registry(),
            ..Options::with(self.security.clone())
        };
        let endpoint = Endpoint::bind(options).map_err(|error| addresses::bind_failure(&error))?;
        let peer = Peer::new(self.to.clone(), &self.security, Partner::Tests);
        let association = tokio::select! {
            connected = endpoint.connect(&self.to) => connected.map_err(|error| peer.not_opened(error))?,
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        };
        Ok(Connected { endpoint, association, peer })
    }
}
