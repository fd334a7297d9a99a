//! The columns of results: name, unit, kind, meaning and value, each defined once. Names are those of the document of
//! `sim --json`. The columns of paths and acknowledgements are made from the tables of counters.

use anabranch_base::counter::{Counter, Shown};
use anabranch_sim::result::{
    DelayResult, DirectionResult, FlowResult, LinkResult, Measure, PathQuantity, PathResult, RunResult,
    SackCounters, StationResult,
};

use crate::cell::{Cell, CellKind};

/// The name of a column within its scope, and its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The name, without that of the flow, path, link or station.
    pub name: &'static str,
    /// The unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// The kind of the cells.
    pub kind: CellKind,
    /// The meaning.
    pub meaning: &'static str,
}

/// A column whose cells are read from an `Of`.
#[derive(Debug)]
pub(super) struct Column<Of> {
    /// The name and the description.
    pub head: Head,
    /// Reads the cell.
    pub read: fn(&Of) -> Cell,
}

/// The columns of a whole run.
pub(super) const RUN: &[Column<RunResult>] = &[
    number("time_s", "s", "simulated time at the end of the run", |run| Cell::seconds(run.time)),
    whole("events", "events", "events that the simulator handled", |run| Cell::Whole(run.events)),
    whole("packets", "packets", "link crossings of all flows, both ways", |run| Cell::Whole(run.packets)),
    whole("end_to_end_packets", "packets", "packets sent by hosts", |run| {
        Cell::Whole(run.end_to_end_packets)
    }),
];

/// The columns of a flow.
pub(super) const FLOW: &[Column<FlowResult>] = &[
    text("protocol", "what carries the flow: sctp, tcp or udp", |flow| Cell::text(flow.protocol)),
    whole("delivered_bytes", "B", "user data delivered", |flow| Cell::bytes(flow.delivered)),
    number(
        "goodput_bps",
        "bit/s",
        "user data delivered once and in order, after the warm-up, per second",
        |flow| Cell::number(flow.goodput_bps),
    ),
    number(
        "completion_s",
        "s",
        "from the start to the delivery of the last byte; empty without a transfer, or if it is not complete",
        |flow| Cell::some(flow.completion, Cell::seconds),
    ),
    number("first_data_s", "s", "when the first data was delivered, from the start of the run", |flow| {
        Cell::some(flow.first_data, Cell::seconds)
    }),
    number(
        "blocked_s",
        "s",
        "for how long the sender had data and congestion window but no receive window",
        |flow| Cell::seconds(flow.blocked),
    ),
    number("longest_stall_s", "s", "the longest time without a delivery", |flow| {
        Cell::seconds(flow.longest_stall)
    }),
    whole("reorder_bytes_max", "B", "the most data that the receiver held and could not deliver", |flow| {
        Cell::bytes(flow.reorder_bytes_max)
    }),
    number(
        "delay_s.p50",
        "s",
        "delay from send to delivery that half of the messages did not exceed",
        |flow| delay(flow, |delay| delay.p50),
    ),
    number("delay_s.p95", "s", "likewise for 95 % of the messages", |flow| delay(flow, |delay| delay.p95)),
    number("delay_s.p99", "s", "likewise for 99 % of the messages", |flow| delay(flow, |delay| delay.p99)),
    number("delay_s.max", "s", "the longest delay from send to delivery", |flow| {
        delay(flow, |delay| delay.max)
    }),
    whole("wire_bytes_sent.sender", "B", "bytes that the data's sender sent after the warm-up", |flow| {
        Cell::bytes(flow.wire_bytes_sent.sender)
    }),
    whole("wire_bytes_sent.receiver", "B", "bytes that the data's receiver sent after the warm-up", |flow| {
        Cell::bytes(flow.wire_bytes_sent.receiver)
    }),
    number(
        "tr_ratio",
        "",
        "bytes that both hosts sent per delivered byte; empty if nothing was delivered",
        |flow| Cell::some(flow.tr_ratio, Cell::number),
    ),
    whole(
        "goodput_packets",
        "packets",
        "packets with user data that arrived for the first time; empty if the protocol does not count them",
        |flow| Cell::some(flow.goodput_packets, Cell::Whole),
    ),
];

/// The columns of a flow that follow those of its acknowledgements.
pub(crate) const FLOW_END: &[Column<FlowResult>] =
    &[text("failure", "why the transport failed; empty if it did not", |flow| {
        Cell::some(flow.failure.as_deref(), Cell::text)
    })];

/// The columns of a flow's acknowledgements, with their cells.
pub(super) fn sacks(flow: &FlowResult) -> impl Iterator<Item = (Head, Cell)> {
    let shown = SackCounters::TABLE.iter().filter(|counter| counter.shown.includes(Shown::Simulations));
    shown.map(move |counter| {
        let Counter { name, unit, meaning, read, .. } = *counter;
        let cell = Cell::some(flow.sacks.map(|sacks| read(&sacks)), Cell::Whole);
        (Head { name, unit, kind: CellKind::Whole, meaning }, cell)
    })
}

/// The columns of a path of a flow, with their cells.
pub(super) fn path(path: &PathResult) -> impl Iterator<Item = (Head, Cell)> {
    PathQuantity::all().map(move |quantity| {
        let (kind, cell) = match quantity.of(path) {
            Measure::Word(word) => (CellKind::Text, Cell::text(word)),
            Measure::Whole(count) => (CellKind::Whole, Cell::Whole(count)),
            Measure::Number(number) => (CellKind::Number, Cell::some(number, Cell::number)),
        };
        (Head { name: quantity.name, unit: quantity.unit, kind, meaning: quantity.meaning }, cell)
    })
}

