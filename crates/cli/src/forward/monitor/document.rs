//! The answer to `anabranch status`: two views of the program a second apart, and the rates between them.

use std::collections::HashMap;
use std::time::Duration;

use anabranch_base::setting::Named as _;
use anabranch_forward::{Carried, ClientReport, FlowReport, LedgerReport, Sample, Totals};
use anabranch_net::{PathId, PathReport, interfaces};
use anabranch_observe::Body;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::Monitor;
use super::bonds::{Link, OpenBond};
use super::ends::Ends;
use crate::status::answer::{
    Answer, BondAnswer, ClientAnswer, FlowAnswer, LinkAnswer, PathAnswer, TotalsAnswer,
};
use crate::status::judged;

/// The state of the program, with the rates of the second that this takes.
pub(super) async fn of(monitor: &Monitor) -> Value {
    let before = Before::of(monitor);
    sleep(WINDOW).await;
    Body::of(&before.answer(monitor)).value(None)
}

/// The first view.
struct Before {
    at: Instant,
    flows: Sample,
    /// The user data that each path has sent and received.
    paths: HashMap<(u64, PathId), (u64, u64)>,
}

impl Before {
    fn of(monitor: &Monitor) -> Before {
        let paths = monitor.bonds.open().into_iter().take(MOST_BONDS).flat_map(|bond| {
            let number = bond.number;
            bond.paths().into_iter().map(move |path| ((number, path.id), data(&path)))
        });
        let paths = paths.collect();
        Before { at: Instant::now(), flows: monitor.ledger.sample(), paths }
    }

    fn answer(&self, monitor: &Monitor) -> Answer {
        let (open, links) = (monitor.bonds.open(), monitor.bonds.links());
        let known = interfaces().unwrap_or_default();
        let LedgerReport { span, flows, more_flows, clients } =
            monitor.ledger.report(&self.flows, MOST_FLOWS);
        let ends = Ends { links: &links, known: &known };
        Answer {
            role: if monitor.serves { "destinations" } else { "programs" }.to_owned(),
            pid: std::process::id(),
            uptime_s: monitor.since.elapsed().as_secs_f64(),
            window_s: span.as_secs_f64(),
            bonds: open.iter().take(MOST_BONDS).map(|bond| self.bond(bond, &ends)).collect(),
            more_bonds: open.len().saturating_sub(MOST_BONDS),
            links: links.iter().map(link).collect(),
            totals: sum(&clients, span),
            clients: clients.iter().filter(|_| monitor.serves).map(|one| client(one, span)).collect(),
            flows: flows.iter().map(|one| flow(one, span)).collect(),
            more_flows,
        }
    }

    fn bond(&self, bond: &OpenBond, ends: &Ends<'_>) -> BondAnswer {
        let span = self.at.elapsed();
        let answer = |report: &PathReport| {
            let (sent, received) = self.paths.get(&(bond.number, report.id)).copied().unwrap_or_default();
            let now = data(report);
            PathAnswer {
                sent_bps: bps(now.0.saturating_sub(sent), span),
                received_bps: bps(now.1.saturating_sub(received), span),
                ..path(report, ends)
            }
        };
        let reports = bond.paths();
        let seen = reports.iter().map(|report| {
            let local = report.addresses.local.ip().to_string();
            judged::seen(report, ends.link_of(report).unwrap_or(&local))
        });
        BondAnswer {
            peer: bond.peer.to_string(),
            connected_s: bond.since.elapsed().as_secs_f64(),
            finding: judged::finding(seen.collect()),
            paths: reports.iter().map(answer).collect(),
        }
    }
}

/// The path, without rates.
fn path(path: &PathReport, ends: &Ends<'_>) -> PathAnswer {
    let counters = &path.counters;
    PathAnswer {
        link: ends.link_of(path).map(str::to_owned),
        local: path.addresses.local.to_string(),
        remote: path.addresses.remote.to_string(),
        state: path.sample.state.name().to_owned(),
        rtt_s: path.sample.srtt.map(anabranch_base::Duration::as_secs_f64),
        cwnd_bytes: path.sample.cwnd.get(),
        sent_packets: counters.sent_packets,
        sent_bytes: counters.sent_bytes.get(),
        received_packets: counters.received_packets,
        received_bytes: counters.received_bytes.get(),
        retransmitted_chunks: counters.retransmitted_chunks,
        fast_retransmits: counters.fast_retransmits,
        timeouts: counters.timeouts,
        ..PathAnswer::default()
    }
}

fn data(path: &PathReport) -> (u64, u64) {
    (path.counters.sent_bytes.get(), path.counters.received_bytes.get())
}

fn link(link: &Link) -> LinkAnswer {
    LinkAnswer {
        name: link.name.clone(),
        role: link.role.word().to_owned(),
        charged_bytes: (link.sent + link.received).get(),
        sent_bytes: link.sent.get(),
        received_bytes: link.received.get(),
        max_bytes: link.most.map(anabranch_base::ByteCount::get),
        used_bytes: link.used.get(),
        used_up: link.is_used_up,
    }
}

fn flow(flow: &FlowReport, span: Duration) -> FlowAnswer {
    FlowAnswer {
        id: flow.number,
        kind: flow.kind.word().to_owned(),
        client: flow.client.clone(),
        destination: flow.destination.as_ref().map(ToString::to_string),
        open_s: flow.age.as_secs_f64(),
        sent_bytes: flow.carried.sent.get(),
        received_bytes: flow.carried.received.get(),
        sent_bps: bps(flow.recent.sent.get(), span),
        received_bps: bps(flow.recent.received.get(), span),
    }
}

fn client(client: &ClientReport, span: Duration) -> ClientAnswer {
    let totals = totals(&client.totals, client.open, client.recent, span);
    ClientAnswer { name: client.name.to_string(), totals }
}

fn sum(clients: &[ClientReport], span: Duration) -> TotalsAnswer {
    let (mut all, mut recent) = (Totals::default(), Carried::default());
    for client in clients {
        all += client.totals;
        recent += client.recent;
    }
    totals(&all, clients.iter().map(|client| client.open).sum(), recent, span)
}

fn totals(totals: &Totals, flows_open: u64, recent: Carried, span: Duration) -> TotalsAnswer {
    let refused = totals.refused().filter(|(_, count)| *count > 0);
    TotalsAnswer {
        flows_open,
        flows_opened: totals.opened().map(|(_, count)| count).sum(),
        flows_broken: totals.broken,
        flows_refused: refused.map(|(reply, count)| (reply.word().to_owned(), count)).collect(),
        sent_bytes: totals.carried.sent.get(),
        received_bytes: totals.carried.received.get(),
        sent_bps: bps(recent.sent.get(), span),
        received_bps: bps(recent.received.get(), span),
    }
}

fn bps(bytes: u64, span: Duration) -> f64 {
    // Two views cannot be at the same time, but a span may be short where the machine is busy.
    if span.is_zero() { 0.0 } else { bytes as f64 * 8.0 / span.as_secs_f64() }
}

/// The time over which rates are measured.
const WINDOW: Duration = Duration::from_secs(1);
/// The flows and bonds of an answer; further ones are counted.
const MOST_FLOWS: usize = 1000;
const MOST_BONDS: usize = 1000;
