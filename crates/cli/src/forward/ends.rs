//! The two ends of a bond: the one with the programs, and the one that connects to destinations. Both may dial or listen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_forward::{
    Bond, Client, Event, Gate, Ledger, Rate, Report, Reverse, ReversePermissions, Server,
};
use anabranch_net::{Association, CloseReason};
use tokio::task::JoinSet;

use super::monitor::Monitor;
use super::paths;
use super::ports::{self, OpenPorts};
use super::transparent::Captured;
use crate::arguments::{ForwardArguments, Output};
use crate::failure::{Failure, printable};
use crate::notice;

/// The work of this end over each association. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct LocalEnd {
    role: Role,
    output: Output,
    monitor: Monitor,
    /// The tasks of the ports end with the last clone.
    _ports: Arc<JoinSet<()>>,
}

#[derive(Clone, Debug)]
enum Role {
    Programs { bond: Bond, reverse: Arc<[Reverse]> },
    Destinations { server: Arc<Server>, clients: Arc<Clients> },
}

/// The clients of a server by their names: what one uses is counted over all its associations.
#[derive(Debug)]
struct Clients {
    limit_rate: Option<anabranch_base::BitRate>,
    known: Mutex<HashMap<Arc<str>, Client>>,
}

impl LocalEnd {
    /// Opens what this end has: ports for programs, beside the flows that are `captured`, or the way to destinations for
    /// clients that have at most `most_associations` each.
    ///
    /// # Errors
    /// A port that cannot be opened.
    pub(super) async fn open(
        arguments: &ForwardArguments,
        most_associations: usize,
        captured: &Captured,
    ) -> Result<LocalEnd, Failure> {
        let report = reports(arguments.quiet);
        if arguments.serve {
            let server = Arc::new(Server {
                gate: Gate::new(arguments.allow.clone()),
                reverse: ReversePermissions { allowed: arguments.allow_reverse.clone() },
                most_flows: arguments.most_flows(),
                most_associations,
                report,
                ledger: Ledger::default(),
            });
            let monitor = Monitor::new(arguments, server.ledger.clone());
            let clients = Arc::new(Clients { limit_rate: arguments.limit_rate, known: Mutex::default() });
            let role = Role::Destinations { server, clients };
            return Ok(LocalEnd { role, output: arguments.output(), monitor, _ports: Arc::default() });
        }
        let open = OpenPorts::open(arguments).await?;
        if !arguments.quiet {
            open.show();
        }
        let bond = Bond::new(report);
        let mut tasks = open.serve(&bond);
        captured.serve(&bond, &mut tasks);
        let tasks = Arc::new(tasks);
        let monitor = Monitor::new(arguments, bond.ledger().clone());
        let role = Role::Programs { bond, reverse: ports::reverse(arguments, captured.mark()).into() };
        Ok(LocalEnd { role, output: arguments.output(), monitor, _ports: tasks })
    }

    /// The state of this end for those who ask.
    pub(super) fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Carries flows over `association` until it ends. `name` is the name of the client at its other end.
    pub(super) async fn carry(&self, association: Association, name: &str) -> CloseReason {
        let handle = association.clone();
        let _entry = self.monitor.enter(name, &association);
        tokio::select! {
            reason = self.carry_flows(association, name) => reason,
            never = paths::report(&handle, self.output) => match never {},
        }
    }

    async fn carry_flows(&self, association: Association, name: &str) -> CloseReason {
        match &self.role {
            Role::Programs { bond, reverse } => bond.carry(association, reverse).await,
            Role::Destinations { server, clients } => {
                let client = clients.named(name, server);
                Arc::clone(server).serve(client, association).await
            }
        }
    }
}

impl Clients {
    fn named(&self, name: &str, server: &Server) -> Client {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, client| !client.is_idle());
        let new = || Client::new(name, Rate::new(self.limit_rate), server);
        known.entry(name.into()).or_insert_with(new).clone()
    }
}

/// Shows events on standard error.
fn reports(is_quiet: bool) -> Report {
    Report::few(move |event: Event| {
        let line = printable(&event.to_string());
        match event {
            _ if is_quiet => {}
            Event::Listening { .. } => notice::tell(&line),
            _ => notice::warn(&line),
        }
    })
}
