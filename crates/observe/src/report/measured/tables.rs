//! The tables of a measurement: the links with their intervals, and the losses.

use anabranch_diagnose::recording::{Flight, Recording};
use anabranch_diagnose::{DirectionEstimate, LinkEstimate, LinkStatus};

use super::data::ShownLane;
use super::words::{bytes, estimated, plain, rate, share, span};
use crate::report::table::{CellValue, Measured, ReportTable};

/// A direction of a link, with its link.
type Row<'a> = (&'a LinkEstimate, &'a DirectionEstimate, &'a [String]);

/// A quantity of a direction.
struct Column {
    label: &'static str,
    meaning: &'static str,
    words: fn(&Row<'_>) -> Option<String>,
}

/// The paths: what does not depend on the direction. `names` are those of the lanes.
pub(super) fn paths(estimates: &[&LinkEstimate], names: &[String]) -> ReportTable {
    let rows: Vec<Row<'_>> =
        estimates.iter().map(|link| (*link, &link.forward, &*link.shares_forward)).collect();
    let names: Vec<String> = names.iter().map(|name| plain(name, 24)).collect();
    ReportTable::by_item("Path", &measured(PATH, &rows), &names)
}

/// The directions of the links.
pub(super) fn directions(estimates: &[&LinkEstimate], names: &[String]) -> ReportTable {
    let rows = estimates.iter().map(|link| {
        [(*link, &link.forward, &*link.shares_forward), (*link, &link.reverse, &*link.shares_reverse)]
    });
    let rows: Vec<Row<'_>> = rows.flatten().collect();
    ReportTable::by_item("Path", &measured(DIRECTION, &rows), &both_ways(names))
}

fn measured(columns: &[Column], rows: &[Row<'_>]) -> Vec<Measured> {
    let words = |column: &Column| {
        let values = rows.iter().map(|row| (column.words)(row).map_or(CellValue::Missing, CellValue::Words));
        Measured { label: column.label.to_owned(), meaning: column.meaning, values: values.collect() }
    };
    columns.iter().map(words).collect()
}

/// The counts of losses of all lanes.
pub(super) fn losses(recording: &Recording, shown: &[ShownLane<'_>], names: &[String]) -> ReportTable {
    let flights = || recording.lanes.iter().flat_map(|lane| [&lane.forward, &lane.reverse]);
    let courses = |index: usize| {
        let lane = shown.iter().find(|lane| lane.lane == index / 2)?;
        lane.directions.get(index % 2).map(|direction| &direction.losses)
    };
    let counted = |label: &str, meaning, count: &dyn Fn(usize) -> Option<usize>| Measured {
        label: label.to_owned(),
        meaning,
        values: (0..2 * names.len())
            .map(|index| count(index).map_or(CellValue::Missing, |n| CellValue::Count(n as u64)))
            .collect(),
    };
    let packets = |flights: &[Flight]| flights.iter().map(|flight| flight.packets.len()).sum::<usize>();
    let lost = |flights: &[Flight]| {
        flights.iter().flat_map(|flight| &flight.packets).filter(|packet| packet.arrived.is_none()).count()
    };
    let sent: Vec<(usize, usize)> = flights().map(|flights| (packets(flights), lost(flights))).collect();
    let by = |index: usize, is_by_queue: bool| {
        Some(courses(index)?.lost.iter().filter(|lost| lost.is_by_queue == is_by_queue).count())
    };
    let quantities = [
        counted("test packets", "sent with any purpose", &|index| sent.get(index).map(|sent| sent.0)),
        counted("lost", "of these", &|index| sent.get(index).map(|sent| sent.1)),
        counted("by chance", "where the queue was less than half full", &|index| by(index, false)),
        counted(
            "by the queue",
            "where the queue was at least half full, or a policer was exceeded",
            &|index| by(index, true),
        ),
        counted("runs", "two or more packets of one flight lost in a row", &|index| {
            Some(courses(index)?.runs.len())
        }),
        counted("longest run", "packets", &|index| {
            courses(index)?.runs.iter().map(|run| run.length as usize).max()
        }),
    ];
    ReportTable::by_item("Path", &quantities, &both_ways(names))
}

/// `wlan0 →` and `wlan0 ←` for each lane.
fn both_ways(names: &[String]) -> Vec<String> {
    names.iter().flat_map(|name| ["→", "←"].map(|arrow| format!("{} {arrow}", plain(name, 24)))).collect()
}

const PATH: &[Column] = &[
    Column {
        label: "state",
        meaning: "whether the lane was measured",
        words: |(link, ..)| match link.status {
            LinkStatus::Measured => None,
            LinkStatus::Dead => Some("dead".to_owned()),
            LinkStatus::TooLate => Some("not measured: an end was too late".to_owned()),
        },
    },
    Column {
        label: "round trip",
        meaning: "the least round-trip time",
        words: |(link, ..)| Some(estimated(&link.round_trip_s?, span)),
    },
    Column {
        label: "round trip at rest",
        meaning: "the median while nothing else was sent",
        words: |(link, ..)| Some(estimated(&link.round_trip_median_s?, span)),
    },
    Column {
        label: "MTU",
        meaning: "the largest IP packet that arrived; a hole is a size that vanished though the transport uses it",
        words: |(link, ..)| {
            let hole =
                |bytes: Option<u64>, direction| bytes.map(|bytes| format!("{bytes} B vanish {direction}"));
            let mtu = link.mtu_bytes.map(|mtu| format!("{mtu} B"));
            let (there, back) =
                (hole(link.mtu_hole_bytes, "there"), hole(link.mtu_hole_reverse_bytes, "back"));
            let parts: Vec<String> = [mtu, there, back].into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        },
    },
];

const DIRECTION: &[Column] = &[
    Column {
        label: "capacity",
        meaning: "bits of IP packets a second, with the 95 % interval",
        words: |(_, direction, _)| Some(estimated(&direction.rate_bps?, rate)),
    },
    Column {
        label: "variation at rest",
        meaning: "the 95 % quantile of the delay less the least",
        words: |(_, direction, _)| Some(span(direction.variation_s?.value)),
    },
    Column {
        label: "added under load",
        meaning: "the delay that a full link adds",
        words: |(_, direction, _)| Some(estimated(&direction.delay_under_load_s?, span)),
    },
    Column {
        label: "queue",
        meaning: "the depth of the queue before the bottleneck, or what a policer lets pass at once",
        words: |(_, direction, _)| {
            let queue = direction.queue?;
            let depth = format!("{}, {}", span(queue.depth_s.value), bytes(queue.depth_bytes.value));
            Some(match (queue.is_policer, queue.is_at_least) {
                (true, _) => format!("policer: {depth}"),
                (_, true) => format!("at least {depth}"),
                _ => depth,
            })
        },
    },
    Column {
        label: "loss by chance",
        meaning: "the share of packets lost below the capacity, with the 95 % interval",
        words: |(_, direction, _)| Some(estimated(&direction.chance_loss?, share)),
    },
    Column {
        label: "in runs of",
        meaning: "the mean length of the runs of losses by chance",
        words: |(_, direction, _)| {
            let runs = direction.loss_runs?;
            let length = 1.0 / runs.bad_to_good.value;
            length.is_finite().then(|| format!("{length:.1} packets"))
        },
    },
    Column {
        label: "loss by the queue",
        meaning: "the share lost while the queue was full",
        words: |(_, direction, _)| Some(share(direction.queue_loss?.value)),
    },
    Column {
        label: "shared with",
        meaning: "the lanes with which it shares a bottleneck",
        words: |(.., shared)| {
            let names: Vec<String> = shared.iter().take(8).map(|name| plain(name, 24)).collect();
            (!names.is_empty()).then(|| names.join(", "))
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measured::testing;

    #[test]
    fn each_direction_has_its_intervals_and_what_nothing_has_is_left_out() {
        let links = testing::links();
        let names: Vec<String> = links.iter().map(|link| link.name.clone()).collect();
        let links: Vec<&LinkEstimate> = links.iter().collect();
        let directions = directions(&links, &names);
        assert_eq!(directions.rows[0].0.label, "wlan0 →");
        let labels = |table: &ReportTable| -> Vec<String> {
            table.columns.iter().map(|column| column.label.clone()).collect()
        };
        assert_eq!(
            labels(&directions),
            ["capacity", "queue", "loss by chance", "in runs of", "loss by the queue"]
        );
        assert_eq!(directions.rows[0].1[0], "19.9 Mbit/s (19.8 to 20.1)");
        let paths = paths(&links, &names);
        assert_eq!(labels(&paths), ["state", "round trip", "MTU"]);
        assert_eq!(paths.rows[2].1, ["dead", "–", "–"]);
    }
}
