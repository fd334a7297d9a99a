//! Two endpoints on this machine with emulated links between them: a relay on loopback, or two network namespaces.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anabranch_base::Seed;
#[cfg(target_os = "linux")]
use anabranch_emulate::namespaces::{NamespacePair, Side, may_have_namespaces};
use anabranch_emulate::{Relay, RelayConfig, RelayReport};
use anabranch_net::{Endpoint, Options, Security};
use anabranch_sctp::config::Config;

use super::variant::PathVariant;
use crate::addresses::bind_failure;
use crate::failure::Failure;

/// The emulation of links for a real transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emulation {
    /// A relay between UDP sockets on loopback.
    Relay,
    /// Interfaces of two network namespaces.
    Interfaces,
}

/// Two endpoints that can reach one another.
pub(super) struct EndpointPair {
    /// The sending end.
    pub sender: Endpoint,
    /// The receiving end.
    pub receiver: Endpoint,
    /// The addresses to which the sender connects, one for each path of the flow.
    pub to: Vec<SocketAddr>,
    /// The emulated links.
    pub links: Links,
}

/// Emulated links.
pub(super) enum Links {
    /// Between sockets.
    Relay(Relay),
    /// Between interfaces.
    #[cfg(target_os = "linux")]
    Interfaces(NamespacePair),
}

impl Links {
    /// Ends the emulation, and returns its report.
    pub(super) fn stop(self) -> RelayReport {
        match self {
            Links::Relay(relay) => relay.stop(),
            #[cfg(target_os = "linux")]
            Links::Interfaces(namespaces) => namespaces.stop(),
        }
    }
}

impl Emulation {
    /// Checks that the system allows it. It must be called before there are threads.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn prepare(self) -> Result<(), Failure> {
        match self {
            Emulation::Relay => Ok(()),
            #[cfg(target_os = "linux")]
            Emulation::Interfaces => may_have_namespaces()
                .map_err(|error| anabranch_emulate::namespaces::SetupError::Namespace(error).into()),
            #[cfg(not(target_os = "linux"))]
            Emulation::Interfaces => Err(needs_linux()),
        }
    }
}

/// Opens both endpoints and the links between them.
///
/// # Errors
/// A socket cannot be opened, or the system refuses namespaces.
pub(crate) fn open_pair(
    variant: &PathVariant,
    emulation: Emulation,
    config: &Config,
    security: &Security,
) -> Result<EndpointPair, Failure> {
    match emulation {
        Emulation::Relay => on_loopback(variant, config, security),
        #[cfg(target_os = "linux")]
        Emulation::Interfaces => in_namespaces(variant, config, security),
        #[cfg(not(target_os = "linux"))]
        Emulation::Interfaces => Err(needs_linux()),
    }
}

/// The relay has the addresses of the receiver with other ports, so the sender takes them for the receiver's.
fn on_loopback(variant: &PathVariant, config: &Config, security: &Security) -> Result<EndpointPair, Failure> {
    let (scenario, paths) = (&variant.scenario, &variant.flow().paths);
    let local: Vec<SocketAddr> = paths.iter().map(|path| loopback(*path)).collect();
    let receiver = bind(variant, local.clone(), config, security, Role::Receiver)?;
    let sender = bind(variant, local, config, security, Role::Sender)?;
    let at = receiver.local_addresses();
    let mut to = vec![at[0]; scenario.paths.len()];
    for (path, address) in paths.iter().zip(&at) {
        to[*path] = *address;
    }
    let relay = Relay::start(&RelayConfig {
        scenario,
        seed: Seed::from_number(scenario.run.seed),
        listen: (0..scenario.paths.len()).map(loopback).collect(),
        to,
    });
    let relay = relay.map_err(|error| Failure::Bind(error.to_string()))?;
    let to = paths.iter().map(|path| relay.listen_addresses()[*path]).collect();
    Ok(EndpointPair { sender, receiver, to, links: Links::Relay(relay) })
}

/// A socket belongs to the namespace in which it was opened, whichever thread uses it.
#[cfg(target_os = "linux")]
fn in_namespaces(
    variant: &PathVariant,
    config: &Config,
    security: &Security,
) -> Result<EndpointPair, Failure> {
    let scenario = &variant.scenario;
    let namespaces = NamespacePair::open(scenario, &Seed::from_number(scenario.run.seed))?;
    let runtime = tokio::runtime::Handle::current();
    let open = |side: Side, role: Role| {
        let all: Vec<Ipv4Addr> = namespaces.addresses(side).collect();
        let local = variant.flow().paths.iter().map(|path| SocketAddr::from((all[*path], 0))).collect();
        namespaces.namespace(side).within(|| {
            let _context = runtime.enter();
            bind(variant, local, config, security, role)
        })?
    };
    let receiver = open(Side::Far, Role::Receiver)?;
    let sender = open(Side::Near, Role::Sender)?;
    let to = receiver.local_addresses();
    Ok(EndpointPair { sender, receiver, to, links: Links::Interfaces(namespaces) })
}

#[cfg(not(target_os = "linux"))]
fn needs_linux() -> Failure {
    Failure::Arguments("--tun needs Linux".to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Sender,
    Receiver,
}

fn bind(
    variant: &PathVariant,
    local: Vec<SocketAddr>,
    config: &Config,
    security: &Security,
    role: Role,
) -> Result<Endpoint, Failure> {
    let options = Options {
        local,
        accepts: role == Role::Receiver,
        config: config.clone(),
        registry: variant.scenario.registry.clone(),
        ..Options::with(security.clone())
    };
    Endpoint::bind(options).map_err(|error| bind_failure(&error))
}

fn loopback(path: usize) -> SocketAddr {
    let last = u8::try_from(path % 250 + 1).unwrap_or(1);
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), 0)
}
