//! The pairs of addresses that may become paths: those that the application requested, and others that are tried if
//! these do not answer.

use std::net::SocketAddr;

use crate::path::PathAddresses;

/// The pairs of addresses over which an association is opened.
#[derive(Clone, Copy, Debug)]
pub struct Routes<'a> {
    /// The pairs that are to become paths, best first.
    pub paths: &'a [PathAddresses],
    /// Other pairs, which are tried if the paths do not answer.
    pub further: &'a [PathAddresses],
    /// The order and timing of INITs.
    pub pace: InitPace,
    /// The addresses that are alternatives to one another.
    pub alternatives: &'a Alternatives,
}

/// The timing of INITs over several pairs until one of them answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitPace {
    /// One path after the other, a time-out apart (RFC 9260 §5.1, §6.3.3). The paths need no verification if
    /// [`trusts_given_addresses`](crate::config::Config::trusts_given_addresses) is set.
    OneByOne,
    /// The INITs of all pairs within one time-out, some tens of milliseconds apart (as RFC 8305 §5 does for TCP). The
    /// first pair that answers becomes a path at once; the others are verified before they carry data.
    Raced,
}

/// Groups of addresses of which one is used: the addresses of both IP versions of one link, or the addresses of one
/// host name, which may belong to several hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alternatives {
    /// This end's addresses, a list for each link that has several.
    pub local: Vec<Vec<SocketAddr>>,
    /// The peer's addresses, a list for each name that has several.
    pub remote: Vec<Vec<SocketAddr>>,
}

/// The pairs of addresses of an association that are not only in its path table.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// The pairs that the application requested. Empty if the peer opened the association and so chose the pairs.
    pub asked: Vec<PathAddresses>,
    /// The pairs that were neither tried nor became paths.
    pub untried: Vec<PathAddresses>,
    /// True if some pairs were tried: then a path that never worked may be a wrong guess.
    pub were_tried: bool,
    pub alternatives: Alternatives,
}

impl Routes<'_> {
    /// Routes over `paths` alone, one after the other.
    pub fn one_by_one(paths: &[PathAddresses]) -> Routes<'_> {
        Routes { paths, further: &[], pace: InitPace::OneByOne, alternatives: Alternatives::none() }
    }
}

impl Alternatives {
    /// No alternatives.
    pub fn none() -> &'static Alternatives {
        static NONE: Alternatives = Alternatives { local: Vec::new(), remote: Vec::new() };
        &NONE
    }

    /// Returns true if two local addresses are the same, or of one link.
    pub fn is_same_link(&self, one: SocketAddr, other: SocketAddr) -> bool {
        stand_for(&self.local, one, other)
    }

    /// Returns true if two remote addresses are the same, or of one name.
    pub fn is_same_host(&self, one: SocketAddr, other: SocketAddr) -> bool {
        stand_for(&self.remote, one, other)
    }

    /// Returns true if two pairs are alternatives for the same path.
    pub(crate) fn is_same_path(&self, one: PathAddresses, other: PathAddresses) -> bool {
        self.is_same_link(one.local, other.local) && self.is_same_host(one.remote, other.remote)
    }
}

fn stand_for(groups: &[Vec<SocketAddr>], one: SocketAddr, other: SocketAddr) -> bool {
    one == other || groups.iter().any(|group| group.contains(&one) && group.contains(&other))
}
