//! The columns of the tables: name, unit, meaning and value, each defined once.

use anabranch_base::{ByteCount, Ecn, Time};
use anabranch_link::LossCause;
use anabranch_sctp::seq::Tsn;
use anabranch_sim::observe::{Host, LossSite, PacketSeen, PathSeen, PathState, QueueSeen, Step};

use super::cell::{Cell, CellKind};
use crate::contents::Contents;
use crate::names::Names;
use crate::words::{cause, direction, host};

/// A column of a table whose rows are made from a `ColumnRow`.
pub(super) struct Column<ColumnRow> {
    /// The name.
    pub name: &'static str,
    /// The unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// The meaning. `{words}` stands for the words that its cells can have.
    meaning: &'static str,
    /// Those words, from the types that the cells show; empty for a column of numbers or names.
    words: fn() -> Vec<String>,
    /// The kind of the cells.
    #[cfg_attr(not(feature = "arrays"), allow(dead_code, reason = "a column in memory has a type"))]
    pub kind: CellKind,
    /// Reads the cell.
    pub read: ReadCell<ColumnRow>,
}

/// Reads the cell of a row.
type ReadCell<ColumnRow> = for<'a> fn(&'a ColumnRow, &'a Names) -> Cell<'a>;

impl<ColumnRow> Column<ColumnRow> {
    /// The meaning, with all words that the cells can have.
    pub(super) fn meaning(&self) -> String {
        self.meaning.replace("{words}", &(self.words)().join(", "))
    }
}

/// A row of `paths` or `links`.
pub(super) struct ColumnRow<Seen> {
    /// The time.
    pub at: Time,
    /// The observation.
    pub seen: Seen,
}

/// A row of `packets`.
pub(super) struct PacketRow {
    /// The time.
    pub at: Time,
    /// The observation.
    pub seen: PacketSeen,
    /// The chunks of the packet; for another transport its name.
    pub contents: Result<Contents, &'static str>,
}

const AT: &str = "since the start of the run";

/// The table `paths`: a row at each change of a path in its host's view.
pub(super) const PATHS: &[Column<ColumnRow<PathSeen>>] = &[
    number("at_s", "s", AT, |row, _| Cell::seconds(row.at)),
    text("flow", "the flow of the path", |row, names| Cell::text(names.flow(row.seen.flow))),
    text("path", "which path", |row, names| Cell::text(names.path(row.seen.path))),
    worded("host", "the host that observes it: {words}", hosts, |row, _| Cell::text(host(row.seen.host))),
    worded("state", "whether the path can carry data: {words}", states, |row, _| {
        Cell::text(row.seen.state.name())
    }),
    whole("cwnd_bytes", "B", "congestion window", |row, _| Cell::bytes(row.seen.cwnd)),
    whole("ssthresh_bytes", "B", "slow-start threshold; empty while there is none", |row, _| {
        Cell::some(threshold(row.seen.ssthresh), Cell::bytes)
    }),
    whole("flight_bytes", "B", "sent and neither acknowledged nor given up", |row, _| {
        Cell::bytes(row.seen.flight)
    }),
    number("srtt_s", "s", "smoothed round-trip time; empty before the first measurement", |row, _| {
        Cell::some(row.seen.srtt, Cell::seconds)
    }),
    number("rto_s", "s", "retransmission time-out, back-off included", |row, _| Cell::seconds(row.seen.rto)),
    number(
        "way_s",
        "s",
        "the way there of the packet acknowledged last, as the sender measures it",
        |row, _| Cell::some(row.seen.measured.delay, Cell::seconds),
    ),
    number("least_way_s", "s", "the least way there, as the sender measures it", |row, _| {
        Cell::some(row.seen.measured.least_way, Cell::seconds)
    }),
    whole("delivery_bps", "bit/s", "highest delivery rate of the last round trips", |row, _| {
        Cell::some(row.seen.measured.rate, Cell::rate)
    }),
    whole("peak_delivery_bps", "bit/s", "highest delivery rate of all, which decays", |row, _| {
        Cell::some(row.seen.measured.peak_rate, Cell::rate)
    }),
];

/// The table `links`: a row at each change of a queue.
pub(super) const LINKS: &[Column<ColumnRow<QueueSeen>>] = &[
    number("at_s", "s", AT, |row, _| Cell::seconds(row.at)),
    text("link", "which link", |row, names| Cell::text(names.link(row.seen.link))),
    worded("direction", "{words}", directions, |row, _| Cell::text(direction(row.seen.from))),
    whole("queue_packets", "packets", "waiting packets, without the one being sent", |row, _| {
        Cell::Whole(row.seen.view.backlog.packets)
    }),
    whole("queue_bytes", "B", "their sizes", |row, _| Cell::bytes(row.seen.view.backlog.bytes)),
    number(
        "average_packets",
        "packets",
        "the average length by which RED decides; empty for others",
        |row, _| Cell::some(row.seen.view.average, Cell::Number),
    ),
    whole("marked", "packets", "packets that the queue marked so far", |row, _| {
        Cell::Whole(row.seen.view.marked)
    }),
];

