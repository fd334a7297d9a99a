//! The handle of an endpoint, which opens its sockets and opens and accepts associations over them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::config::{Config, Encapsulation, IpVersion, MtuDiscovery};
use anabranch_sctp::endpoint::{self as core, EndpointConfig};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::Checksum;

use crate::address_tracker::{AddressTracker, SocketSettings};
use crate::address_tracking::AddressTracking;
use crate::association::Association;
use crate::bind::{BindError, bind_all};
use crate::clock::Clock;
use crate::connect_error::ConnectError;
use crate::driver::Driver;
use crate::interface::Interface;
use crate::interfaces::least_mtu;
use crate::links::{LinkId, LinkReport, LinkRule, Links, interface_of};
use crate::opening::Opening;
use crate::pairing::{Pairing, pair_by_route, pair_hosts};
use crate::report::{SocketReport, SocketReports};
use crate::seal::{Ciphers, Key, Limits, Sealing, Security};
use crate::shared::{Core, Shared};
use crate::socket::Socket;
use crate::system::{SystemRef, host};
use crate::unreadable_peers::UnreadablePeer;
use crate::waiting::until;

/// The UDP port of SCTP over UDP (RFC 6951 §3.1: "the IANA-assigned port number 9899").
pub const UDP_PORT: u16 = 9899;

/// The settings of an endpoint.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to which its sockets are bound, one socket for each. Unless routes determine the pairing with a
    /// peer's addresses, the i-th is paired with the i-th. With port 0 the operating system chooses a port, the same
    /// for all if possible.
    pub local: Vec<SocketAddr>,
    /// True if each socket sends and receives only on the interface that has its address. Clients with several
    /// uplinks need this: Linux chooses a route by the destination alone, so that all paths would use one interface.
    /// Servers must not set it: a client that arrives on another interface would get no answer. Loopback and wildcard
    /// addresses are not bound to an interface, and neither is any socket on systems that route by the source
    /// address.
    pub by_device: bool,
    /// The mark of its packets (`SO_MARK` of Linux), by which rules of the packet filter and of routing find them. Only
    /// privileged users may mark, and no other system has it: the sockets cannot be opened then.
    pub mark: Option<u32>,
    /// The interfaces whose addresses are used when they appear later, and removed when they vanish.
    pub address_tracking: AddressTracking,
    /// If not empty, an interface that appears later is used only with a route to one of these peers.
    pub toward: Vec<SocketAddr>,
    /// The rules for metered links: as secondary links or backups, or up to a limit. The other links are used without
    /// limit.
    pub links: Vec<LinkRule>,
    /// The keys of sealed packets, or plain SCTP.
    pub security: Security,
    /// True if peers may open associations.
    pub accepts: bool,
    /// The settings of associations. Without MTU discovery, `mtu` is lowered to the MTU of the sockets' interfaces,
    /// because larger packets could not be sent. For sealed packets `encapsulation` and `checksum` are set as sealing
    /// requires.
    pub config: Config,
    /// The registry of the policies that the settings name.
    pub registry: Registry,
    /// The SCTP port inside the UDP datagrams. Both ends need the same.
    pub sctp_port: u16,
    /// The most simultaneous associations; more are refused.
    pub max_associations: usize,
    /// The longest time of an attempt to [`connect`](Endpoint::connect). Without it, [`Config::max_init_retransmits`] ends
    /// one.
    pub connect_timeout: Option<Duration>,
}

/// Sockets for SCTP, and the associations over them.
///
/// Clones are handles of the same endpoint. When the last one is dropped, associations that wait to be accepted are
/// aborted and new ones are refused; those with a handle continue. The random numbers that protect an endpoint (tags,
/// cookies) always come from the operating system.
#[derive(Clone, Debug)]
pub struct Endpoint {
    owner: Arc<SharedHandle>,
}

/// Dropped with the last handle.
#[derive(Debug)]
struct SharedHandle {
    shared: Arc<Shared>,
    connect_timeout: Option<Duration>,
    system: SystemRef,
}

impl Options {
    /// Options without addresses, interface binding, address tracking or accepting, with [`Config::rfc9260`], SCTP
    /// port 9899 and at most 1,024 associations. `security` is a parameter because no key could be a default.
    pub fn with(security: Security) -> Options {
        Options {
            local: Vec::new(),
            by_device: false,
            mark: None,
            address_tracking: AddressTracking::Off,
            toward: Vec::new(),
            links: Vec::new(),
            security,
            accepts: false,
            config: Config::default(),
            registry: Registry::standard(),
            sctp_port: UDP_PORT,
            max_associations: 1_024,
            connect_timeout: None,
        }
    }

