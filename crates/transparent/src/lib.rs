//! Leads flows of this host, or of a network behind it, to sockets of this program, by nftables and policy routing of
//! Linux. On other systems the crate is empty.
//!
//! A [`Request`] names the flows. A [`Capture`] installs rules in tables of its own (`inet anabranch`, and with strict
//! `inet anabranch_strict`), an ip rule and a route for each address family, and has the sockets where the flows
//! arrive: connections by [`Capture::accept`], datagrams by [`Capture::receive`], whose answers leave by [`Replies`].
//! Queries of selected programs to a name server on loopback arrive at the [`Stub`].
//!
//! ```text
//! program ─▶ output: mark ─▶ ip rule, table: local, dev lo ─▶ prerouting: TPROXY ─▶ Capture
//! network behind ────────────────────────────────────────────▶ prerouting: TPROXY ─▶ Capture
//! ```
//!
//! Packets of sockets with [`OWN_MARK`] are never captured. A program that binds its socket to an interface goes
//! beside the capture, and is refused with strict. Packet sockets (`AF_PACKET`) pass beside nftables.
#![cfg(target_os = "linux")]

mod addresses;
mod capture;
mod cgroup;
mod connections;
mod datagrams;
mod error;
mod except;
mod install;
mod keep;
mod listeners;
mod marks;
mod netlink;
mod nftables;
mod notifications;
mod release;
mod replies;
mod request;
mod restored;
mod routes;
mod rules;
mod selection;
mod sockets;
mod stranded;
mod stub;
mod taken;

pub use capture::{Capture, Connection};
pub use datagrams::Datagram;
pub use error::CaptureError;
pub use except::{Except, ExceptError};
pub use marks::{CAPTURED_MARK, OWN_MARK, ROUTING_TABLE, RULE_PRIORITY, RULE_PROTOCOL};
pub use nftables::{STRICT_TABLE, TABLE};
pub use release::{ReleaseError, Released, release};
pub use replies::Replies;
pub use request::{Request, RequestError};
pub use restored::Restored;
pub use stranded::Stranded;
pub use stub::Stub;
pub use taken::{Behind, Taken, TakenError, User};