/// `columns` with their cells for `of`.
pub(super) fn own<Of>(columns: &[Column<Of>], of: &Of) -> impl Iterator<Item = (Head, Cell)> {
    columns.iter().map(move |column| (column.head, (column.read)(of)))
}

/// The columns of a direction of a link.
pub(crate) const DIRECTION: &[Column<DirectionResult>] = &[
    whole("packets", "packets", "packets that arrived at the other end", |direction| {
        Cell::Whole(direction.packets)
    }),
    whole("offered", "packets", "packets that entered", |direction| Cell::Whole(direction.offered)),
    whole(
        "lost",
        "packets",
        "packets lost by the loss rule, because the link was down, or because they were too large",
        |direction| Cell::Whole(direction.lost),
    ),
    whole("queue_drops", "packets", "packets that the queue refused", |direction| {
        Cell::Whole(direction.queue_drops)
    }),
    whole("marked", "packets", "packets that the queue marked", |direction| Cell::Whole(direction.marked)),
    whole("duplicated", "packets", "second copies that the link made", |direction| {
        Cell::Whole(direction.duplicated)
    }),
    whole("corrupted", "packets", "packets that the link damaged", |direction| {
        Cell::Whole(direction.corrupted)
    }),
    whole("in_flight", "packets", "packets on the link at the end", |direction| {
        Cell::Whole(direction.in_flight)
    }),
    number(
        "mean_queue_packets",
        "packets",
        "packets that waited for transmission, averaged over time",
        |direction| Cell::number(direction.mean_queue_packets),
    ),
    number("utilisation", "", "what was transmitted, as a fraction of what could have been", |direction| {
        Cell::number(direction.utilisation)
    }),
];

/// Selects a direction of a link.
pub(super) type SelectDirection = fn(&LinkResult) -> &DirectionResult;

/// The two directions of a link, with their names.
pub(crate) const DIRECTIONS: [(&str, SelectDirection); 2] =
    [("forward", |link| &link.forward), ("reverse", |link| &link.reverse)];

/// The columns of a station of a radio mesh; frames in the order of the counters.
pub(super) const STATION: &[Column<StationResult>] = &[
    whole("frames.rts", "frames", "RTS frames sent", |station| frames(station, 0)),
    whole("frames.cts", "frames", "CTS frames sent", |station| frames(station, 1)),
    whole("frames.ack", "frames", "ACK frames sent", |station| frames(station, 2)),
    whole("frames.data", "frames", "data frames sent, attempts included", |station| frames(station, 3)),
    whole("frames.route-request", "frames", "route requests sent", |station| frames(station, 4)),
    whole("frames.route-reply", "frames", "route replies sent", |station| frames(station, 5)),
    whole("frames.route-error", "frames", "route errors sent", |station| frames(station, 6)),
    whole("rts_failures", "frames", "RTSs without a CTS", |station| {
        Cell::Whole(station.counters.rts_failures)
    }),
    whole("data_failures", "frames", "data frames without an ACK", |station| {
        Cell::Whole(station.counters.data_failures)
    }),
    whole("retry_drops", "frames", "frames given up after their last attempt", |station| {
        Cell::Whole(station.counters.retry_drops)
    }),
    whole("queue_drops", "packets", "packets that the queue refused", |station| {
        Cell::Whole(station.counters.queue_drops)
    }),
    whole("marked", "packets", "packets that the queue marked", |station| {
        Cell::Whole(station.counters.marked)
    }),
    whole("collisions", "frames", "frames in range that others destroyed", |station| {
        Cell::Whole(station.counters.collisions)
    }),
    whole(
        "link_failures",
        "frames",
        "frames given up to a next hop, which routing takes for broken links",
        |station| Cell::Whole(station.counters.link_failures),
    ),
    whole("discoveries", "discoveries", "searches for a route begun", |station| {
        Cell::Whole(station.counters.discoveries)
    }),
    whole("requests_received", "messages", "route requests received, copies included", |station| {
        Cell::Whole(station.counters.requests_received)
    }),
    whole("replies_received", "messages", "route replies received", |station| {
        Cell::Whole(station.counters.replies_received)
    }),
    whole("errors_received", "messages", "route errors received", |station| {
        Cell::Whole(station.counters.errors_received)
    }),
    number("airtime", "", "the part of the time in which the station sent", |station| {
        Cell::number(station.airtime)
    }),
];

const fn whole<Of>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    read: fn(&Of) -> Cell,
) -> Column<Of> {
    Column { head: Head { name, unit, kind: CellKind::Whole, meaning }, read }
}

const fn number<Of>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    read: fn(&Of) -> Cell,
) -> Column<Of> {
    Column { head: Head { name, unit, kind: CellKind::Number, meaning }, read }
}

const fn text<Of>(name: &'static str, meaning: &'static str, read: fn(&Of) -> Cell) -> Column<Of> {
    Column { head: Head { name, unit: "", kind: CellKind::Text, meaning }, read }
}

fn delay(flow: &FlowResult, which: fn(DelayResult) -> anabranch_base::Duration) -> Cell {
    Cell::some(flow.delay.map(which), Cell::seconds)
}

fn frames(station: &StationResult, kind: usize) -> Cell {
    Cell::some(station.counters.frames.get(kind).copied(), Cell::Whole)
}
