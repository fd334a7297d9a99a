//! The columns of results: name, unit, kind, meaning and value of each, once. Names are those of the document of
//! `sim --json`.

use anabranch_sim::result::{
    DelayResult, DirectionResult, FlowResult, LinkResult, PathResult, RunResult, SackResult, StationResult,
};

use crate::cell::{Cell, CellKind};

/// What a column is called within its scope, and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name, without that of its flow, path, link or station.
    pub name: &'static str,
    /// What it is counted in; empty for words and plain numbers.
    pub unit: &'static str,
    /// What its cells hold.
    pub kind: CellKind,
    /// What it says.
    pub meaning: &'static str,
}

/// A column whose cells are read from an `Of`.
#[derive(Debug)]
pub struct Column<Of> {
    /// What it is called and says.
    pub head: Head,
    /// Its cell.
    pub read: fn(&Of) -> Cell,
}

/// Those of a whole run.
pub const RUN: &[Column<RunResult>] = &[
    number("time_s", "s", "simulated time at the end of the run", |run| Cell::seconds(run.time)),
    whole("events", "events", "events that the simulator handled", |run| Cell::Whole(run.events)),
    whole("packets", "packets", "link crossings of all flows, both ways", |run| Cell::Whole(run.packets)),
    whole("end_to_end_packets", "packets", "packets sent by hosts", |run| {
        Cell::Whole(run.end_to_end_packets)
    }),
];

/// Those of a flow.
pub const FLOW: &[Column<FlowResult>] = &[
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
    whole(
        "sacks.sent",
        "SACKs",
        "acknowledgements that the receiver sent; empty without any kind of them",
        |flow| sacks(flow, |sacks| sacks.sent),
    ),
    whole("sacks.sent_by_timer", "SACKs", "those of them that left because their delay ended", |flow| {
        sacks(flow, |sacks| sacks.sent_by_timer)
    }),
    whole(
        "sacks.received",
        "SACKs",
        "acknowledgements that the sender received, without late ones",
        |flow| sacks(flow, |sacks| sacks.received),
    ),
    whole(
        "sacks.received_for_several_paths",
        "SACKs",
        "those of them that newly acknowledged chunks of more than one path",
        |flow| sacks(flow, |sacks| sacks.received_for_several_paths),
    ),
    text("failure", "why the transport failed; empty if it did not", |flow| {
        Cell::some(flow.failure.as_deref(), Cell::text)
    }),
];

/// Those of a path of a flow.
pub const PATH: &[Column<PathResult>] = &[
    text("state", "state at the end, as the sender sees it", |path| Cell::text(path.state.name())),
    whole("sent_packets", "packets", "packets sent on this path", |path| Cell::Whole(path.sent_packets)),
    whole("sent_bytes", "B", "user data sent on this path, retransmissions included", |path| {
        Cell::bytes(path.sent_bytes)
    }),
    whole("retransmitted_chunks", "chunks", "chunks that were retransmitted on this path", |path| {
        Cell::Whole(path.retransmitted_chunks)
    }),
    whole("lost_packets", "packets", "packets of the sender that were lost on this path", |path| {
        Cell::Whole(path.lost_packets)
    }),
    whole("fast_retransmits", "chunks", "chunks marked lost by missing reports", |path| {
        Cell::Whole(path.fast_retransmits)
    }),
    whole("timeouts", "time-outs", "expiries of the retransmission timer", |path| Cell::Whole(path.timeouts)),
    whole("ecne_sent", "reports", "reports of congestion marks that the receiver sent", |path| {
        Cell::Whole(path.marks.ecne_sent)
    }),
    whole("ecne_received", "reports", "reports of congestion marks that the sender received", |path| {
        Cell::Whole(path.marks.ecne_received)
    }),
    whole("cwr_sent", "reports", "answers to such reports that the sender sent", |path| {
        Cell::Whole(path.marks.cwr_sent)
    }),
    whole("ecn_cuts", "cuts", "how often such a report cut the window", |path| {
        Cell::Whole(path.marks.ecn_cuts)
    }),
    whole("probes_sent", "probes", "HEARTBEATs sent to test the path after a loss", |path| {
        Cell::Whole(path.marks.probes_sent)
    }),
    number("mean_cwnd_bytes", "B", "congestion window, averaged over time", |path| {
        Cell::number(path.mean_cwnd_bytes)
    }),
    number("mean_rtt_s", "s", "mean of the round-trip times; empty without a measurement", |path| {
        Cell::some(path.mean_rtt_s, Cell::number)
    }),
    number("min_rtt_s", "s", "least round-trip time; empty without a measurement", |path| {
        Cell::some(path.min_rtt_s, Cell::number)
    }),
    number(
        "goodput_bps",
        "bit/s",
        "user data that arrived for the first time on this path, after the warm-up, per second",
        |path| Cell::number(path.goodput_bps),
    ),
    number("app_limited_s", "s", "for how long there was no data to send", |path| {
        Cell::seconds(path.app_limited)
    }),
    number("cwnd_limited_s", "s", "for how long the congestion window was full", |path| {
        Cell::seconds(path.cwnd_limited)
    }),
    number("rwnd_limited_s", "s", "for how long the receive window was too small", |path| {
        Cell::seconds(path.rwnd_limited)
    }),
    number(
        "scheduler_limited_s",
        "s",
        "for how long both windows had room, and the scheduler sent nothing",
        |path| Cell::seconds(path.scheduler_limited),
    ),
    number("down_s", "s", "for how long the path carried no data because it was down", |path| {
        Cell::seconds(path.down)
    }),
];

/// Those of a direction of a link.
pub const DIRECTION: &[Column<DirectionResult>] = &[
    whole("packets", "packets", "packets that arrived at the other end", |way| Cell::Whole(way.packets)),
    whole("offered", "packets", "packets that entered", |way| Cell::Whole(way.offered)),
    whole(
        "lost",
        "packets",
        "packets lost by the loss rule, because the link was down, or because they were too large",
        |way| Cell::Whole(way.lost),
    ),
    whole("queue_drops", "packets", "packets that the queue refused", |way| Cell::Whole(way.queue_drops)),
    whole("marked", "packets", "packets that the queue marked", |way| Cell::Whole(way.marked)),
    whole("duplicated", "packets", "second copies that the link made", |way| Cell::Whole(way.duplicated)),
    whole("corrupted", "packets", "packets that the link damaged", |way| Cell::Whole(way.corrupted)),
    whole("in_flight", "packets", "packets on the link at the end", |way| Cell::Whole(way.in_flight)),
    number(
        "mean_queue_packets",
        "packets",
        "packets that waited for transmission, averaged over time",
        |way| Cell::number(way.mean_queue_packets),
    ),
    number("utilisation", "", "what was transmitted, as a fraction of what could have been", |way| {
        Cell::number(way.utilisation)
    }),
];

/// A direction of a link.
pub type Way = fn(&LinkResult) -> &DirectionResult;

/// The two directions of a link, with their names.
pub const DIRECTIONS: [(&str, Way); 2] =
    [("forward", |link| &link.forward), ("reverse", |link| &link.reverse)];

/// Those of a station of a radio mesh. Frames stand in the order of the counters.
pub const STATION: &[Column<StationResult>] = &[
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

fn sacks(flow: &FlowResult, which: fn(SackResult) -> u64) -> Cell {
    Cell::some(flow.sacks.map(which), Cell::Whole)
}

fn frames(station: &StationResult, kind: usize) -> Cell {
    Cell::some(station.counters.frames.get(kind).copied(), Cell::Whole)
}
