//! The events that a forwarder reports to its operator.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::destination::Destination;
use crate::signal::Refused;

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
    /// A local program did not speak the protocol of the port.
    Misspoken {
        /// The address of the program.
        client: SocketAddr,
        /// The error.
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
    /// New connections or sockets cannot be opened at present.
    Exhausted(String),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Refused { client, destination, refused } => {
                write!(f, "{client}: no flow to {destination}: {refused}")
            }
            Event::Misspoken { client, what } => write!(f, "{client}: {what}"),
            Event::Dropped { client, destination, reason } => {
                write!(f, "{client}: a datagram to {destination} was dropped: {reason}")
            }
            Event::Listening { client, address } => write!(f, "{client}: the server listens at {address}"),
            Event::Exhausted(what) => f.write_str(what),
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

    pub(crate) fn event(&self, event: Event) {
        (self.0)(event);
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Report")
    }
}
