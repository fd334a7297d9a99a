//! The state of a program as tables for people: links, bonds, clients, flows, totals.

use anabranch_base::{BitRate, ByteCount, Duration};

use super::answer::{Answer, BondAnswer, ClientAnswer, FlowAnswer, LinkAnswer, PathAnswer, TotalsAnswer};
use crate::failure::printable;
use crate::meter::rounded_time;
use crate::report::{head, lay_out_narrow, milliseconds, optional_columns};

/// The block of a program, of about [`LINES`] lines, each at most 80 characters wide.
pub(super) fn block(answer: &Answer) -> String {
    let parts = [title(answer), bonds(answer), links(&answer.links), clients(&answer.clients)];
    let mut text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    let room = LINES.saturating_sub(text.lines().count() + AROUND_FLOWS).max(FEWEST_FLOWS);
    let flows = flows(answer, room);
    if !flows.is_empty() {
        text = format!("{text}\n{flows}");
    }
    format!("{text}\n{}", totals(&answer.totals))
}

fn title(answer: &Answer) -> String {
    let Answer { pid, uptime_s, .. } = answer;
    let end = match answer.role.as_str() {
        "destinations" => "forward --serve",
        _ => "forward",
    };
    format!("anabranch {end}, process {pid}, up for {}\n", time(*uptime_s))
}

/// The paths of all bonds. A single bond is named above them.
fn bonds(answer: &Answer) -> String {
    let (line, has_one) = match &answer.bonds[..] {
        [] => return "no bond at present\n".to_owned(),
        [only] => (format!("bond with {}, connected for {}", text(&only.peer), time(only.connected_s)), true),
        all => (format!("{} bonds", all.len() + answer.more_bonds), false),
    };
    let rows = answer.bonds.iter().flat_map(|bond| bond.paths.iter().map(move |path| (bond, path)));
    let rows = rows.map(|(bond, path)| path_row(bond, path)).collect();
    let states = answer.bonds.iter().flat_map(|bond| &bond.paths).map(|path| path.state.as_str());
    let optional = optional_columns(states, &["resent", "window", "RTT"]);
    let columns = head(["peer", "link", "state", "RTT", "window", "sending", "receiving", "resent"]);
    let table = Table { columns, rows, texts: 3, optional, most: MOST_PATHS, what: "paths" };
    let table = if has_one { table.without_first() } else { table }.lay_out();
    format!("{line}\n{table}{}", bond_findings(&answer.bonds))
}

/// The finding on each bond, a line each; with the peer if there are several bonds.
fn bond_findings(bonds: &[BondAnswer]) -> String {
    let found = bonds.iter().filter_map(|bond| Some((bond, text(bond.finding.as_deref()?))));
    let lines = found.map(|(bond, said)| match bonds.len() {
        1 => said + "\n",
        _ => format!("{}: {said}\n", text(&bond.peer)),
    });
    lines.take(MOST_FINDINGS).collect()
}

fn path_row(bond: &BondAnswer, path: &PathAnswer) -> Vec<String> {
    // A link with several paths is told apart by their ends.
    let link = path.link.as_deref().unwrap_or(&path.local);
    let is_shared = bond.paths.iter().filter(|other| other.link == path.link).count() > 1;
    let link = if is_shared { format!("{link} → {}", path.remote) } else { link.to_owned() };
    vec![
        text(&bond.peer),
        text(&link),
        text(&path.state),
        path.rtt_s.map_or("-".to_owned(), |rtt| milliseconds(span(rtt))),
        bytes(path.cwnd_bytes),
        rate(path.sent_bps),
        rate(path.received_bps),
        path.retransmitted_chunks.to_string(),
    ]
}

fn links(links: &[LinkAnswer]) -> String {
    let row = |link: &LinkAnswer| {
        let [charged, sent, received] = [link.charged_bytes, link.sent_bytes, link.received_bytes].map(bytes);
        vec![text(&link.name), charged, sent, received, in_words(link)]
    };
    let columns = head(["link", "charged", "sent", "received", "use"]);
    let rows = links.iter().map(row).collect();
    Table { columns, rows, texts: 1, optional: Vec::new(), most: MOST_PATHS, what: "links" }.lay_out()
}

fn in_words(link: &LinkAnswer) -> String {
    let role = (link.role != "ordinary").then(|| text(&link.role));
    let most = link.max_bytes.map(|most| {
        if link.used_up {
            format!("max {}, used up", bytes(most))
        } else {
            format!("{} of max {}", bytes(link.used_bytes), bytes(most))
        }
    });
    let words: Vec<String> = role.into_iter().chain(most).collect();
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}

