//! The pairs of addresses that may become paths: those that the application asked for, and others that are tried if they
//! do not answer.

use std::net::SocketAddr;

use crate::path::PathAddresses;

/// The pairs of addresses over which an association is opened.
#[derive(Clone, Copy, Debug)]
pub struct Routes<'a> {
    /// The pairs that are to become paths, best first.
    pub paths: &'a [PathAddresses],
    /// Other pairs, which are tried if the paths do not answer.
    pub further: &'a [PathAddresses],
    /// How INIT goes over them.
    pub pace: InitPace,
    /// Which addresses stand for one another.
    pub alternatives: &'a Alternatives,
}

/// How INIT goes over several pairs until one of them answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitPace {
    /// Over one path after the other, a time-out apart (RFC 9260 §5.1, §6.3.3). The paths are trusted if
    /// [`trusts_given_addresses`](crate::config::Config::trusts_given_addresses) says so.
    OneByOne,
    /// Over all pairs within one time-out, some tens of milliseconds apart (in the spirit of RFC 8305 §5). The first pair
    /// that answers is a path at once; the others are verified before they carry data.
    Raced,
}

/// Addresses that stand for one another, of which one is used: a link's of both IP versions, or all that a name has, which
/// may be those of several hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alternatives {
    /// This end's addresses, a list for each link that has several.
    pub local: Vec<Vec<SocketAddr>>,
    /// The peer's addresses, a list for each name that has several.
    pub remote: Vec<Vec<SocketAddr>>,
}

/// The pairs of an association.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Those that the application asked for. Empty if the peer opened the association, which then chooses.
    pub asked: Vec<PathAddresses>,
    /// Those that are not paths, and were not tried.
    pub untried: Vec<PathAddresses>,
    /// True if some pairs were tried: then a path that never worked may be a wrong guess.
    pub were_tried: bool,
    pub alternatives: Alternatives,
}

impl Routes<'_> {
    /// The paths alone, one after the other.
    pub fn one_by_one(paths: &[PathAddresses]) -> Routes<'_> {
        Routes { paths, further: &[], pace: InitPace::OneByOne, alternatives: Alternatives::none() }
    }
}

impl Alternatives {
    /// Each address stands for itself.
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

    /// Returns true if two pairs would be the same path, with other addresses.
    pub fn is_same_path(&self, one: PathAddresses, other: PathAddresses) -> bool {
        self.is_same_link(one.local, other.local) && self.is_same_host(one.remote, other.remote)
    }
}

fn stand_for(groups: &[Vec<SocketAddr>], one: SocketAddr, other: SocketAddr) -> bool {
    one == other || groups.iter().any(|group| group.contains(&one) && group.contains(&other))
}
