//! The results shown in the tables of a report, each with its label, meaning and value.

use anabranch_base::Duration;
use anabranch_base::counter::{Counter, PageRow, Shown};
use anabranch_link::config::{Delay, LinkConfig, Rate};
use anabranch_scenario::Scenario;
use anabranch_sim::result::{
    DelayResult, DirectionResult, FlowResult, PathCounters, PathResult, RunResult, StationResult,
};

use super::table::{CellValue, Measured, Quantity, ReportTable};

/// The most items side by side; more are listed below one another.
const SIDE_BY_SIDE: usize = 4;

/// A flow's result, and the time for which it was slow, from the series, which cover the first flows.
struct FlowRow {
    flow: FlowResult,
    slow: Option<Duration>,
}

/// The results of flows; `slow` are the times for which each was slow.
pub(super) fn flows(result: &RunResult, slow: &[Option<Duration>]) -> ReportTable {
    let slow = slow.iter().copied().chain(std::iter::repeat(None));
    let rows = result.flows.iter().zip(slow).map(|(flow, slow)| FlowRow { flow: flow.clone(), slow });
    let rows: Vec<FlowRow> = rows.collect();
    let items: Vec<(String, &FlowRow)> = rows.iter().map(|row| (row.flow.name.clone(), row)).collect();
    lay_out("Flow", &measured(FLOW, &items), &names(&items))
}

/// The results of paths, as far as packets show them.
pub(super) fn paths(result: &RunResult) -> ReportTable {
    let paths = all_paths(result);
    let quantities = [
        measured(PATH_START, &paths),
        counted(PathCounters::TRAFFIC, &paths, CellValue::Count),
        measured(PATH_LOST, &paths),
        counted(PathCounters::RESENT, &paths, CellValue::Count),
        counted(PathCounters::LOSSES, &paths, CellValue::Count),
        counted(PathCounters::MARKS, &paths, rare),
        measured(PATH_END, &paths),
    ];
    lay_out("Path", &quantities.concat(), &names(&paths))
}

/// The results of links.
pub(super) fn links(scenario: &Scenario, result: &RunResult) -> ReportTable {
    let rows: Vec<(String, LinkRow)> = result
        .links
        .iter()
        .zip(&scenario.links)
        .flat_map(|(link, of)| {
            let directions =
                [("forward", &link.forward, &of.forward), ("reverse", &link.reverse, &of.reverse)];
            directions.map(|(direction, did, config)| {
                (format!("{} {direction}", link.name), LinkRow::of(did, config))
            })
        })
        .collect();
    let items: Vec<(String, &LinkRow)> = rows.iter().map(|(name, row)| (name.clone(), row)).collect();
    ReportTable::by_item("Link", &measured(LINK, &items), &names(&items))
}

/// A direction of a link: its settings and its results.
struct LinkRow {
    did: DirectionResult,
    rate: CellValue,
    delay: CellValue,
}

impl LinkRow {
    /// Constant settings are shown; others are said to vary.
    fn of(did: &DirectionResult, config: &LinkConfig) -> LinkRow {
        let rate = match &config.rate {
            Rate::Fixed(rate) => CellValue::Rate(rate.bits_per_second() as f64),
            Rate::Steps(_) => CellValue::Words("steps".to_owned()),
            Rate::Trace(_) => CellValue::Words("trace".to_owned()),
        };
        let delay = match &config.delay {
            Delay::Fixed(delay) => CellValue::Seconds(delay.as_secs_f64()),
            Delay::Steps(_) => CellValue::Words("steps".to_owned()),
        };
        LinkRow { did: *did, rate, delay }
    }
}

/// The results of mesh stations.
pub(super) fn stations(result: &RunResult) -> ReportTable {
    let has_channels = result.stations.iter().any(|station| station.radio != result.stations[0].radio);
    let name = |station: &StationResult| {
        if has_channels { format!("{} · {}", station.name, station.radio) } else { station.name.clone() }
    };
    let items: Vec<_> = result.stations.iter().map(|station| (name(station), station)).collect();
    ReportTable::by_item("Station", &measured(STATION, &items), &names(&items))
}

/// The paths of all flows, named with their flow where there are several.
pub(crate) fn all_paths(result: &RunResult) -> Vec<(String, &PathResult)> {
    let name = |flow: &FlowResult, path: &PathResult| match result.flows.len() {
        0 | 1 => path.name.clone(),
        _ => format!("{} · {}", flow.name, path.name),
    };
    let flows = result.flows.iter();
    flows.flat_map(|flow| flow.paths.iter().map(move |path| (name(flow, path), path))).collect()
}

