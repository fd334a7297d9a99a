//! SCTP (RFC 9260) in UDP (RFC 6951) on real sockets, over all paths at once, sealed by default.
//!
//! This crate drives [`anabranch_sctp`], which does no I/O, with tokio: one UDP socket for each local address, one
//! task for each endpoint, and handles with a small asynchronous interface.
//!
//! # In one page
//!
//! A server and a client with two paths between them and a shared key:
//!
//! ```
//! use anabranch_net::{Endpoint, Key, Options, SendOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Key::fresh()?; // which both ends need
//! let server = Endpoint::bind(Options {
//!     local: vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?],
//!     ..Options::server(key.clone())
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
//!     ..Options::client(key)
//! })?;
//! let association = client.connect(&addresses).await?;
//! association.send("over both", SendOptions::default()).await?;
//! assert_eq!(association.recv().await?.into_bytes(), "over both");
//! assert!(association.paths().len() >= 2);
//! association.close().await?;
//! echo.await?;
//! # Ok(())
//! # }
//! ```
//!
//! More programs are in the crate's `examples/`, which the tests run: `echo` (streams, a server of many clients),
//! `file` (back-pressure, a close after full delivery), `video` (messages with deadlines), `watching` (events and
//! records) and `congestion` (a custom congestion controller). `examples/without_io.rs` of [`anabranch_sctp`]
//! drives the protocol without this crate.
//!
//! # Endpoints
//!
//! [`Endpoint::bind`] opens a UDP socket for each address of [`Options::local`] and starts the task that serves them;
//! it needs a tokio runtime with I/O and time. [`Endpoint::connect`] takes the peer's addresses: each is paired with
//! the nearest local one, equal ones i-th with i-th, and a single one with all. [`Endpoint::accept`] returns the
//! associations that peers open, if [`Options::accepts`] is set. [`Options::client`] and [`Options::server`] have the
//! settings of this project's programs. [`Security`] has no default: sealed with a key, or plain. A server can
//! also have a key for each of several [`Clients`], which [`Association::client`] names. With
//! [`Options::address_tracking`], addresses of this machine that appear or vanish are used or removed while
//! associations are open.
//!
//! # Messages
//!
//! SCTP carries messages, not a stream of bytes: each message given to [`send`](Association::send) is returned by one
//! [`recv`](Association::recv), complete, once, and in the order of its stream. [`SendOptions`] choose the stream,
//! the payload protocol identifier, and whether the message is ordered. A lost packet delays only the messages of its
//! own stream; [`Association::stream`] is a handle of one.
//!
//! Payloads are [`bytes::Bytes`], accepted and returned without a copy: [`Message::chunks`] are the slices received
//! from the network, [`Message::into_bytes`] joins them.
//!
//! A message must fit into the receive buffer, unless the receiver sets [`Config::partial_delivery`]: then `recv` returns
//! one that fills half of the buffer in [parts](Part). [`Config::message_limit`] lets a sender send it.
//!
//! # Back-pressure
//!
//! Memory is bounded. `send` waits while the message does not fit the send buffer; waiting senders get room in the
//! order of their calls. A slow reader fills its receive buffer, which stops the peer's transmission, which fills the
//! peer's send buffer, where its `send` waits. Both sizes are in [`Config`]. [`try_send`](Association::try_send) and
//! [`try_recv`](Association::try_recv) never wait.
//!
//! # Streams
//!
//! The receive buffer is that of the association: a reader that waits for one stream stops all.
//! [`Association::into_streams`] gives each stream a handle, and a back-pressure of its own if both ends set
//! [`Config::stream_credits`]; see [`streams`].
//!
//! # Several tasks
//!
//! Every handle is `Clone + Send + Sync`; the endpoint or association ends when its last clone is dropped. Any number
//! of tasks may send and receive on one association at once: each message goes to one reader.
//!
//! # Dropped futures
//!
//! Every future that waits may be dropped at any point, by `select!` or a time-out:
//!
//! | dropped before it completes | effect |
//! |---|---|
//! | [`Endpoint::connect`] | the attempt is abandoned, and the peer is informed if it had answered |
//! | [`Endpoint::accept`] | nothing; another call gets the association |
//! | [`Endpoint::settled`], [`Association::closed`] | nothing |
//! | [`Association::send`] | nothing of the message is sent, and its place in the queue is lost |
//! | [`Association::recv`] | nothing; another call gets the message |
//! | [`Association::close`] | the shutdown has begun and continues |
//! | [`Events::next`], [`Records::next`] | nothing; the next call returns it |
//!
//! # Monitoring
//!
//! [`Association::paths`] returns the state of every path: windows, times, counters, and the time in each limit; a
//! [`PathMonitor`](monitor::PathMonitor) follows them and computes names, rates and shares.
//! [`Association::subscribe`] returns events, [`Association::records`] every change of a window and every round-trip
//! time; both are `Stream`s of the `futures` crates (feature `futures`) with a bounded queue, and report how many
//! items a slow listener
//! [`Missed`]. Records cost nothing without a listener.
//!
//! # The end
//!
//! [`Association::close`] completes when everything sent is acknowledged, or returns in a [`CloseError`] how much was
//! not; [`Association::abort`] ends immediately. Before it exits, a program waits for [`Endpoint::settled`], so that
//! the last packets are sent.
//!
//! # Policies
//!
//! Congestion control, scheduling and failover are set in [`Config`], in profiles such as [`Config::rfc9260`] (the
//! default, to the letter) and [`Config::tuned_2`] (used by the tools), and every policy is named in a [`Registry`]
//! to which others can be added. [`sctp`] and [`base`] re-export the crates below, so that a program needs only this
//! one.

