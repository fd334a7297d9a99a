//! The reasons why a capture does not open.

use std::io;
use std::net::IpAddr;

use crate::request::RequestError;

/// The error of a capture that does not open.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The request cannot be carried out on any host.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// This process may not change the network.
    #[error("needs root or CAP_NET_ADMIN: {0}")]
    NotPermitted(io::Error),
    /// Another capture runs.
    #[error("another `anabranch forward --transparent` runs on this host: end it first")]
    AlreadyRunning,
    /// A table of the same name is not owned by a running capture.
    #[error(
        "the nftables table inet {0} exists and belongs to no running program: remove it with \
         `nft delete table inet {0}` (a saved ruleset may have it)"
    )]
    ForeignTable(&'static str),
    /// The kernel has no nf_tables.
    #[error("the kernel has no nf_tables: {0}; it needs Linux 5.12 or later with CONFIG_NF_TABLES")]
    NoNftables(io::Error),
    /// The kernel refuses a table, a chain or a rule.
    #[error(
        "the kernel refuses {what}: {error}; it needs Linux 5.12 or later with nf_tables for inet, and its \
         expressions tproxy, ct, fib, reject, redir and, for control groups, socket"
    )]
    Rules {
        /// The table, chain or rule.
        what: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The kernel refuses the ip rule or the route.
    #[error("the kernel refuses {what}: {error}; it needs policy routing (CONFIG_IP_MULTIPLE_TABLES)")]
    Routes {
        /// The rule or route.
        what: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The loopback interface is down.
    #[error("the interface lo is down, through which flows of this host are led: `ip link set lo up`")]
    LoopbackDown,
    /// A socket cannot be opened.
    #[error("cannot open a transparent socket on {ip}: {error}")]
    Socket {
        /// The address.
        ip: IpAddr,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The user does not exist.
    #[error("there is no user {0:?} on this host: write the name of another, or a number such as uid=1000")]
    UnknownUser(String),
    /// The user cannot be looked up.
    #[error("cannot look up the user {name:?}: {error}; write the number, such as uid=1000")]
    User {
        /// The name.
        name: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Control groups of version 2 are not mounted.
    #[error("cgroup={0} needs control groups of version 2, mounted on /sys/fs/cgroup")]
    NoCgroup2(String),
    /// The control group does not exist.
    #[error("cannot find the control group {path}: {error}; it must exist before its flows can be carried")]
    Cgroup {
        /// The whole path.
        path: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Another error of the operating system.
    #[error("cannot ask the kernel for its network configuration: {0}")]
    System(#[from] io::Error),
}
