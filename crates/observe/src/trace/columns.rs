//! The columns of the tables: name, unit, meaning and value of each, once.

use std::fmt::Write as _;

use anabranch_base::{BitRate, ByteCount, Ecn, Time};
use anabranch_link::LossCause;
use anabranch_sctp::seq::Tsn;
use anabranch_sim::observe::{Host, LossSite, PacketSeen, PathSeen, PathState, QueueSeen, Step};

use crate::contents::Contents;
use crate::names::Names;
use crate::words::{Seconds, cause, direction, host};

/// A column of a table whose rows are made of a `ColumnRow`.
pub struct Column<ColumnRow> {
    /// What it is called.
    pub name: &'static str,
    /// What it is counted in; empty for words and plain numbers.
    pub unit: &'static str,
    /// What it says. `{words}` stands for the words that its cells can have.
    meaning: &'static str,
    /// Those words, from the types that the cells show; empty for a column of numbers or names.
    words: fn() -> Vec<String>,
    /// Appends its cell; nothing where there is no value.
    pub write: fn(&ColumnRow, &Names, &mut String),
}

impl<ColumnRow> Column<ColumnRow> {
    /// What it says, with all words that its cells can have.
    pub fn meaning(&self) -> String {
        self.meaning.replace("{words}", &(self.words)().join(", "))
    }
}

/// What a row of `paths` or `links` is made of.
pub struct ColumnRow<Seen> {
    /// When.
    pub at: Time,
    /// What was seen.
    pub seen: Seen,
}

/// What a row of `packets` is made of.
pub struct PacketRow {
    /// When.
    pub at: Time,
    /// What was seen.
    pub seen: PacketSeen,
    /// The chunks that it carries; of another transport its name.
    pub contents: Result<Contents, &'static str>,
}

const AT: &str = "since the start of the run";

/// The table `paths`: a row at each change of a path as its host sees it.
pub const PATHS: &[Column<ColumnRow<PathSeen>>] = &[
    column("at_s", "s", AT, |row, _, out| show(out, Seconds::from(row.at))),
    column("flow", "", "the flow of the path", |row, names, out| out.push_str(names.flow(row.seen.flow))),
    column("path", "", "which path", |row, names, out| out.push_str(names.path(row.seen.path))),
    worded("host", "the host that observes it: {words}", hosts, |row, _, out| {
        out.push_str(host(row.seen.host));
    }),
    worded("state", "whether the path can carry data: {words}", states, |row, _, out| {
        out.push_str(row.seen.state.name());
    }),
    column("cwnd_bytes", "B", "congestion window", |row, _, out| show(out, row.seen.cwnd.get())),
    column("ssthresh_bytes", "B", "slow-start threshold; empty while there is none", |row, _, out| {
        show_some(out, threshold(row.seen.ssthresh).map(ByteCount::get));
    }),
    column("flight_bytes", "B", "sent and neither acknowledged nor given up", |row, _, out| {
        show(out, row.seen.flight.get());
    }),
    column("srtt_s", "s", "smoothed round-trip time; empty before the first measurement", |row, _, out| {
        show_some(out, row.seen.srtt.map(Seconds::from));
    }),
    column("rto_s", "s", "retransmission time-out, back-off included", |row, _, out| {
        show(out, Seconds::from(row.seen.rto));
    }),
    column(
        "way_s",
        "s",
        "the way there of the packet acknowledged last, as the sender measures it",
        |row, _, out| {
            show_some(out, row.seen.measured.way.map(Seconds::from));
        },
    ),
    column("least_way_s", "s", "the least way there, as the sender measures it", |row, _, out| {
        show_some(out, row.seen.measured.least_way.map(Seconds::from));
    }),
    column("delivery_bps", "bit/s", "highest delivery rate of the last round trips", |row, _, out| {
        show_some(out, row.seen.measured.rate.map(BitRate::bits_per_second));
    }),
    column("peak_delivery_bps", "bit/s", "highest delivery rate of all, which decays", |row, _, out| {
        show_some(out, row.seen.measured.peak_rate.map(BitRate::bits_per_second));
    }),
];

