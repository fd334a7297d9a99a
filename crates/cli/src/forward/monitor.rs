//! The state of the program for those who ask: `anabranch status` by a socket, and Prometheus by HTTP.

mod bonds;
#[cfg(unix)]
mod document;
mod ends;
mod exposition;
mod http;
#[cfg(unix)]
mod socket;

use anabranch_forward::Ledger;
use anabranch_net::Association;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::ports;
use crate::arguments::ForwardArguments;
use crate::failure::Failure;
use crate::notice;
use bonds::{Bond, Bonds};

/// The state of the program. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Monitor {
    since: Instant,
    /// True at the end that connects to destinations.
    serves: bool,
    ledger: Ledger,
    bonds: Bonds,
}

/// The tasks that answer, until they are dropped.
#[derive(Debug)]
pub(super) struct Answering {
    _tasks: JoinSet<()>,
    #[cfg(unix)]
    _socket: Option<socket::SocketFile>,
}

impl Monitor {
    /// The state of a program with these flows, whose bonds are entered one by one.
    pub(super) fn new(arguments: &ForwardArguments, ledger: Ledger) -> Monitor {
        // One that listens has an endpoint for all bonds, one that dials one for each.
        let bonds = Bonds::new(arguments.to.is_empty());
        if !arguments.serve {
            bonds.expect(LOCAL);
        }
        Monitor { since: Instant::now(), serves: arguments.serve, ledger, bonds }
    }

    /// Enters a bond with `peer`, until the entry is dropped.
    pub(super) fn enter(&self, peer: &str, association: &Association) -> Bond {
        self.bonds.enter(peer, if self.serves { peer } else { LOCAL }, association)
    }

    /// The number of flows.
    pub(super) fn open_flows(&self) -> usize {
        self.ledger.report(&self.ledger.sample(), 0).more_flows
    }

    /// Answers at the socket for `anabranch status`, and at `--metrics`. Without the socket the program works on.
    ///
    /// # Errors
    /// The port of `--metrics` cannot be opened.
    pub(super) async fn answer(&self, arguments: &ForwardArguments) -> Result<Answering, Failure> {
        let mut tasks = JoinSet::new();
        if let Some(port) = arguments.metrics {
            let opened = TcpListener::bind(port.address).await;
            let listener = opened.map_err(|error| ports::refused(port, &error))?;
            let address = listener.local_addr().map_err(Failure::System)?;
            if !arguments.quiet {
                notice::tell(&format!("metrics at http://{address}{}", http::PATH));
            }
            let monitor = self.clone();
            tasks.spawn(http::serve(listener, address, move || exposition::text(&monitor)));
        }
        #[cfg(unix)]
        let _socket = self.open_socket(&mut tasks).await;
        Ok(Answering {
            _tasks: tasks,
            #[cfg(unix)]
            _socket,
        })
    }

    #[cfg(unix)]
    async fn open_socket(&self, tasks: &mut JoinSet<()>) -> Option<socket::SocketFile> {
        match socket::open().await {
            Ok((listener, file)) => {
                tasks.spawn(socket::serve(listener, self.clone()));
                Some(file)
            }
            Err(why) => {
                notice::tell(&format!("`anabranch status` will not show this program: {why}"));
                None
            }
        }
    }
}

/// The name under which the bonds of a program without clients are counted.
const LOCAL: &str = "local";
