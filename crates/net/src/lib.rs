//! SCTP (RFC 9260) in UDP (RFC 6951) on real sockets, over all paths at once, sealed unless that is not wanted.
//!
//! This crate drives [`anabranch_sctp`], which does no I/O, with tokio: one UDP socket for each local address, one task
//! for each endpoint, and handles with a small asynchronous interface.
//!
//! # In one page
//!
//! A server and a client with two paths between them, and a key that only they have:
//!
//! ```
//! use anabranch_net::{Endpoint, Key, Options, Security, SendOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Key::fresh()?; // which both ends need
//! let server = Endpoint::bind(Options {
//!     local: vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?],
//!     accepts: true,
//!     ..Options::with(Security::Sealed(key.clone()))
//! })?;
//! let addresses = server.local_addresses();
//! let echo = tokio::spawn(async move {
//!     let association = server.accept().await.expect("a client comes");
//!     while let Ok(message) = association.recv().await {
//!         let as_it_came = SendOptions::from(&message);
//!         if association.send(message.into_bytes(), as_it_came).await.is_err() {
//!             break;
//!         }
//!     }
//! });
//!
//! let client = Endpoint::bind(Options {
//!     local: vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?],
//!     ..Options::with(Security::Sealed(key))
//! })?;
//! let association = client.connect(&addresses).await?;
//! association.send("over both", SendOptions::default()).await?;
//! assert_eq!(association.recv().await?.into_bytes(), "over both");
//! assert_eq!(association.paths().len(), 2);
//! association.close().await?;
//! echo.await?;
//! # Ok(())
//! # }
//! ```
//!
//! The crate's `examples/` go on from here, each in a file that is run by the tests: `echo` (streams, a server of many
//! clients), `file` (back-pressure, an end with everything delivered), `streams` (events and records) and `congestion`
//! (a congestion controller of your own). `examples/without_io.rs` of [`anabranch_sctp`] drives the protocol without
//! this crate.
//!
//! # Endpoints
//!
//! [`Endpoint::bind`] opens a UDP socket for each address of [`Options::local`] and starts the task that serves them;
//! it needs a tokio runtime with I/O and time. [`Endpoint::connect`] takes the peer's addresses: each is paired with
//! the nearest local one, among equals the i-th with the i-th, and a single one with all. [`Endpoint::accept`] returns
//! the associations that peers open, if [`Options::accepts`] is set. Whether packets are sealed, and with which key,
//! has no default: [`Security`]. With [`Options::address_tracking`], addresses of this machine that appear or vanish while
//! associations live are used and given up.
//!
//! # Messages
//!
//! SCTP carries messages, not a stream of bytes: what one [`send`](Association::send) takes, one
//! [`recv`](Association::recv) returns, whole, once, and in the order of its stream. [`SendOptions`] say on which
//! stream, with which payload protocol, and whether the message needs an order at all. A message that waits for a lost
//! packet holds up its own stream and no other; [`Association::stream`] is a handle of one.
//!
//! Payloads are [`bytes::Bytes`], accepted and returned without a copy: [`Message::chunks`] are the slices that came
//! from the network, [`Message::into_bytes`] joins them.
//!
//! # Back-pressure
//!
//! Nothing grows without bound. `send` waits while the message does not fit the send buffer; waiting senders get room
//! in the order in which they asked. A reader that does not read fills its receive buffer, which stops the peer's
//! sending, which fills the peer's send buffer, where its `send` waits. Both sizes are in [`Config`].
//! [`try_send`](Association::try_send) and [`try_recv`](Association::try_recv) never wait.
//!
//! # Several tasks
//!
//! Every handle is `Clone + Send + Sync`; when the last clone is dropped, what it stands for ends. Any number of tasks
//! may send and receive on one association at once: each message goes to one reader.
//!
//! # Dropped futures
//!
//! Every method that waits may be dropped at any point, by `select!` or a time-out:
//!
//! | dropped before it answered | what that means |
//! |---|---|
//! | [`Endpoint::connect`] | the attempt is given up, and the peer is told if it had answered |
//! | [`Endpoint::accept`] | nothing; another call gets the association |
//! | [`Endpoint::settled`], [`Association::closed`] | nothing |
//! | [`Association::send`] | nothing of the message is sent, and its place in the queue is lost |
//! | [`Association::recv`] | nothing; another call gets the message |
//! | [`Association::close`] | the end has begun and continues |
//! | [`Events::next`], [`Records::next`] | nothing; the next call returns it |
//!
//! # Watching
//!
//! [`Association::paths`] shows every path as it is: its state, windows and times, what it carried and what held it
//! back; a [`PathMonitor`](monitor::PathMonitor) follows them and gives names, rates and shares.
//! [`Association::subscribe`] gives events, [`Association::records`] every change of a window and every round
//! trip; both are [`Stream`](futures_core::Stream)s, keep a bounded number of items for a slow listener, and tell it
//! how many it [`Missed`]. Records cost nothing without a listener.
//!
//! # The end
//!
//! [`Association::close`] answers when everything that was sent is acknowledged, or says in a [`CloseError`] how much was
//! not; [`Association::abort`] ends at once. A program that ends itself waits for [`Endpoint::settled`] before, so that the
//! last packets leave.
//!
//! # Rules
//!
//! How windows grow, which path carries what, when a path is given up: all of it is in [`Config`], in profiles such as
//! [`Config::rfc9260`] (the default, to the letter) and [`Config::tuned_2`] (what the tools use), and every policy is
//! named in a [`Registry`] that takes further ones. [`sctp`] and [`base`] are the crates below, so that a program needs
//! this one alone.

/// The types of times, byte counts and rates.
pub use anabranch_base as base;
/// The protocol, which this crate drives.
pub use anabranch_sctp as sctp;

mod address_tracker;
mod address_tracking;
mod association;
mod association_entry;
mod bind;
mod buffer_pool;
mod clock;
mod driver;
mod endpoint;
mod feed;
mod fragments;
pub mod frame;
mod icmp;
mod inbox;
mod interface_monitor;
mod interfaces;
mod ipv6;
mod links;
pub mod monitor;
mod notices;
mod opening;
mod outbox;
mod pairing;
mod port;
pub mod reason;
mod receive_buffer;
mod refused;
mod report;
mod ring;
mod routes;
pub mod seal;
mod send_error;
mod shared;
mod socket;
mod turn;
mod unreadable_peers;
mod waiting;

pub use address_tracking::AddressTracking;
pub use anabranch_sctp::association::{EcnCounters, Message, PathAddresses, PathCounters};
pub use anabranch_sctp::config::Config;
pub use anabranch_sctp::event::{CloseReason, Event};
pub use anabranch_sctp::policy::{PathId, PathSample, PathState, Registry};
pub use anabranch_sctp::record::{Happening, Record};
pub use anabranch_sctp::wire::{Ppid, StreamId};
pub use association::{Association, CloseError, Events, OutboundStream, Records, SendOptions, TryRecvError};
pub use bind::BindError;
pub use clock::Clock;
pub use endpoint::{ConnectError, Endpoint, Options, UDP_PORT};
pub use feed::Missed;
pub use icmp::Undelivered;
pub use interface_monitor::InterfaceMonitor;
pub use interfaces::{Interface, InterfaceError, interfaces, local_addresses_for, resolve};
pub use links::{LinkReport, LinkRule};
pub use opening::Opening;
pub use report::{PathReport, SocketReport, Unsent};
pub use routes::reaches;
pub use seal::{Key, KeyError, Security};
pub use send_error::{SendError, TrySendError};
pub use unreadable_peers::{Unreadable, UnreadablePeer};
