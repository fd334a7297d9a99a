//! The handle of an endpoint: opens its sockets, and opens and accepts associations over them.

use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_base::{ByteCount, Seed, Time};
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::config::{Config, Encapsulation, IpVersion, MtuDiscovery};
use anabranch_sctp::endpoint::{self as core, EndpointConfig};
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::Checksum;

use crate::address_tracker::{AddressTracker, SocketSettings};
use crate::address_tracking::AddressTracking;
use crate::association::Association;
use crate::bind::{BindError, bind_all};
use crate::clock::Clock;
use crate::driver::Driver;
use crate::interfaces::{Interface, interfaces, least_mtu};
use crate::links::{LinkId, LinkReport, LinkRule, Links, interface_of};
use crate::opening::Opening;
use crate::pairing::{Pairing, pair_by_route, pair_hosts};
use crate::report::{SocketReport, SocketReports};
use crate::seal::{Ciphers, Limits, Sealing, Security};
use crate::shared::{Core, Shared};
use crate::socket::Socket;
use crate::unreadable_peers::UnreadablePeer;
use crate::waiting::until;

/// The UDP port of SCTP over UDP (RFC 6951 §3.1: "the IANA-assigned port number 9899").
pub const UDP_PORT: u16 = 9899;

/// The settings of an endpoint.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to which its sockets are bound, one socket for each. If nothing else pairs them with a peer's
    /// addresses, the i-th goes with the i-th. With port 0 the operating system chooses a port, the same for all if it
    /// can.
    pub local: Vec<SocketAddr>,
    /// True if each socket sends and receives only by the interface that has its address. Clients with several uplinks
    /// want that: Linux chooses a route by the destination alone, so that all paths would leave by one interface.
    /// Servers do not: a client that arrives by another interface would get no answer. Loopback and wildcard addresses
    /// are not tied, nor is anything on systems that go by the source address.
    pub by_device: bool,
    /// Which addresses of this machine are used when they appear later, and given up when they vanish.
    pub address_tracking: AddressTracking,
    /// The peers to one of which an interface that appears later must have a route; none if that does not matter.
    pub toward: Vec<SocketAddr>,
    /// How links are used that cost: as backups, or up to a limit. The others carry what they can.
    pub links: Vec<LinkRule>,
    /// Whether packets are sealed, and with which key.
    pub security: Security,
    /// True if peers may open associations.
    pub accepts: bool,
    /// The settings of associations. The `mtu` is lowered to what the interfaces of the sockets carry, unless each path
    /// searches for its own: larger packets would not leave. For sealed packets its `encapsulation` and `checksum` are
    /// set to what sealing needs.
    pub config: Config,
    /// The policies that the settings name.
    pub registry: Registry,
    /// SCTP's own port, within the UDP datagrams. Both ends need the same.
    pub sctp_port: u16,
    /// More associations than this at a time are refused.
    pub max_associations: usize,
}

/// Sockets for SCTP, and the associations over them.
///
/// Clones are handles of the same endpoint. When the last one is dropped, associations that wait to be accepted are
/// aborted and new ones are refused; those with a handle live on. The random numbers that protect an endpoint (tags,
/// cookies) always come from the operating system.
#[derive(Clone, Debug)]
pub struct Endpoint {
    owner: Arc<SharedHandle>,
}

/// Dropped with the last handle.
#[derive(Debug)]
struct SharedHandle {
    shared: Arc<Shared>,
}

/// The error of an association that was not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The attempt could not begin.
    #[error(transparent)]
    Impossible(#[from] core::ConnectError),
    /// The peer did not answer.
    #[error("the peer did not answer {attempts} attempts to connect over {}", shown(tried))]
    NoAnswer {
        /// The number of times it was tried.
        attempts: u32,
        /// The pairs of addresses that were tried, in their order.
        tried: Vec<PathAddresses>,
    },
    /// The handshake failed.
    #[error("{0}")]
    Failed(CloseReason),
}

impl Options {
    /// No address yet, not tied to interfaces, no address tracking, no accepting, [`Config::rfc9260`], SCTP port 9899, 1,024
    /// associations. The caller says whether packets are sealed: no key could be a default.
    pub fn with(security: Security) -> Options {
        Options {
            local: Vec::new(),
            by_device: false,
            address_tracking: AddressTracking::Off,
            toward: Vec::new(),
            links: Vec::new(),
            security,
            accepts: false,
            config: Config::default(),
            registry: Registry::standard(),
            sctp_port: UDP_PORT,
            max_associations: 1_024,
        }
    }
}

