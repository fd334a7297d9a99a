//! Views of a ledger: its flows and clients, with the bytes of each since a sample.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Account, Books, Carried, FlowKind, Ledger, OpenFlow, Totals};
use crate::destination::Destination;

/// The bytes of each flow and client at a time.
#[derive(Debug)]
pub struct Sample {
    at: Instant,
    flows: HashMap<u64, Carried>,
    clients: BTreeMap<Arc<str>, Account>,
}

/// The flows and clients of an end.
#[derive(Clone, Debug)]
pub struct LedgerReport {
    /// The time since the sample.
    pub span: Duration,
    /// The flows that carried most since the sample, the largest first.
    pub flows: Vec<FlowReport>,
    /// The number of further flows.
    pub more_flows: usize,
    /// The clients by their names.
    pub clients: Vec<ClientReport>,
}

/// An open flow.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// The number of the flow, which is not used again.
    pub number: u64,
    /// The kind.
    pub kind: FlowKind,
    /// The address of the program, or the name of the client.
    pub client: String,
    /// The destination; of datagrams the first one, once known.
    pub destination: Option<Destination>,
    /// The time since it was opened.
    pub age: Duration,
    /// The bytes so far.
    pub carried: Carried,
    /// The bytes among them since the sample.
    pub recent: Carried,
}

/// The flows of a client together.
#[derive(Clone, Debug)]
pub struct ClientReport {
    /// The name.
    pub name: Arc<str>,
    /// The number of open flows.
    pub open: u64,
    /// The totals since the start.
    pub totals: Totals,
    /// The bytes since the sample.
    pub recent: Carried,
}

impl Ledger {
    /// The bytes of each flow and client at present.
    pub fn sample(&self) -> Sample {
        let books = self.lock();
        let carried = |(number, flow): (&u64, &OpenFlow)| (*number, flow.traffic.carried());
        Sample {
            at: Instant::now(),
            flows: books.flows.iter().map(carried).collect(),
            clients: books.totals(),
        }
    }

    /// The clients and, at most `most`, the flows that carried most since `before`.
    pub fn report(&self, before: &Sample, most: usize) -> LedgerReport {
        let books = self.lock();
        let mut by_size: Vec<(Size, u64)> =
            books.flows.iter().map(|(number, flow)| (Size::of(*number, flow, before), *number)).collect();
        by_size.sort_unstable_by_key(|(size, number)| (Reverse(*size), *number));
        let shown = by_size.iter().take(most);
        let flows =
            shown.filter_map(|(_, number)| Some(flow_report(*number, books.flows.get(number)?, before)));
        LedgerReport {
            span: before.at.elapsed(),
            flows: flows.collect(),
            more_flows: by_size.len().saturating_sub(most),
            clients: clients(&books, before),
        }
    }
}

/// The order of flows: by the bytes since the sample, then by all bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Size(u64, u64);

impl Size {
    fn of(number: u64, flow: &OpenFlow, before: &Sample) -> Size {
        let carried = flow.traffic.carried();
        Size(recent(number, carried, before).sum().get(), carried.sum().get())
    }
}

fn recent(number: u64, carried: Carried, before: &Sample) -> Carried {
    carried.since(before.flows.get(&number).copied().unwrap_or_default())
}

fn flow_report(number: u64, flow: &OpenFlow, before: &Sample) -> FlowReport {
    let carried = flow.traffic.carried();
    FlowReport {
        number,
        kind: flow.kind,
        client: flow.client.clone(),
        destination: flow.traffic.destination().cloned(),
        age: flow.since.elapsed(),
        carried,
        recent: recent(number, carried, before),
    }
}

fn clients(books: &Books, before: &Sample) -> Vec<ClientReport> {
    let report = |(name, account): (Arc<str>, Account)| {
        let earlier = before.clients.get(&name).map(|account| account.ended.carried).unwrap_or_default();
        let recent = account.ended.carried.since(earlier);
        ClientReport { name, open: account.open, totals: account.ended, recent }
    };
    books.totals().into_iter().map(report).collect()
}
