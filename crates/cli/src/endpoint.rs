//! Opens the sockets of an end that listens, and of one that dials.

use std::net::SocketAddr;

use anabranch_net::{AddressTracking, Endpoint, Options, Security};
use anabranch_sctp::config::Config;

use crate::addresses;
use crate::arguments::HostPort;
use crate::failure::Failure;
use crate::links::Outlets;
use crate::policies;

/// The place of the sockets of an end that listens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Their addresses; none for all that this host has or gets.
    pub hosts: &'a [HostPort],
    /// The mark of their packets.
    pub mark: Option<u32>,
}

impl<'a> From<&'a [HostPort]> for Place<'a> {
    fn from(hosts: &'a [HostPort]) -> Place<'a> {
        Place { hosts, mark: None }
    }
}

/// Opens sockets at the addresses of a place, and keeps them even if an address vanishes.
///
/// # Errors
/// A host is not found, or an address is not of this host or in use.
pub(crate) async fn to_listen(
    place: Place<'_>,
    config: &Config,
    security: &Security,
) -> Result<Endpoint, Failure> {
    let Place { hosts, mark } = place;
    let local = addresses::to_listen(hosts).await?;
    let tracking = if hosts.is_empty() { AddressTracking::EachInterface } else { AddressTracking::Off };
    bind(Options { accepts: true, mark, ..options(&local, &tracking, config, security) })
}

/// Opens sockets at the addresses of these links, and at those that are added later. Their packets have the `mark`.
///
/// # Errors
/// An address that cannot be bound.
pub(crate) fn to_dial(
    outlets: &Outlets,
    config: &Config,
    security: &Security,
    mark: Option<u32>,
) -> Result<Endpoint, Failure> {
    let Outlets { local, tracking, toward, rules } = outlets;
    // With several interfaces, now or later, a packet must leave by the one that has its source address.
    let by_device = addresses::may_grow(local, tracking) || local.len() > 1;
    let (links, toward) = (rules.clone(), toward.clone());
    bind(Options { by_device, mark, links, toward, ..options(local, tracking, config, security) })
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
