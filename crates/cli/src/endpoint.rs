//! Opens the sockets of an end that listens, and of one that dials.

use std::net::SocketAddr;

use anabranch_net::{AddressTracking, Endpoint, Options, Security};
use anabranch_sctp::config::Config;

use crate::addresses;
use crate::arguments::HostPort;
use crate::failure::Failure;
use crate::links::Outlets;
use crate::policies;

/// Opens sockets at the addresses of `hosts`, and keeps them even if an address vanishes. Without hosts, opens them at
/// every address that this host has or gets.
///
/// # Errors
/// A host is not found, or an address is not of this host or in use.
pub(crate) async fn to_listen(
    hosts: &[HostPort],
    config: &Config,
    security: &Security,
) -> Result<Endpoint, Failure> {
    let local = addresses::to_listen(hosts).await?;
    let tracking = if hosts.is_empty() { AddressTracking::EachInterface } else { AddressTracking::Off };
    bind(Options { accepts: true, ..options(&local, &tracking, config, security) })
}

/// Opens sockets at the addresses of these links, and at those that are added later.
///
/// # Errors
/// An address that cannot be bound.
pub(crate) fn to_dial(outlets: &Outlets, config: &Config, security: &Security) -> Result<Endpoint, Failure> {
    let Outlets { local, tracking, toward, rules } = outlets;
    // With several interfaces, now or later, a packet must leave by the one that has its source address.
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