fn clients(clients: &[ClientAnswer]) -> String {
    let mut all: Vec<&ClientAnswer> = clients.iter().collect();
    let size = |one: &ClientAnswer| one.totals.sent_bps + one.totals.received_bps;
    all.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let row = |client: &&ClientAnswer| {
        let TotalsAnswer { flows_open, flows_refused, sent_bytes, received_bytes, .. } = &client.totals;
        vec![
            text(&client.name),
            flows_open.to_string(),
            rate(client.totals.sent_bps),
            rate(client.totals.received_bps),
            bytes(*sent_bytes),
            bytes(*received_bytes),
            flows_refused.values().sum::<u64>().to_string(),
        ]
    };
    let columns = head(["client", "flows", "sending", "receiving", "sent", "received", "refused"]);
    let rows = all.iter().map(row).collect();
    Table { columns, rows, texts: 1, optional: vec!["refused"], most: MOST_CLIENTS, what: "clients" }
        .lay_out()
}

fn flows(answer: &Answer, room: usize) -> String {
    let row = |flow: &FlowAnswer| {
        vec![
            text(&flow.kind),
            text(&flow.client),
            flow.destination.as_deref().map_or("-".to_owned(), text),
            rate(flow.sent_bps),
            rate(flow.received_bps),
            bytes(flow.sent_bytes.saturating_add(flow.received_bytes)),
            time(flow.open_s),
        ]
    };
    let columns = head(["flow", "from", "to", "sending", "receiving", "carried", "open for"]);
    let rows: Vec<_> = answer.flows.iter().take(room).map(row).collect();
    let more = answer.flows.len() - rows.len() + answer.more_flows;
    let table =
        Table { columns, rows, texts: 3, optional: vec!["open for"], most: room, what: "flows" }.lay_out();
    if more > 0 { format!("{table}and {more} more flows\n") } else { table }
}

fn totals(totals: &TotalsAnswer) -> String {
    let TotalsAnswer { flows_open, flows_opened, flows_broken, flows_refused, .. } = totals;
    let reasons: Vec<String> =
        flows_refused.iter().map(|(reason, count)| format!("{} {count}", text(reason))).collect();
    let refused = match flows_refused.values().sum::<u64>() {
        0 => "none refused".to_owned(),
        sum => format!("{sum} refused ({})", reasons.join(", ")),
    };
    format!(
        "flows: {flows_open} open, {flows_opened} opened, {flows_broken} broken, {refused}\n\
         sent {} ({}), received {} ({})\n",
        bytes(totals.sent_bytes),
        rate(totals.sent_bps),
        bytes(totals.received_bytes),
        rate(totals.received_bps)
    )
}

/// A table of at most some rows.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    texts: usize,
    optional: Vec<&'static str>,
    most: usize,
    /// The rows, in the plural.
    what: &'static str,
}

impl Table {
    fn without_first(mut self) -> Table {
        self.columns.remove(0);
        self.rows.iter_mut().for_each(|row| drop(row.remove(0)));
        Table { texts: self.texts - 1, ..self }
    }

    fn lay_out(self) -> String {
        let Table { columns, rows, texts, optional, most, what } = self;
        if rows.is_empty() {
            return String::new();
        }
        let more = rows.len().saturating_sub(most);
        let rows: Vec<_> = std::iter::once(columns).chain(rows.into_iter().take(most)).collect();
        let table = lay_out_narrow(&rows, texts, &optional);
        if more > 0 { format!("{table}and {more} more {what}\n") } else { table }
    }
}

/// Text that another host may have written, at most as long as a name of the DNS.
fn text(text: &str) -> String {
    printable(text).replace('\n', " ").chars().take(255).collect()
}

fn bytes(count: u64) -> String {
    ByteCount::new(count).rounded()
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps.max(0.0) as u64).to_string()
}

fn time(seconds: f64) -> String {
    rounded_time(span(seconds))
}

fn span(seconds: f64) -> Duration {
    Duration::from_nanos((seconds.clamp(0.0, 1e9) * 1e9) as u64)
}

/// The lines of a block, where its tables are no longer.
const LINES: usize = 20;
/// The head of the table of flows, the line for further ones, and the totals.
const AROUND_FLOWS: usize = 5;
const FEWEST_FLOWS: usize = 5;
const MOST_PATHS: usize = 12;
const MOST_FINDINGS: usize = 5;
const MOST_CLIENTS: usize = 5;

#[cfg(test)]
mod tests;
