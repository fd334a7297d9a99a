//! SCTP (RFC 9260) in UDP (RFC 6951) on real sockets, over all paths at once, sealed unless that is not wanted.
//!
//! This crate drives [`anabranch_sctp`], which does no I/O, with tokio: one UDP socket for each local address,
//! one task for each endpoint, and handles with a small asynchronous interface. It knows sockets, the clock and
//! where randomness comes from; it knows no simulator and no file of scenarios.
//!
//! Every method that waits is cancellation-safe and says what that means for it.
//!
//! # Examples
//!
//! A server and a client with two paths between them, and a key that nobody else has:
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

mod association;
mod bind;
mod clock;
mod driver;
mod endpoint;
mod feed;
mod follow;
mod follower;
mod inbox;
mod interfaces;
mod ipv6;
mod notices;
mod outbox;
mod report;
pub mod seal;
mod shared;
mod slot;
mod slots;
mod socket;
mod watch;

pub use anabranch_sctp::association::{PathAddresses, PathCounters};
pub use anabranch_sctp::config::Config;
pub use anabranch_sctp::event::{CloseReason, Event};
pub use anabranch_sctp::policy::{PathId, PathSample, PathState};
pub use anabranch_sctp::receive::Message;
pub use anabranch_sctp::record::{Happening, Record};
pub use anabranch_sctp::wire::{Ppid, StreamId};
pub use association::{
    Association, CloseError, Events, OutboundStream, Records, SendError, SendOptions, TryRecvError,
    TrySendError,
};
pub use bind::BindError;
pub use endpoint::{ConnectError, Endpoint, Options, UDP_PORT};
pub use feed::Missed;
pub use follow::Follow;
pub use interfaces::{Interface, InterfaceError, interfaces, local_addresses_for, resolve};
pub use report::{PathReport, SocketReport, Unsent};
pub use seal::{Key, KeyError, Security};
pub use watch::InterfaceWatch;