/// The table `links`: a row at each change of a queue.
pub const LINKS: &[Column<ColumnRow<QueueSeen>>] = &[
    column("at_s", "s", AT, |row, _, out| show(out, Seconds::from(row.at))),
    column("link", "", "which link", |row, names, out| out.push_str(names.link(row.seen.link))),
    worded("direction", "{words}", directions, |row, _, out| out.push_str(direction(row.seen.from))),
    column("queue_packets", "packets", "waiting packets, without the one being sent", |row, _, out| {
        show(out, row.seen.view.backlog.packets);
    }),
    column("queue_bytes", "B", "their sizes", |row, _, out| show(out, row.seen.view.backlog.bytes.get())),
    column(
        "average_packets",
        "packets",
        "the average length by which RED decides; empty for others",
        |row, _, out| {
            show_some(out, row.seen.view.average);
        },
    ),
    column("marked", "packets", "packets that the queue marked so far", |row, _, out| {
        show(out, row.seen.view.marked);
    }),
];

/// The table `packets`: a row at each step of a packet.
pub const PACKETS: &[Column<PacketRow>] = &[
    column("at_s", "s", AT, |row, _, out| show(out, Seconds::from(row.at))),
    column("flow", "", "the flow of the packet", |row, names, out| out.push_str(names.flow(row.seen.flow))),
    column("path", "", "the path it travels", |row, names, out| out.push_str(names.path(row.seen.path))),
    worded("direction", "{words}", directions, |row, _, out| out.push_str(direction(row.seen.from))),
    worded(
        "step",
        "{words}",
        || STEPS.map(str::to_owned).into(),
        |row, _, out| {
            out.push_str(step(row.seen.step));
        },
    ),
    worded("cause", "why it was lost: {words}; empty at other steps", causes, |row, _, out| {
        out.push_str(loss(row.seen.step).map_or("", |(_, why)| why));
    }),
    column("link", "", "where it was lost, a link or a radio; empty at other steps", |row, names, out| {
        out.push_str(loss(row.seen.step).map_or("", |(site, _)| names.site(site)));
    }),
    column("size_bytes", "B", "size on the link, all headers included", |row, _, out| {
        show(out, row.seen.size.get());
    }),
    column("delay_s", "s", "from sent to arrived; empty at other steps", |row, _, out| {
        if let Step::Arrived { delay } = row.seen.step {
            show(out, Seconds::from(delay));
        }
    }),
    column(
        "chunks",
        "",
        "types of its chunks, each once, joined by +; UDP or TCP for a packet of these",
        |row, _, out| match &row.contents {
            Ok(contents) => out.push_str(&contents.kinds.join("+")),
            Err(transport) => out.push_str(transport),
        },
    ),
    column("data_chunks", "chunks", "how many DATA chunks; empty for UDP and TCP", |row, _, out| {
        show_some(out, row.contents.as_ref().ok().map(|contents| contents.data_chunks));
    }),
    column("tsn", "", "TSN of the first DATA chunk, as on the wire; empty without one", |row, _, out| {
        show_some(out, row.contents.as_ref().ok().and_then(|contents| contents.first_tsn).map(Tsn::get));
    }),
    column("retransmission", "", "true if it carries a chunk that was sent before", |row, _, out| {
        show(out, row.seen.retransmission);
    }),
    worded("ecn", "ECN codepoint in the IP header: {words}", codepoints, |row, _, out| {
        show(out, row.seen.ecn);
    }),
];

pub(super) const fn column<ColumnRow>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    write: fn(&ColumnRow, &Names, &mut String),
) -> Column<ColumnRow> {
    Column { name, unit, meaning, words: Vec::new, write }
}

/// A column of words.
pub(super) const fn worded<ColumnRow>(
    name: &'static str,
    meaning: &'static str,
    words: fn() -> Vec<String>,
    write: fn(&ColumnRow, &Names, &mut String),
) -> Column<ColumnRow> {
    Column { name, unit: "", meaning, words, write }
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

/// The threshold, if there is one: before a path has one, its window may grow without a bound.
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

pub(super) fn show(out: &mut String, value: impl std::fmt::Display) {
    // Writing to a String does not fail.
    let _ = write!(out, "{value}");
}

fn show_some(out: &mut String, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        show(out, value);
    }
}
