//! The ledger of an end: its open flows, the bytes of each, and the totals since the start. Messages are counted by atomic
//! operations; a lock is held only when a flow opens or ends, and for a view.

mod totals;
mod traffic;
mod view;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::socks::Reply;

pub use totals::{Carried, FlowKind, Totals};
pub(crate) use traffic::Traffic;
pub use view::{ClientReport, FlowReport, LedgerReport, Sample};

/// The flows of an end. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<Books>>);

#[derive(Debug, Default)]
struct Books {
    /// The open flows by their numbers, which are not used again.
    flows: HashMap<u64, OpenFlow>,
    opened: u64,
    clients: BTreeMap<Arc<str>, Account>,
}

#[derive(Debug)]
struct OpenFlow {
    kind: FlowKind,
    /// The name under which its client is counted.
    account: Arc<str>,
    /// The client, as the log names it.
    client: String,
    since: Instant,
    traffic: Arc<Traffic>,
}

/// A client's open flows, and its totals without them.
#[derive(Clone, Debug, Default)]
struct Account {
    open: u64,
    ended: Totals,
}

/// A flow that opens.
#[derive(Debug)]
pub(crate) struct NewFlow<'a> {
    pub(crate) kind: FlowKind,
    /// The name under which its client is counted.
    pub(crate) account: &'a str,
    /// The client, as the log names it.
    pub(crate) client: String,
}

/// An open flow in a ledger. One that is dropped without [`finish`](Entry::finish) counts as broken, unless it carries
/// datagrams.
#[derive(Debug)]
pub(crate) struct Entry {
    ledger: Ledger,
    number: u64,
    has_finished: bool,
}

impl Ledger {
    /// Counts a client from now on, which may have no flow for long.
    pub(crate) fn expect(&self, account: &str) {
        let mut books = self.lock();
        let account = books.named(account);
        books.account(&account);
    }

    /// Enters a flow that is open.
    pub(crate) fn enter(&self, new: NewFlow<'_>, traffic: &Arc<Traffic>) -> Entry {
        let NewFlow { kind, account, client } = new;
        let mut books = self.lock();
        let number = books.opened;
        books.opened += 1;
        let account = books.named(account);
        let totals = books.account(&account);
        totals.open += 1;
        totals.ended.on_opened(kind);
        let flow = OpenFlow { kind, account, client, since: Instant::now(), traffic: Arc::clone(traffic) };
        books.flows.insert(number, flow);
        Entry { ledger: self.clone(), number, has_finished: false }
    }

    /// Counts a flow that was not opened.
    pub(crate) fn on_refused(&self, account: &str, reply: Reply) {
        let mut books = self.lock();
        let account = books.named(account);
        books.account(&account).ended.on_refused(reply);
    }

    fn close(&self, number: u64, has_finished: bool) {
        let mut books = self.lock();
        let Some(flow) = books.flows.remove(&number) else { return };
        let account = books.account(&flow.account);
        account.open -= 1;
        account.ended.carried += flow.traffic.carried();
        if !has_finished && flow.kind != FlowKind::Datagrams {
            account.ended.broken += 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    /// The name of an account. Beyond [`MOST_CLIENTS`] names, further clients share one.
    fn named(&self, account: &str) -> Arc<str> {
        match self.clients.get_key_value(account) {
            Some((known, _)) => Arc::clone(known),
            None if self.clients.len() < MOST_CLIENTS => account.into(),
            None => OTHERS.into(),
        }
    }

    fn account(&mut self, name: &Arc<str>) -> &mut Account {
        self.clients.entry(Arc::clone(name)).or_default()
    }

    /// The totals of a client with its open flows.
    fn totals(&self) -> BTreeMap<Arc<str>, Account> {
        let mut all = self.clients.clone();
        for flow in self.flows.values() {
            if let Some(account) = all.get_mut(&flow.account) {
                account.ended.carried += flow.traffic.carried();
            }
        }
        all
    }
}

impl Entry {
    /// Ends a flow whose directions have both finished.
    pub(crate) fn finish(mut self) {
        self.has_finished = true;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.ledger.close(self.number, self.has_finished);
    }
}

/// The clients that are counted one by one.
const MOST_CLIENTS: usize = 1000;
/// The name of all further clients.
const OTHERS: &str = "other";

#[cfg(test)]
mod tests;
