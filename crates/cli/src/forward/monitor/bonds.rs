//! The bonds that are open, and what links and clients had before: the sums since the start never decrease.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anabranch_base::ByteCount;
use anabranch_net::{Association, LinkReport, PathReport, PathRole, PathState};
use tokio::time::Instant;

/// The bonds of the program. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Bonds(Arc<Mutex<Register>>);

/// A bond that is open, until it is dropped.
#[derive(Debug)]
pub(in crate::forward) struct Bond {
    bonds: Bonds,
    number: u64,
}

#[derive(Debug)]
struct Register {
    /// True if all bonds have the same links, which count over all of them.
    shares_links: bool,
    opened: u64,
    open: BTreeMap<u64, OpenBond>,
    /// The links of earlier bonds, by their names.
    links: BTreeMap<String, Link>,
    /// The counters of earlier bonds, by client.
    losses: BTreeMap<Arc<str>, Losses>,
}

/// A bond that is open.
#[derive(Clone, Debug)]
pub(super) struct OpenBond {
    pub(super) number: u64,
    /// The addresses of the server, or the name of the client.
    pub(super) peer: Arc<str>,
    /// The name under which it is counted.
    pub(super) client: Arc<str>,
    pub(super) since: Instant,
    association: Association,
}

/// A link of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) role: PathRole,
    /// The limit of the bytes of each bond.
    pub(super) most: Option<ByteCount>,
    /// The bytes that count against the limit at present.
    pub(super) used: ByteCount,
    pub(super) is_used_up: bool,
    /// The bytes of IP packets since the start.
    pub(super) sent: ByteCount,
    pub(super) received: ByteCount,
}

/// Signs of losses on all paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Losses {
    pub(super) retransmitted_chunks: u64,
    pub(super) timeouts: u64,
}

impl Bonds {
    /// No bonds yet.
    pub(super) fn new(shares_links: bool) -> Bonds {
        let (links, losses) = (BTreeMap::new(), BTreeMap::new());
        let register = Register { shares_links, opened: 0, open: BTreeMap::new(), links, losses };
        Bonds(Arc::new(Mutex::new(register)))
    }

    /// Counts a client from now on, which may have no bond for long.
    pub(super) fn expect(&self, client: &str) {
        self.lock().client(client);
    }

    /// Enters a bond.
    pub(super) fn enter(&self, peer: &str, client: &str, association: &Association) -> Bond {
        let mut register = self.lock();
        let number = register.opened;
        register.opened += 1;
        let (peer, client) = (peer.into(), register.client(client));
        let (since, association) = (Instant::now(), association.clone());
        register.open.insert(number, OpenBond { number, peer, client, since, association });
        Bond { bonds: self.clone(), number }
    }

    /// The bonds that are open, the newest first.
    pub(super) fn open(&self) -> Vec<OpenBond> {
        self.lock().open.values().rev().cloned().collect()
    }

    /// The number of bonds since the start.
    pub(super) fn opened(&self) -> u64 {
        self.lock().opened
    }

    /// The links of this host.
    pub(super) fn links(&self) -> Vec<Link> {
        let (open, earlier, shares_links) = {
            let register = self.lock();
            let newest = register.open.values().next_back().cloned();
            (newest, register.links.clone(), register.shares_links)
        };
        let present = open.map(|bond| bond.association.links()).unwrap_or_default();
        merged(present.iter().map(Link::from).collect(), earlier, shares_links)
    }

    /// The losses of each client, the earlier ones included.
    pub(super) fn losses(&self) -> BTreeMap<Arc<str>, Losses> {
        let (open, mut losses) = {
            let register = self.lock();
            (register.open.values().cloned().collect::<Vec<_>>(), register.losses.clone())
        };
        for bond in open {
            losses.entry(Arc::clone(&bond.client)).or_default().add(Losses::of(&bond.association.paths()));
        }
        losses
    }

    fn leave(&self, number: u64) {
        let mut register = self.lock();
        let Some(bond) = register.open.remove(&number) else { return };
        let (links, losses) = (bond.association.links(), Losses::of(&bond.association.paths()));
        links.iter().for_each(|link| register.keep(link.into()));
        register.losses.entry(Arc::clone(&bond.client)).or_default().add(losses);
        drop(register);
        // The last handle may be this one: it must not be dropped under the lock.
        drop(bond);
    }

    fn lock(&self) -> MutexGuard<'_, Register> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Register {
    /// The name of a client. Beyond [`MOST_CLIENTS`] names, further clients share one.
    fn client(&mut self, name: &str) -> Arc<str> {
        if let Some((known, _)) = self.losses.get_key_value(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = if self.losses.len() < MOST_CLIENTS { name.into() } else { OTHERS.into() };
        self.losses.entry(Arc::clone(&name)).or_default();
        name
    }

    /// Keeps a link of a bond that has ended.
    fn keep(&mut self, link: Link) {
        if self.links.len() >= MOST_LINKS && !self.links.contains_key(&link.name) {
            return;
        }
        match self.links.get_mut(&link.name) {
            Some(earlier) if !self.shares_links => {
                *earlier = Link {
                    sent: earlier.sent + link.sent,
                    received: earlier.received + link.received,
                    ..link
                };
            }
            _ => drop(self.links.insert(link.name.clone(), link)),
        }
    }
}

/// The present links with the bytes of earlier bonds, then those of earlier bonds alone.
fn merged(mut present: Vec<Link>, mut earlier: BTreeMap<String, Link>, shares_links: bool) -> Vec<Link> {
    for link in &mut present {
        if let Some(before) = earlier.remove(&link.name)
            && !shares_links
        {
            link.sent += before.sent;
            link.received += before.received;
        }
    }
    // Each bond has the whole limit.
    let unused =
        |link| if shares_links { link } else { Link { used: ByteCount::ZERO, is_used_up: false, ..link } };
    present.extend(earlier.into_values().map(unused));
    present
}

impl From<&LinkReport> for Link {
    fn from(report: &LinkReport) -> Link {
        Link {
            name: report.name.clone(),
            role: report.role,
            most: report.most,
            used: report.charged(),
            is_used_up: report.is_used_up,
            sent: report.sent,
            received: report.received,
        }
    }
}

impl OpenBond {
    /// The paths that exist.
    pub(super) fn paths(&self) -> Vec<PathReport> {
        let mut paths = self.association.paths();
        paths.retain(|path| path.sample.state != PathState::Removed);
        paths
    }
}

impl Losses {
    fn of(paths: &[PathReport]) -> Losses {
        let mut sum = Losses::default();
        for path in paths {
            let (retransmitted_chunks, timeouts) =
                (path.counters.retransmitted_chunks, path.counters.timeouts);
            sum.add(Losses { retransmitted_chunks, timeouts });
        }
        sum
    }

    fn add(&mut self, more: Losses) {
        self.retransmitted_chunks += more.retransmitted_chunks;
        self.timeouts += more.timeouts;
    }
}

impl Drop for Bond {
    fn drop(&mut self) {
        self.bonds.leave(self.number);
    }
}

/// The clients that are counted one by one.
const MOST_CLIENTS: usize = 1000;
/// The name of all further clients.
const OTHERS: &str = "other";
/// The links that are remembered.
const MOST_LINKS: usize = 256;

#[cfg(test)]
mod tests;
