//! Networks and ports as people write them, for rules about destinations.

mod net_ports;
mod network;
mod ports;

pub use net_ports::{NetPorts, NetPortsError};
pub use network::{NetworkError, network, show};
pub use ports::{Ports, PortsError, port};
