//! Flows of other programs over one association: the destinations that SOCKS5 and HTTP CONNECT clients ask for, and the
//! permissions of the server that connects to them.
//!
//! Every parser is incremental: it gets the bytes that have arrived and returns a value with the number of bytes used,
//! `None` until enough have arrived, or an error.

mod bond;
pub mod captured;
mod datagrams;
mod destination;
mod event;
mod flow;
mod fronts;
mod gate;
pub mod http_connect;
mod ledger;
mod marked;
mod newest;
mod permissions;
mod rate;
mod server;
mod signal;
pub mod socks;

pub use bond::{Bond, Reverse};
pub use datagrams::UdpPort;
pub use destination::{Destination, DestinationError, Host, HostName};
pub use event::{Event, Report};
pub use fronts::Front;
pub use gate::{Gate, name_servers};
pub use ledger::{Carried, ClientReport, FlowKind, FlowReport, Ledger, LedgerReport, Sample, Totals};
pub use permissions::{
    AddressClass, Allowance, AllowanceError, Permissions, PortsError, Refusal, ReverseAllowance,
    ReverseError, ReversePermissions, ReverseRefusal,
};
pub use rate::Rate;
pub use server::{Client, Server};
pub use signal::{Refused, Signal, SignalError};
