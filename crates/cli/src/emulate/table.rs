//! Prints the result of an emulation as a table.

use anabranch_base::Duration;
use anabranch_emulate::{PathReport, RelayReport, SideReport};

use crate::report::{head, lay_out_narrow};

/// The links, and how late the relay was.
pub(crate) fn relayed(report: &RelayReport) -> String {
    let Some(time) = report.time else { return "No datagram was received.\n".to_owned() };
    let rows = report
        .links
        .iter()
        .flat_map(|link| [row(&link.name, "there", &link.forward), row(&link.name, "back", &link.reverse)]);
    let head = head(["link", "way", "packets", "lost", "queue drops", "used"]);
    let table = lay_out_narrow(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 2, &[]);
    let refused: u64 = report.paths.iter().map(PathReport::refused).sum();
    let unsent: u64 = report.paths.iter().map(|path| path.forward.unsent + path.reverse.unsent).sum();
    let dropped = report.kernel_drops.unwrap_or(0);
    let troubles = [
        (refused, "datagrams were refused because a path had too many clients"),
        (unsent, "datagrams were refused by the operating system"),
        (dropped, "datagrams were dropped by the kernel before they could be read"),
    ];
    let troubles = troubles.iter().filter(|(count, _)| *count > 0);
    let troubles: String = troubles.map(|(count, what)| format!("{count} {what}.\n")).collect();
    let timing = report.timing;
    format!(
        "{table}\n{:.1} s since the first datagram. Packets left late by {} (half of them), {} (99 of 100), {} (the \
         latest).\n{troubles}",
        time.as_secs_f64(),
        fine(timing.p50),
        fine(timing.p99),
        fine(timing.max),
    )
}

fn row(name: &str, direction: &str, side: &SideReport) -> Vec<String> {
    let counters = side.counters;
    vec![
        name.to_owned(),
        direction.to_owned(),
        counters.arrived.to_string(),
        counters.lost.to_string(),
        counters.queue_drops.to_string(),
        format!("{:.1} %", side.utilisation * 100.0),
    ]
}

/// `0.012 ms`.
pub(super) fn fine(span: Duration) -> String {
    format!("{:.3} ms", span.as_secs_f64() * 1e3)
}