    /// The options of a client with the settings of this project's programs: sealed with `key`, [`Config::tuned_2`], each
    /// socket on the interface of its address, and interfaces that appear and vanish. [`Options::local`] is to be set, for
    /// instance by [`local_addresses_for`](crate::local_addresses_for).
    pub fn client(key: Key) -> Options {
        Options {
            by_device: true,
            address_tracking: AddressTracking::EachInterface,
            config: Config::tuned_2(),
            ..Options::with(Security::Sealed(key))
        }
    }

    /// The options of a server with the settings of this project's programs: sealed with `key`, [`Config::tuned_2`], at UDP
    /// port 9899 of every address of this machine, now and later.
    pub fn server(key: Key) -> Options {
        let wildcards = [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)];
        // Of a system without IPv6 the second one could not be opened.
        let is_there = |ip: &IpAddr| ip.is_ipv4() || std::net::UdpSocket::bind((*ip, 0)).is_ok();
        Options {
            local: wildcards.into_iter().filter(is_there).map(|ip| SocketAddr::new(ip, UDP_PORT)).collect(),
            address_tracking: AddressTracking::EachInterface,
            accepts: true,
            config: Config::tuned_2(),
            ..Options::with(Security::Sealed(key))
        }
    }
}

impl Endpoint {
    /// Opens the sockets and starts a task that drives them. The task ends when all handles of the endpoint and of
    /// its associations are dropped and every association has closed.
    ///
    /// # Errors
    /// A socket cannot be opened, a setting is invalid, or the call is not made within a tokio runtime. The message
    /// advises what to do.
    pub fn bind(options: Options) -> Result<Endpoint, BindError> {
        Endpoint::bind_on(host(), options)
    }

