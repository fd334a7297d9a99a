//! Removes what an ended run left.

use std::fmt;
use std::io;

use crate::netlink::{NETFILTER, Netlink, ROUTE, Refusal};
use crate::nftables::{Existing, STRICT_TABLE, TABLE, existing, transaction};
use crate::routes::{self, Removed};

/// The parts that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// True if the table of a strict capture was removed.
    pub strict_table: bool,
    /// The number of ip rules.
    pub rules: usize,
    /// The number of routes.
    pub routes: usize,
}

/// The error of a release.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// This process may not change the network.
    #[error("needs root or CAP_NET_ADMIN: {0}")]
    NotPermitted(io::Error),
    /// A capture runs.
    #[error("`anabranch forward --transparent` runs on this host: end it first")]
    Running,
    /// The kernel refuses.
    #[error("the kernel refuses {what}: {error}")]
    Refused {
        /// The subject of the refusal.
        what: String,
        /// The error of the operating system.
        error: io::Error,
    },
}

/// Removes the strict table, ip rules and routes of a run that ended.
///
/// # Errors
/// A capture runs, or this process lacks the permission.
pub fn release() -> Result<Released, ReleaseError> {
    let mut nftables = Netlink::open(NETFILTER).map_err(|error| refused("nftables", error))?;
    let mut routes = Netlink::open(ROUTE).map_err(|error| refused("routes", error))?;
    let mut find = |name| existing(&mut nftables, name).map_err(|error| refused("to look up a table", error));
    let found = [find(TABLE)?, find(STRICT_TABLE)?];
    if found.iter().flatten().any(|Existing { is_owned, .. }| *is_owned) {
        return Err(ReleaseError::Running);
    }
    let strict_table = found[1].is_some();
    if strict_table {
        let deleted = nftables.transact(&transaction(&[STRICT_TABLE], &[]));
        deleted.map_err(|Refusal { what, error }| refused(&what, error))?;
    }
    let Removed { rules, routes } =
        routes::remove(&mut routes).map_err(|error| refused("to remove ip rules and routes", error))?;
    Ok(Released { strict_table, rules, routes })
}

fn refused(what: &str, error: io::Error) -> ReleaseError {
    match error.kind() {
        io::ErrorKind::PermissionDenied => ReleaseError::NotPermitted(error),
        _ => ReleaseError::Refused { what: what.to_owned(), error },
    }
}

impl fmt::Display for Released {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Released::default() {
            return f.write_str("nothing to remove");
        }
        let counted = |number: usize, what: &str| match number {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{number} {what}s")),
        };
        let table = self.strict_table.then(|| "the nftables table inet anabranch_strict".to_owned());
        let parts = [table, counted(self.rules, "ip rule"), counted(self.routes, "route")];
        write!(f, "removed {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_is_named() {
        assert_eq!(Released::default().to_string(), "nothing to remove");
        let released = Released { strict_table: true, rules: 2, routes: 1 };
        assert_eq!(
            released.to_string(),
            "removed the nftables table inet anabranch_strict, 2 ip rules, 1 route"
        );
        let table = Released { strict_table: true, ..Released::default() };
        assert_eq!(table.to_string(), "removed the nftables table inet anabranch_strict");
    }
}