/// The types of times, byte counts and rates.
pub use anabranch_base as base;
/// The protocol, which this crate drives.
pub use anabranch_sctp as sctp;
/// The type of payloads.
pub use bytes;

mod address_tracker;
mod address_tracking;
mod association;
mod association_entry;
mod bind;
mod buffer_pool;
mod clock;
mod connect_error;
mod driver;
mod endpoint;
mod feed;
pub mod frame;
#[cfg(feature = "futures")]
mod futures;
mod icmp;
mod inbox;
mod interface;
mod interface_monitor;
mod interfaces;
mod ipv6;
mod links;
mod local_addresses;
mod log;
pub mod monitor;
mod opening;
mod outbox;
mod pairing;
mod phase;
mod port;
pub mod reason;
mod receive_buffer;
mod refused;
mod report;
mod ring;
mod routes;
pub mod seal;
mod send_error;
mod send_queue;
mod shared;
mod socket;
pub mod streams;
mod sync;
mod system;
mod unreadable_peers;
mod waiting;

pub use address_tracking::AddressTracking;
pub use anabranch_sctp::association::{
    EcnCounters, Message, Part, PathAddresses, PathCounters, ReceivedTest, ReconfigurationError, TestError,
};
pub use anabranch_sctp::config::Config;
pub use anabranch_sctp::event::{CloseReason, Event, StreamChange};
pub use anabranch_sctp::policy::{PathId, PathSample, PathState, Registry};
pub use anabranch_sctp::record::{Happening, Record};
pub use anabranch_sctp::wire::{PathRole, Ppid, ReConfigResult, StreamId};
pub use association::{
    Association, CloseError, Effort, Events, OutboundStream, Records, SendOptions, StreamChangeError, Tests,
    TryRecvError,
};
pub use bind::BindError;
pub use clock::Clock;
pub use connect_error::ConnectError;
pub use endpoint::{Endpoint, Options, UDP_PORT};
pub use feed::Missed;
pub use icmp::Undelivered;
pub use interface_monitor::InterfaceMonitor;
pub use interfaces::{Interface, InterfaceError, interfaces, resolve};
pub use links::{LinkReport, LinkRule};
pub use local_addresses::local_addresses_for;
pub use opening::Opening;
pub use report::{GivenUpCounters, PathReport, SocketReport, Unsent};
pub use routes::reaches;
pub use seal::{ClientKey, Clients, ClientsError, Key, KeyError, Security};
pub use send_error::{SendError, TrySendError};
pub use streams::{Stream, StreamMessage, Streams};
pub use unreadable_peers::{Unreadable, UnreadablePeer};

/// The program of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