    pub(crate) fn bind_on(system: SystemRef, options: Options) -> Result<Endpoint, BindError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        let known = system.interfaces().unwrap_or_default();
        let tied_to: Vec<Interface> = if options.by_device {
            known.iter().filter(|interface| !interface.is_loopback()).cloned().collect()
        } else {
            Vec::new()
        };
        let sockets = bind_all(&options.local, &tied_to, options.mark, system)?;
        let mut association = options.config;
        // With MTU discovery each path determines its own interface's MTU.
        let is_given = association.mtu_discovery == MtuDiscovery::Off;
        if let Some(carried) = least_mtu(&options.local, &known).filter(|_| is_given) {
            association.mtu = association.mtu.min(carried.max(LEAST_MTU));
        }
        let needed = association.first_mtu(IpVersion::V4).max(association.first_mtu(IpVersion::V6));
        let settings = SocketSettings { system, by_device: options.by_device, mark: options.mark, needed };
        let sealing = sealing(&options.security);
        if sealing.is_some() {
            // The seal's tag replaces the checksum (RFC 9653 §1).
            association.encapsulation = Encapsulation::Sealed;
            association.checksum = Checksum::Omitted;
        }
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
        let connect_timeout = options.connect_timeout;
        Ok(Endpoint { owner: Arc::new(SharedHandle { shared, connect_timeout, system }) })
    }

    /// Opens an association with the peer at `remote`, and waits until messages can be sent.
    ///
    /// Each of its addresses is paired with the nearest local one: one in its subnet, otherwise the one from which
    /// the system would send. If several are equal, the i-th is paired with the i-th; a single remote address is
    /// paired with all local ones. INIT is sent over these pairs, and then over the other pairs of the same
    /// addresses, at intervals of 40 ms, or shorter if there are many. The first answer opens the association, and
    /// the other paths are verified before they carry data.
    ///
    /// Cancellation-safe: if the future is dropped, the attempt is abandoned.
    ///
    /// # Errors
    /// No address can be reached, there are too many associations or already one with this peer (a second one needs
    /// another endpoint), the endpoint is a server of several clients, or the peer does not answer, not within
    /// [`Options::connect_timeout`], or refuses.
    pub async fn connect(&self, remote: &[SocketAddr]) -> Result<Association, ConnectError> {
        let opening = self.open(remote)?;
        let Some(within) = self.owner.connect_timeout else { return opening.opened().await };
        let opened = tokio::time::timeout(within.into(), opening.opened()).await;
        opened.unwrap_or_else(|_| Err(ConnectError::TimedOut { within, tried: opening.tried() }))
    }

    /// Starts to [`connect`](Endpoint::connect), for callers that show the progress.
    ///
    /// # Errors
    /// No address can be reached, there are too many associations or already one with this peer, or the endpoint is a
    /// server of several clients.
    pub fn open(&self, remote: &[SocketAddr]) -> Result<Opening, ConnectError> {
        let shared = &self.owner.shared;
        let local = shared.lock().endpoint.locals().to_vec();
        self.open_over(remote, &pair_by_route(self.owner.system, &local, remote))
    }

    /// Like [`open`](Endpoint::open), to hosts with several addresses each, as names have: only one address of each
    /// host is used, the first to answer, and only one IP version of a link with both. A host's addresses may belong
    /// to several machines.
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
        self.open_over(&hosts.concat(), &pair_hosts(self.owner.system, &local, &hosts))
    }

    fn open_over(&self, remote: &[SocketAddr], pairing: &Pairing) -> Result<Opening, ConnectError> {
        let shared = &self.owner.shared;
        if shared.lock().has_clients() {
            return Err(ConnectError::ServesClients);
        }
        let (id, notifiers) = shared.change(|core, _| core.connect(remote, pairing))?;
        Ok(Opening::new(Association::new(shared.clone(), id, notifiers), shared.clone()))
    }

    /// The peers that requested a connection with unreadable packets, for instance sealed with another key. Only the
    /// latest are kept.
    pub fn unreadable_peers(&self) -> Vec<UnreadablePeer> {
        self.owner.shared.lock().unreadable_peers.all().to_vec()
    }

    /// Waits for the next association that a peer opens. `None` if none will follow, because the runtime ends. An
    /// association of a client that was removed meanwhile is aborted instead.
    ///
    /// Cancellation-safe: if the future is dropped, no association is lost.
    pub async fn accept(&self) -> Option<Association> {
        let shared = &self.owner.shared;
        let poll = || {
            let mut core = shared.lock();
            match core.accept() {
                Some((id, notifiers)) => Some(Some((id, notifiers))),
                None => (!core.has_driver()).then_some(None),
            }
        };
        loop {
            let (id, notifiers) = until(&shared.accepted, poll).await?;
            let association = Association::new(shared.clone(), id, notifiers);
            if !association.is_client_removed() {
                return Some(association);
            }
            association.abort("the key of this client is no longer valid");
        }
    }

    /// Waits until every association has ended and every packet has been sent: a program that exits earlier may not
    /// send its peers the last packet.
    ///
    /// Cancellation-safe: it only waits.
    pub async fn settled(&self) {
        let shared = &self.owner.shared;
        until(&shared.settled, || shared.lock().is_settled().then_some(())).await;
    }

    /// The addresses of the sockets, ports included: those of [`Options::local`] in their order, then later ones.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        self.owner.shared.lock().sockets.open.iter().map(|socket| socket.address).collect()
    }

    /// The reports of the open sockets, in the same order.
    pub fn sockets(&self) -> Vec<SocketReport> {
        let mut reports = self.owner.shared.lock().sockets.open.clone();
        let addresses: Vec<SocketAddr> = reports.iter().map(|report| report.address).collect();
        for (report, drops) in reports.iter_mut().zip(self.owner.system.kernel_drops(&addresses)) {
            report.drops = drops;
        }
        reports
    }

    /// The traffic of each link of this machine, in the order of first use. Wildcard sockets belong to no link.
    pub fn links(&self) -> Vec<LinkReport> {
        self.owner.shared.lock().sockets.links.reports()
    }

    /// The number of associations; ended ones count until their last handle is dropped.
    pub fn associations(&self) -> usize {
        self.owner.shared.lock().held_associations()
    }
}

/// The sealing between the core and the network; `None` if packets are plain.
fn sealing(security: &Security) -> Option<Sealing> {
    let (ciphers, limits) = (Ciphers::of_this_processor(), Limits::default());
    match security {
        Security::Sealed(key) => Some(Sealing::new(key, ciphers, limits)),
        Security::Client(key) => Some(Sealing::of_client(key, ciphers, limits)),
        Security::Clients(clients) => Some(Sealing::of_clients(clients.clone(), ciphers, limits)),
        Security::Insecure => None,
    }
}

/// Finds the links of `sockets`, and declares the roles of their addresses to the endpoint.
fn join_links(
    links: &mut Links,
    sockets: &[Socket],
    known: &[Interface],
    endpoint: &mut core::Endpoint,
) -> Vec<Option<LinkId>> {
    let mut joined = Vec::with_capacity(sockets.len());
    for address in sockets.iter().map(Socket::address) {
        let link = links.join(address.ip(), interface_of(address.ip(), known));
        endpoint.set_role(Time::ZERO, address, links.role(link));
        joined.push(link);
    }
    joined
}

impl Drop for SharedHandle {
    fn drop(&mut self) {
        self.shared.change(Core::release_endpoint);
    }
}

fn fresh_seed() -> Result<Seed, BindError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| BindError::NoRandomness(error.to_string()))?;
    Ok(Seed::from_entropy(bytes))
}

/// The smallest MTU that a configuration may have.
const LEAST_MTU: ByteCount = ByteCount::new(576);