fn lay_out(corner: &'static str, quantities: &[Measured], names: &[String]) -> ReportTable {
    match names.len() {
        0..=SIDE_BY_SIDE => ReportTable::by_quantity(corner, quantities, names),
        _ => ReportTable::by_item(corner, quantities, names),
    }
}

fn names<T>(items: &[(String, &T)]) -> Vec<String> {
    items.iter().map(|(name, _)| name.clone()).collect()
}

fn measured<T>(quantities: &[Quantity<T>], items: &[(String, &T)]) -> Vec<Measured> {
    quantities.iter().map(|quantity| quantity.of(items.iter().map(|(_, item)| *item))).collect()
}

const FLOW: &[Quantity<FlowRow>] = &[
    quantity("Protocol", "what carries it", |row| CellValue::Words(row.flow.protocol.to_owned())),
    quantity("Goodput", "user data delivered per second, in order and once, after the warm-up", |row| {
        CellValue::Rate(row.flow.goodput_bps)
    }),
    quantity("Delivered", "user data in total", |row| CellValue::Bytes(row.flow.delivered.get() as f64)),
    quantity("Completion", "from the flow's start to the last byte's delivery", |row| {
        seconds(row.flow.completion)
    }),
    quantity("First data", "when the first data was delivered, from the start of the run", |row| {
        seconds(row.flow.first_data)
    }),
    quantity("Delay, median", "from send to delivery: half took no longer", |row| {
        delay(&row.flow, |delay| delay.p50)
    }),
    quantity("Delay, 95 %", "95 of 100 took no longer", |row| delay(&row.flow, |delay| delay.p95)),
    quantity("Delay, 99 %", "99 of 100 took no longer", |row| delay(&row.flow, |delay| delay.p99)),
    quantity("Delay, longest", "the maximum", |row| delay(&row.flow, |delay| delay.max)),
    quantity("Longest stall", "the longest time without a delivery", |row| {
        seconds(Some(row.flow.longest_stall))
    }),
    quantity(
        "Below a tenth of its usual rate",
        "between the first and the last delivery; usual is the median over windows of a tenth of a second",
        |row| seconds(row.slow),
    ),
    quantity("Blocked", "data and congestion window, but no receive window", |row| {
        seconds(Some(row.flow.blocked))
    }),
    quantity(
        "Most out of order",
        "the maximum held at the receiver that could not yet be delivered",
        |row| CellValue::Bytes(row.flow.reorder_bytes_max.get() as f64),
    ),
    quantity(
        "Bytes sent per byte delivered",
        "by both hosts, all headers included (T-R ratio), after the warm-up",
        |row| row.flow.tr_ratio.map_or(CellValue::Missing, |ratio| CellValue::Words(format!("{ratio:.4}"))),
    ),
    quantity("Failure", "why the transport gave up", |row| {
        row.flow.failure.clone().map_or(CellValue::Missing, CellValue::Words)
    }),
];

const PATH_START: &[Quantity<PathResult>] = &[
    quantity("State at the end", "as the sender sees it", |path| {
        CellValue::Words(path.state.name().to_owned())
    }),
    quantity("Goodput", "user data per second that arrived first on this path, after the warm-up", |path| {
        CellValue::Rate(path.goodput_bps)
    }),
];

const PATH_LOST: &[Quantity<PathResult>] =
    &[quantity("Packets lost", "packets of the sender lost in transit", |path| {
        CellValue::Count(path.lost_packets)
    })];

const PATH_END: &[Quantity<PathResult>] = &[
    quantity("Mean RTT", "of the round-trip times measured", |path| {
        path.mean_rtt_s.map_or(CellValue::Missing, CellValue::Seconds)
    }),
    quantity("Mean window", "congestion window, averaged over time", |path| {
        CellValue::Bytes(path.mean_cwnd_bytes)
    }),
];

/// The counters of a table that pages show; `count` formats them.
fn counted(
    table: &[Counter<PathCounters>],
    paths: &[(String, &PathResult)],
    count: fn(u64) -> CellValue,
) -> Vec<Measured> {
    let shown = table.iter().filter(|counter| counter.shown.includes(Shown::Simulations));
    let measured = shown.filter_map(|counter| {
        let (label, meaning) = match counter.row {
            PageRow::Named => (sentence_case(counter.name), counter.meaning),
            PageRow::Worded(label, meaning) => (label.to_owned(), meaning),
            PageRow::Absent => return None,
        };
        let value = |(_, path): &(_, &PathResult)| match (counter.read)(&path.counters) {
            bytes if counter.unit == "B" => CellValue::Bytes(bytes as f64),
            number => count(number),
        };
        Some(Measured { label, meaning, values: paths.iter().map(value).collect() })
    });
    measured.collect()
}