/// The table `packets`: a row at each step of a packet.
pub(super) const PACKETS: &[Column<PacketRow>] = &[
    number("at_s", "s", AT, |row, _| Cell::seconds(row.at)),
    text("flow", "the flow of the packet", |row, names| Cell::text(names.flow(row.seen.flow))),
    text("path", "the path it travels", |row, names| Cell::text(names.path(row.seen.path))),
    worded("direction", "{words}", directions, |row, _| Cell::text(direction(row.seen.from))),
    worded("step", "{words}", || STEPS.map(str::to_owned).into(), |row, _| Cell::text(step(row.seen.step))),
    worded("cause", "why it was lost: {words}; empty at other steps", causes, |row, _| {
        Cell::some(loss(row.seen.step), |(_, why)| Cell::text(why))
    }),
    text("link", "where it was lost, a link or a radio; empty at other steps", |row, names| {
        Cell::some(loss(row.seen.step), |(site, _)| Cell::text(names.site(site)))
    }),
    whole("size_bytes", "B", "size on the link, all headers included", |row, _| Cell::bytes(row.seen.size)),
    number("delay_s", "s", "from sent to arrived; empty at other steps", |row, _| match row.seen.step {
        Step::Arrived { delay } => Cell::seconds(delay),
        Step::Sent | Step::Lost { .. } => Cell::Missing,
    }),
    text(
        "chunks",
        "types of its chunks, each once, joined by +; UDP or TCP for a packet of these",
        |row, _| match &row.contents {
            Ok(contents) => Cell::text(contents.kinds.join("+")),
            Err(transport) => Cell::text(*transport),
        },
    ),
    whole("data_chunks", "chunks", "how many DATA chunks; empty for UDP and TCP", |row, _| {
        Cell::some(row.contents.as_ref().ok(), |contents| Cell::Whole(contents.data_chunks))
    }),
    whole("tsn", "", "TSN of the first DATA chunk, as on the wire; empty without one", |row, _| {
        let first = row.contents.as_ref().ok().and_then(|contents| contents.first_tsn);
        Cell::some(first.map(Tsn::get), |tsn| Cell::Whole(tsn.into()))
    }),
    truth("retransmission", "true if it carries a chunk that was sent before", |row, _| {
        Cell::Truth(row.seen.retransmission)
    }),
    worded("ecn", "ECN codepoint in the IP header: {words}", codepoints, |row, _| {
        Cell::text(row.seen.ecn.to_string())
    }),
];

/// A column of numbers, including seconds.
pub(super) const fn number<ColumnRow>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    read: ReadCell<ColumnRow>,
) -> Column<ColumnRow> {
    Column { name, unit, meaning, words: Vec::new, kind: CellKind::Number, read }
}

/// A column of whole numbers.
pub(super) const fn whole<ColumnRow>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    read: ReadCell<ColumnRow>,
) -> Column<ColumnRow> {
    Column { name, unit, meaning, words: Vec::new, kind: CellKind::Whole, read }
}

/// A column of truth values.
pub(super) const fn truth<ColumnRow>(
    name: &'static str,
    meaning: &'static str,
    read: ReadCell<ColumnRow>,
) -> Column<ColumnRow> {
    Column { name, unit: "", meaning, words: Vec::new, kind: CellKind::Truth, read }
}

/// A column of names.
pub(super) const fn text<ColumnRow>(
    name: &'static str,
    meaning: &'static str,
    read: ReadCell<ColumnRow>,
) -> Column<ColumnRow> {
    worded(name, meaning, Vec::new, read)
}

/// A column of words.
pub(super) const fn worded<ColumnRow>(
    name: &'static str,
    meaning: &'static str,
    words: fn() -> Vec<String>,
    read: ReadCell<ColumnRow>,
) -> Column<ColumnRow> {
    Column { name, unit: "", meaning, words, kind: CellKind::Text, read }
}

fn hosts() -> Vec<String> {
    Host::BOTH.map(|one| host(one).to_owned()).into()
}

fn states() -> Vec<String> {
    PathState::ALL.map(|state| format!("{} ({})", state.name(), state.meaning())).into()
}

fn causes() -> Vec<String> {
    LossCause::ALL.map(|why| cause(why).to_owned()).into()
}

fn codepoints() -> Vec<String> {
    [0b00, 0b10, 0b01, 0b11].map(|bits| Ecn::from_bits(bits).to_string()).into()
}

/// The threshold, if there is one: before the first loss it is unlimited.
fn threshold(ssthresh: ByteCount) -> Option<ByteCount> {
    (ssthresh != ByteCount::MAX).then_some(ssthresh)
}

fn directions() -> Vec<String> {
    Host::BOTH.map(|from| format!("{} (from the {} host)", direction(from), host(from))).into()
}

/// The words for steps of a packet.
const STEPS: [&str; 3] = ["sent", "arrived", "lost"];

fn step(step: Step) -> &'static str {
    match step {
        Step::Sent => STEPS[0],
        Step::Arrived { .. } => STEPS[1],
        Step::Lost { .. } => STEPS[2],
    }
}

fn loss(step: Step) -> Option<(LossSite, &'static str)> {
    match step {
        Step::Lost { site, cause: why } => Some((site, cause(why))),
        _ => None,
    }
}
