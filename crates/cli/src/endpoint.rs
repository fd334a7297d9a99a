//! The sockets of the tools: those of an end that listens, and of one that connects.

use std::net::SocketAddr;

use anabranch_net::{AddressTracking, Endpoint, Options, Security};
use anabranch_sctp::config::Config;

use crate::addresses;
use crate::arguments::HostPort;
use crate::failure::Failure;
use crate::links::Outlets;
use crate::policies;

/// At these addresses, whatever becomes of them; without any, wherever this host has one.
///
/// # Errors
/// A host that is not found, an address that is not ours or in use.
pub async fn to_listen(
    hosts: &[HostPort],
    config: &Config,
    security: &Security,
) -> Result<Endpoint, Failure> {
    let local = addresses::to_listen(hosts).await?;
    let tracking = if hosts.is_empty() { AddressTracking::EachInterface } else { AddressTracking::Off };
    bind(Options { accepts: true, ..options(&local, &tracking, config, security) })
}

/// From the addresses of these links, and those that come to join them.
///
/// # Errors
/// One that cannot be bound.
pub fn to_dial(outlets: &Outlets, config: &Config, security: &Security) -> Result<Endpoint, Failure> {
    let Outlets { local, tracking, toward, rules } = outlets;
    // With several ways out, now or later, a packet has to leave by the one whose address it has.
    let by_device = addresses::may_grow(local, tracking) || local.len() > 1;
    let (links, toward) = (rules.clone(), toward.clone());
    bind(Options { by_device, links, toward, ..options(local, tracking, config, security) })
}

fn options(
    local: &[SocketAddr],
    tracking: &AddressTracking,
    config: &Config,
    security: &Security,
) -> Options {
    Options {
        local: local.to_vec(),
        address_tracking: tracking.clone(),
        config: config.clone(),
        registry: policies::registry(),
        ..Options::with(security.clone())
    }
}

fn bind(options: Options) -> Result<Endpoint, Failure> {
    Endpoint::bind(options).map_err(|error| addresses::bind_failure(&error))
}
