//! The handle of a relay: starts it with a scenario and addresses, asks for reports, stops it.

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

/// What a relay is to do.
#[derive(Clone, Debug)]
pub struct RelayConfig<'a> {
    /// Links, paths and events. The flows are not used: the clients send what they like.
    pub scenario: &'a Scenario,
    /// From which the links draw.
    pub seed: Seed,
    /// Where clients send to: one address a path, in the scenario's order. With port 0 the system chooses one.
    pub listen: Vec<SocketAddr>,
    /// Where what they send arrives: one address for all paths, or one a path.
    pub to: Vec<SocketAddr>,
}

/// A relay that runs, in a thread of its own. It ends when this is dropped; what is on the links then is gone.
#[derive(Debug)]
pub struct Relay {
    listening: Vec<SocketAddr>,
    running: Running,
}

/// Why a relay cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Paths and addresses to listen on do not go together.
    #[error("{addresses} addresses to listen on for {paths} paths: give one per path")]
    Listen {
        /// The number of paths the scenario has.
        paths: usize,
        /// The number of addresses that were given.
        addresses: usize,
    },
    /// Paths and targets do not go together.
    #[error("{addresses} target addresses for {paths} paths: give one for all, or one per path")]
    Targets {
        /// The number of paths the scenario has.
        paths: usize,
        /// The number of addresses that were given.
        addresses: usize,
    },
    /// A socket cannot be opened.
    #[error("cannot listen on UDP {address}: {error}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// There is no way to a target.
    #[error("cannot send to {address}: {error}")]
    Unreachable {
        /// Where to.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// The system has no thread or no pipe for it.
    #[error("cannot start the relay: {0}")]
    System(#[from] io::Error),
}

impl Relay {
    /// Opens the sockets and begins. The scenario's clock, by which events happen and rates change, begins to run with
    /// the first datagram of a client.
    ///
    /// # Errors
    /// Where addresses and paths do not go together, or the system refuses one.
    ///
    /// # Panics
    /// If a path or an event of the scenario names a link that there is not; none that was read from a file does.
    pub fn start(config: &RelayConfig<'_>) -> Result<Relay, StartError> {
        Relay::start_over(Network::new(config.scenario, &config.seed), config)
    }

    /// The same over `network`, which is that of the scenario.
    pub(crate) fn start_over(network: Network, config: &RelayConfig<'_>) -> Result<Relay, StartError> {
        let attachments = open_attachments(config)?;
        let listening = attachments.iter().map(UdpAttachment::listening).collect();
        let attachments =
            attachments.into_iter().map(|attachment| Box::new(attachment) as Box<dyn Attachment>).collect();
        let running = Running::start(config.scenario, network, attachments)?;
        Ok(Relay { listening, running })
    }

    /// Where clients send to, one address a path.
    pub fn listen_addresses(&self) -> &[SocketAddr] {
        &self.listening
    }

    /// For a report of its work so far.
    pub fn report(&self) -> RelayReport {
        let EngineStatus { report, sockets } = self.running.ask();
        // Asked for here: where there are many sockets the answer takes the kernel long.
        RelayReport { kernel_drops: drops(&sockets), ..report }
    }

    /// Ends it and says what it did.
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
