//! The events that a forwarder reports to its operator.

mod few;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::destination::Destination;
use crate::signal::Refused;
use few::{Few, Topic};

/// Something that the operator of an end may want to know.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A flow was not opened.
    Refused {
        /// The client, as the end knows it: a name, or the address of a local program.
        client: String,
        /// The destination that was asked for.
        destination: Destination,
        /// The reason.
        refused: Refused,
    },
    /// A flow for UDP was not opened.
    DatagramsRefused {
        /// The client.
        client: String,
        /// The reason.
        refused: Refused,
    },
    /// A connection to a port of the server was not carried to the client.
    ArrivalRefused {
        /// The client.
        client: String,
        /// The port.
        port: Destination,
        /// The address from which the connection came.
        source: SocketAddr,
        /// The reason.
        reason: String,
    },
    /// A local program did not speak the protocol of the port.
    Misspoken {
        /// The address of the program.
        client: SocketAddr,
        /// The error.
        what: String,
    },
    /// The other end broke the protocol of flows.
    Violated {
        /// The client.
        client: String,
        /// The violation.
        what: String,
    },
    /// A datagram was dropped.
    Dropped {
        /// The client.
        client: String,
        /// The destination.
        destination: Destination,
        /// The reason.
        reason: String,
    },
    /// A port of the server is open for connections to the client.
    Listening {
        /// The client.
        client: String,
        /// The address of the port.
        address: Destination,
    },
    /// An association gave way to a newer one of its client.
    Displaced {
        /// The client.
        client: String,
        /// The number of associations that a client may have.
        most: usize,
    },
    /// New connections or sockets cannot be opened at present.
    Exhausted(String),
    /// Events of one kind that were not reported one by one.
    Omitted {
        /// The client.
        client: String,
        /// The kind, in the plural.
        what: &'static str,
        /// Their number.
        count: u64,
        /// The time in which they occurred.
        within: Duration,
    },
}

impl Event {
    /// The kind of the event and its client: a program is its host, for its port changes with each connection.
    fn topic(&self) -> Topic {
        let (client, what) = match self {
            Event::Refused { client, .. } | Event::DatagramsRefused { client, .. } => (client, "refusals"),
            Event::ArrivalRefused { client, .. } => (client, "connections that were not carried"),
            Event::Misspoken { client, .. } => return (client.ip().to_string(), "unreadable requests"),
            Event::Violated { client, .. } => (client, "violations of the protocol"),
            Event::Dropped { client, .. } => (client, "dropped datagrams"),
            Event::Listening { client, .. } => (client, "opened ports"),
            Event::Displaced { client, .. } => (client, "displaced connections"),
            Event::Exhausted(_) => return (String::new(), "shortages"),
            Event::Omitted { client, what, .. } => (client, *what),
        };
        let host = client.parse::<SocketAddr>().map(|address| address.ip().to_string());
        (host.unwrap_or_else(|_| client.clone()), what)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Refused { client, destination, refused } => {
                write!(f, "{client}: no flow to {destination}: {refused}")
            }
            Event::DatagramsRefused { client, refused } => write!(f, "{client}: no flow for UDP: {refused}"),
            Event::ArrivalRefused { client, port, source, reason } => {
                write!(f, "{client}: a connection from {source} to {port} was reset: {reason}")
            }
            Event::Misspoken { client, what } => write!(f, "{client}: {what}"),
            Event::Violated { client, what } => write!(f, "{client}: {what}"),
            Event::Dropped { client, destination, reason } => {
                write!(f, "{client}: a datagram to {destination} was dropped: {reason}")
            }
            Event::Listening { client, address } => write!(f, "{client}: the server listens at {address}"),
            Event::Displaced { client, most } => write!(
                f,
                "{client}: its oldest bond was ended for a newer one: --limit-memory has room for {most} at once"
            ),
            Event::Exhausted(what) => f.write_str(what),
            Event::Omitted { client, what, count, within } => {
                if !client.is_empty() {
                    write!(f, "{client}: ")?;
                }
                write!(f, "{count} more {what} within {} s", within.as_secs())
            }
        }
    }
}

/// The receiver of events.
#[derive(Clone)]
pub struct Report(Arc<dyn Fn(Event) + Send + Sync>);

impl Report {
    /// Passes events to `receive`, which must not block.
    pub fn to(receive: impl Fn(Event) + Send + Sync + 'static) -> Report {
        Report(Arc::new(receive))
    }

    /// Passes on the first events of each kind and client within some seconds, and then the number of the rest, for a log
    /// that no client can fill.
    pub fn few(receive: impl Fn(Event) + Send + Sync + 'static) -> Report {
        let few = Few::new(receive);
        Report::to(move |event| few.event(event))
    }

    pub(crate) fn event(&self, event: Event) {
        (self.0)(event);
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Report")
    }
}