impl Endpoint {
    /// Opens the sockets and starts a task that drives them. It ends when all handles of the endpoint and of
    /// its associations are gone and what was closing has closed.
    ///
    /// # Errors
    /// A socket cannot be opened, a setting cannot be used, or there is no tokio runtime. The message says
    /// what to do about it.
    pub fn bind(options: Options) -> Result<Endpoint, BindError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        let known = interfaces().unwrap_or_default();
        let tied_to: Vec<Interface> = if options.by_device {
            known.iter().filter(|interface| !interface.is_loopback()).cloned().collect()
        } else {
            Vec::new()
        };
        let sockets = bind_all(&options.local, &tied_to)?;
        let mut association = options.config;
        // With MTU discovery each path finds out what its own interface carries.
        let is_given = association.mtu_discovery == MtuDiscovery::Off;
        if let Some(carried) = least_mtu(&options.local, &known).filter(|_| is_given) {
            association.mtu = association.mtu.min(carried.max(LEAST_MTU));
        }
        let needed = association.first_mtu(IpVersion::V4).max(association.first_mtu(IpVersion::V6));
        let settings = SocketSettings { by_device: options.by_device, needed };
        let sealing = match &options.security {
            Security::Insecure => None,
            Security::Sealed(key) => {
                // The seal's tag replaces the checksum (RFC 9653 §1).
                association.encapsulation = Encapsulation::Sealed;
                association.checksum = Checksum::Omitted;
                Some(Sealing::new(key, Ciphers::of_this_processor(), Limits::default()))
            }
        };
        let config = EndpointConfig {
            association,
            registry: options.registry,
            port: options.sctp_port,
            accepts: options.accepts,
            local: sockets.iter().map(Socket::address).collect(),
            max_associations: options.max_associations,
        };
        let mut endpoint = core::Endpoint::new(config, fresh_seed()?)?;
        let clock = Clock::start();
        let mut reports = SocketReports::with(Links::new(options.links));
        let links = join_links(&mut reports.links, &sockets, &known, &mut endpoint);
        for socket in &sockets {
            reports.on_opened(SocketReport::of(socket));
        }
        let shared = Arc::new(Shared::new(endpoint, clock, reports, &options.security));
        let tracker =
            AddressTracker::begin(options.address_tracking, options.toward, &sockets, settings, &shared)
                .map_err(BindError::NoInterfaces)?;
        let sockets = sockets.into_iter().zip(links).collect();
        runtime.spawn(Driver::new(shared.clone(), clock, sockets, tracker, sealing).run());
        Ok(Endpoint { owner: Arc::new(SharedHandle { shared }) })
    }

    /// Opens an association with the peer at `remote`, and waits until messages may be sent.
    ///
    /// Each of its addresses is paired with the nearest local one: one in its subnet, otherwise the one that the system
    /// would send from. Among equals the i-th goes with the i-th; a single remote address goes with all local ones.
    /// INIT goes over these pairs, and then over the others of the same addresses, 40 ms apart or faster if they are many;
    /// the first answer opens the association, and the other paths are verified before they carry data.
    ///
    /// Cancellation-safe: if the future is dropped, the attempt is abandoned.
    ///
    /// # Errors
    /// There is no address that could be reached, there are too many associations or there is one with this
    /// peer already (a second one needs another endpoint), or the peer does not answer or refuses.
    pub async fn connect(&self, remote: &[SocketAddr]) -> Result<Association, ConnectError> {
        self.open(remote)?.opened().await
    }

    /// Begins to [`connect`](Endpoint::connect), for callers that want to show how far it is.
    ///
    /// # Errors
    /// There is no address that could be reached, there are too many associations or there is one with this
    /// peer already.
    pub fn open(&self, remote: &[SocketAddr]) -> Result<Opening, ConnectError> {
        let shared = &self.owner.shared;
        let local = shared.lock().endpoint.locals().to_vec();
        self.open_over(remote, &pair_by_route(&local, remote))
    }

    /// Like [`open`](Endpoint::open), to hosts that have several addresses each, as names do: of those of one host only
    /// one is used, whichever answers first, and of a link with both IP versions only one version. A host's addresses may
    /// be those of several machines.
    ///
    /// # Errors
    /// As [`open`](Endpoint::open).
    pub fn open_hosts(&self, hosts: &[Vec<SocketAddr>]) -> Result<Opening, ConnectError> {
        let local = self.owner.shared.lock().endpoint.locals().to_vec();
        let has_partner = |to: &SocketAddr| local.iter().any(|from| from.is_ipv4() == to.is_ipv4());
        let reached = |host: &Vec<SocketAddr>| -> Vec<SocketAddr> {
            let reached: Vec<SocketAddr> = host.iter().copied().filter(has_partner).collect();
            if reached.is_empty() { host.clone() } else { reached }
        };
        let hosts: Vec<Vec<SocketAddr>> = hosts.iter().map(reached).collect();
        self.open_over(&hosts.concat(), &pair_hosts(&local, &hosts))
    }

    fn open_over(&self, remote: &[SocketAddr], pairing: &Pairing) -> Result<Opening, ConnectError> {
        let shared = &self.owner.shared;
        let (id, notifiers) = shared.change(|core, _| core.connect(remote, pairing))?;
        Ok(Opening::new(Association::new(shared.clone(), id, notifiers), shared.clone()))
    }

    /// Peers that asked for a connection with packets that this end cannot read: with another key, for instance. The
    /// latest few are remembered.
    pub fn unreadable_peers(&self) -> Vec<UnreadablePeer> {
        self.owner.shared.lock().unreadable_peers.all().to_vec()
    }

    /// Waits for the next association that a peer opens. `None` if none will come, because the runtime ends.
    ///
    /// Cancellation-safe: if the future is dropped, no association is lost.
    pub async fn accept(&self) -> Option<Association> {
        let shared = &self.owner.shared;
        let view = || {
            let mut core = shared.lock();
            match core.accept() {
                Some((id, notifiers)) => Some(Some((id, notifiers))),
                None => (!core.has_driver()).then_some(None),
            }
        };
        let (id, notifiers) = until(&shared.accepted, view).await?;
        Some(Association::new(shared.clone(), id, notifiers))
    }

    /// Waits until every association is over and every packet has left: a program that ends before may leave its peers
    /// without the last packet.
    ///
    /// Cancellation-safe: it changes nothing.
    pub async fn settled(&self) {
        let shared = &self.owner.shared;
        until(&shared.settled, || shared.lock().is_settled().then_some(())).await;
    }

    /// The addresses of the sockets, ports included, in the order of [`Options::local`], then as they appeared.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        self.sockets().into_iter().map(|socket| socket.address).collect()
    }

    /// The open sockets, in the same order.
    pub fn sockets(&self) -> Vec<SocketReport> {
        self.owner.shared.lock().sockets.open.clone()
    }

    /// What each link of this machine carried, in the order in which they were first used. Sockets that have all
    /// addresses belong to none.
    pub fn links(&self) -> Vec<LinkReport> {
        self.owner.shared.lock().sockets.links.reports()
    }

    /// The number of associations; those that are over count until their last handle is dropped.
    pub fn associations(&self) -> usize {
        self.owner.shared.lock().held_associations()
    }
}

/// The links of `sockets`; those of backups are made known to the endpoint.
fn join_links(
    links: &mut Links,
    sockets: &[Socket],
    known: &[Interface],
    endpoint: &mut core::Endpoint,
) -> Vec<Option<LinkId>> {
    let mut joined = Vec::with_capacity(sockets.len());
    for address in sockets.iter().map(Socket::address) {
        let link = links.join(address.ip(), interface_of(address.ip(), known));
        let is_backup = link.is_some_and(|link| links.is_backup(link));
        endpoint.set_backup(Time::ZERO, address, is_backup);
        joined.push(link);
    }
    joined
}

impl Drop for SharedHandle {
    fn drop(&mut self) {
        self.shared.change(Core::release_endpoint);
    }
}

fn shown(paths: &[PathAddresses]) -> String {
    let each = paths.iter().map(|path| format!("{} > {}", path.local.ip(), path.remote));
    each.collect::<Vec<_>>().join(", ")
}

fn fresh_seed() -> Result<Seed, BindError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| BindError::NoRandomness(error.to_string()))?;
    Ok(Seed::from_entropy(bytes))
}

/// The least MTU that a configuration may have.
const LEAST_MTU: ByteCount = ByteCount::new(576);