/// `tail_probes` as a label: `Tail probes`.
fn sentence_case(name: &str) -> String {
    let words = name.replace('_', " ");
    let (first, rest) = words.split_at(words.len().min(1));
    first.to_uppercase() + rest
}

const LINK: &[Quantity<LinkRow>] = &[
    quantity("Rate", "of the line, as the scenario has it", |link| link.rate.clone()),
    quantity("Delay", "of propagation, one way, without queue and transmission", |link| link.delay.clone()),
    quantity("Utilisation", "used share of the transmission capacity", |link| {
        CellValue::Share(link.did.utilisation)
    }),
    quantity("Packets arrived", "at the other end of the link", |link| CellValue::Count(link.did.packets)),
    quantity("Lost", "lost by the loss rule or while the link was down", |link| {
        CellValue::Count(link.did.lost)
    }),
    quantity("Mean queue", "packets that waited, averaged over time", |link| {
        CellValue::Words(format!("{:.2}", link.did.mean_queue_packets))
    }),
    quantity("Queue full", "packets that found its queue full", |link| {
        CellValue::Count(link.did.queue_drops)
    }),
    quantity("Marked", "packets marked by its queue", |link| rare(link.did.marked)),
    quantity("Duplicated", "duplicates made by the link", |link| rare(link.did.duplicated)),
    quantity("Damaged", "packets damaged by the link", |link| rare(link.did.corrupted)),
];

const STATION: &[Quantity<StationResult>] = &[
    quantity("Air time", "part of the run in which it sent", |station| CellValue::Share(station.airtime)),
    quantity("Frames", "sent, of all kinds", |station| {
        CellValue::Count(station.counters.frames.iter().sum())
    }),
    quantity("Unanswered", "RTS without CTS, and data without ACK", |station| {
        CellValue::Count(station.counters.rts_failures + station.counters.data_failures)
    }),
    quantity("Given up", "frames after their last attempt", |station| {
        CellValue::Count(station.counters.retry_drops)
    }),
    quantity("Queue full", "packets that found its queue full", |station| {
        CellValue::Count(station.counters.queue_drops)
    }),
    quantity("Marked", "packets marked by its queue", |station| rare(station.counters.marked)),
    quantity("Collisions", "frames in range that overlapped others or its own", |station| {
        CellValue::Count(station.counters.collisions)
    }),
    quantity("Route searches", "route requests begun by this station", |station| {
        CellValue::Count(station.counters.discoveries)
    }),
];

const fn quantity<T>(label: &'static str, meaning: &'static str, value: fn(&T) -> CellValue) -> Quantity<T> {
    Quantity { label, meaning, value }
}

/// A number that is zero in most scenarios, and then not shown.
fn rare(count: u64) -> CellValue {
    if count == 0 { CellValue::Missing } else { CellValue::Count(count) }
}

fn seconds(span: Option<Duration>) -> CellValue {
    span.map_or(CellValue::Missing, |span| CellValue::Seconds(span.as_secs_f64()))
}

fn delay(flow: &FlowResult, which: fn(DelayResult) -> Duration) -> CellValue {
    seconds(flow.delay.map(which))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn few_flows_stand_side_by_side_and_many_below_one_another() {
        let mut result = testing::result();
        assert_eq!(flows(&result, &[]).columns.len(), result.flows.len());
        let flow = result.flows[0].clone();
        result.flows = vec![flow; 5];
        assert_eq!(flows(&result, &[]).rows.len(), 5);
    }

    #[test]
    fn paths_are_named_with_their_flow_where_there_are_several() {
        let mut result = testing::result();
        assert_eq!(all_paths(&result)[0].0, "main · wifi");
        result.flows.truncate(1);
        assert_eq!(all_paths(&result)[0].0, "wifi");
    }

    #[test]
    fn the_counters_of_paths_stand_around_what_the_network_knows() {
        let mut result = testing::result();
        result.flows.truncate(1);
        let labels: Vec<String> = paths(&result).rows.into_iter().map(|(heading, _)| heading.label).collect();
        let place = |label: &str| labels.iter().position(|known| known == label).expect(label);
        let order = ["Goodput", "User data sent", "Packets lost", "Chunks resent", "Fast retransmits"];
        assert!(order.map(place).is_sorted(), "{labels:?}");
    }

    #[test]
    fn a_link_has_a_row_for_each_way() {
        let names: Vec<String> = links(&testing::scenario(), &testing::result())
            .rows
            .into_iter()
            .map(|(name, _)| name.label)
            .collect();
        assert_eq!(names, ["wifi forward", "wifi reverse", "lte forward", "lte reverse"]);
    }
}
