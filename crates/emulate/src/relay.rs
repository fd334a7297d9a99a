//! The handle of a relay, which starts it with a scenario and addresses, requests reports, and stops it.

use std::io;
use std::net::SocketAddr;

use anabranch_base::Seed;
use anabranch_scenario::Scenario;

use crate::attachment::{Attachment, UdpAttachment};
use crate::engine::EngineStatus;
use crate::kernel::drops;
use crate::network::Network;
use crate::report::RelayReport;
use crate::running::Running;
use crate::socket::Socket;

/// The configuration of a relay.
#[derive(Clone, Debug)]
pub struct RelayConfig<'a> {
    /// The links, paths and events. The flows are not used: the clients send their own traffic.
    pub scenario: &'a Scenario,
    /// The seed of the links' random numbers.
    pub seed: Seed,
    /// The addresses to which clients send, one for each path in the scenario's order. With port 0 the system chooses
    /// a port.
    pub listen: Vec<SocketAddr>,
    /// The targets of the clients' datagrams: one address for all paths, or one for each path.
    pub to: Vec<SocketAddr>,
}

/// A running relay, on a separate thread. It ends when this is dropped; packets on the links are then lost.
#[derive(Debug)]
pub struct Relay {
    listening: Vec<SocketAddr>,
    running: Running,
}

/// The error of a relay that cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The numbers of paths and of listening addresses differ.
    #[error("{addresses} addresses to listen on for {paths} paths: give one per path")]
    Listen {
        /// The number of the scenario's paths.
        paths: usize,
        /// The number of given addresses.
        addresses: usize,
    },
    /// The number of targets is neither one nor that of the paths.
    #[error("{addresses} target addresses for {paths} paths: give one for all, or one per path")]
    Targets {
        /// The number of the scenario's paths.
        paths: usize,
        /// The number of given addresses.
        addresses: usize,
    },
    /// A socket cannot be opened.
    #[error("cannot listen on UDP {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A target has no route.
    #[error("cannot send to {address}: {error}")]
    Unreachable {
        /// The target.
        address: SocketAddr,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A thread or a pipe cannot be created.
    #[error("cannot start the relay: {0}")]
    System(#[from] io::Error),
}

impl Relay {
    /// Opens the sockets and starts. The scenario's clock, which determines events and rate changes, starts with the
    /// first datagram of a client.
    ///
    /// # Errors
    /// The numbers of addresses and paths do not match, or the system refuses an address.
    ///
    /// # Panics
    /// If a path or an event of the scenario refers to a missing link, which none read from a file does.
    pub fn start(config: &RelayConfig<'_>) -> Result<Relay, StartError> {
        Relay::start_over(Network::new(config.scenario, &config.seed), config)
    }

    /// The same over `network`, made from the scenario.
    pub(crate) fn start_over(network: Network, config: &RelayConfig<'_>) -> Result<Relay, StartError> {
        let attachments = open_attachments(config)?;
        let listening = attachments.iter().map(UdpAttachment::listening).collect();
        let attachments =
            attachments.into_iter().map(|attachment| Box::new(attachment) as Box<dyn Attachment>).collect();
        let running = Running::start(config.scenario, network, attachments)?;
        Ok(Relay { listening, running })
    }

    /// The addresses to which clients send, one for each path.
    pub fn listen_addresses(&self) -> &[SocketAddr] {
        &self.listening
    }

    /// Requests a report of its work so far.
    pub fn report(&self) -> RelayReport {
        let EngineStatus { report, sockets } = self.running.ask();
        // Queried here and not on the relay's thread: with many sockets the kernel's answer takes long.
        RelayReport { kernel_drops: drops(&sockets), ..report }
    }

    /// Stops the relay and returns its report.
    pub fn stop(mut self) -> RelayReport {
        self.running.stop()
    }
}

fn open_attachments(config: &RelayConfig<'_>) -> Result<Vec<UdpAttachment>, StartError> {
    let paths = config.scenario.paths.len();
    if config.listen.len() != paths {
        return Err(StartError::Listen { paths, addresses: config.listen.len() });
    }
    if config.to.len() != paths && config.to.len() != 1 {
        return Err(StartError::Targets { paths, addresses: config.to.len() });
    }
    let targets = config.to.iter().cycle();
    let pairs = config.listen.iter().zip(targets).enumerate();
    pairs
        .map(|(path, (&listen, &target))| {
            let socket = Socket::bind(listen).map_err(|error| StartError::Bind { address: listen, error })?;
            UdpAttachment::open(path, socket, target)
                .map_err(|error| StartError::Unreachable { address: target, error })
        })
        .collect()
}
