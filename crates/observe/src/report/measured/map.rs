//! The map of the paths: this end, the other end, a lane between them for each path, and the bottlenecks that lanes share.

use anabranch_diagnose::recording::{Lane, Recording};
use anabranch_diagnose::{DirectionEstimate, LinkEstimate, LinkStatus};

use super::words::{plain, rate, share, span};

/// The map, in units of its view box.
#[derive(Debug)]
pub(super) struct PathMap {
    /// The height.
    pub height: u32,
    /// The lanes from top to bottom.
    pub lanes: Vec<DrawnLane>,
    /// The shared bottlenecks.
    pub trunks: Vec<Trunk>,
    /// The number of lanes that the map has no room for.
    pub left_out: usize,
}

/// A lane of the map.
#[derive(Debug)]
pub(super) struct DrawnLane {
    /// Index of the lane, which gives the colour.
    pub colour: usize,
    /// True if nothing came back, or nothing could be measured.
    pub is_grey: bool,
    /// The top of its row.
    pub top: u32,
    /// The interface and the address here.
    pub local: String,
    /// The address of the other end.
    pub remote: String,
    /// The round-trip time, or why there is none.
    pub middle: String,
    /// Forward and reverse.
    pub arrows: [Arrow; 2],
}

/// One direction of a lane.
#[derive(Debug)]
pub(super) struct Arrow {
    /// The line, as an SVG path.
    pub line: String,
    /// The width of the line.
    pub width: f64,
    /// The rate and the losses.
    pub text: String,
}

/// A bottleneck that lanes share.
#[derive(Debug)]
pub(super) struct Trunk {
    /// The middle of its line.
    pub y: u32,
    /// The words below or above it.
    pub text: &'static str,
    /// The place of the words.
    pub text_y: u32,
}

impl PathMap {
    /// The map of a measurement. `estimates` has one for each lane.
    pub(super) fn new(recording: &Recording, estimates: &[&LinkEstimate], names: &[String]) -> PathMap {
        let count = recording.lanes.len().min(MOST_LANES);
        let shares: [fn(&LinkEstimate) -> &Vec<String>; 2] =
            [|link| &link.shares_forward, |link| &link.shares_reverse];
        let groups = shares.map(|shares| groups(&estimates[..count], names, shares));
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|lane| (groups[0][*lane], groups[1][*lane], *lane));
        let row_of = |lane: usize| order.iter().position(|other| *other == lane).unwrap_or(0) as u32;
        let trunks_of = |direction: usize| {
            (0..count).map(|lane| trunk_at(&groups[direction], lane, &row_of, direction)).collect::<Vec<_>>()
        };
        let trunks = [trunks_of(0), trunks_of(1)];
        let most = estimates
            .iter()
            .flat_map(|link| [&link.forward, &link.reverse])
            .filter_map(bits)
            .fold(0.0, f64::max);
        let lanes = order.iter().map(|lane| {
            let bends = [trunks[0][*lane], trunks[1][*lane]];
            drawn(&recording.lanes[*lane], estimates[*lane], *lane, row_of(*lane) * ROW, bends, most)
        });
        PathMap {
            height: count as u32 * ROW + 8,
            lanes: lanes.collect(),
            trunks: (0..2).flat_map(|direction| drawn_trunks(&trunks[direction], direction)).collect(),
            left_out: recording.lanes.len() - count,
        }
    }
}

/// For each lane the least lane with which it shares a bottleneck, itself or through others.
fn groups(
    estimates: &[&LinkEstimate],
    names: &[String],
    shares: fn(&LinkEstimate) -> &Vec<String>,
) -> Vec<usize> {
    let mut group: Vec<usize> = (0..estimates.len()).collect();
    for (lane, link) in estimates.iter().enumerate() {
        for (other, name) in names.iter().enumerate().take(estimates.len()) {
            let is_shared = other != lane
                && shares(link).iter().any(|shared| shared == name || *shared == estimates[other].name);
            if is_shared {
                let (from, to) = (group[lane].max(group[other]), group[lane].min(group[other]));
                group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    group
}

/// The height at which a lane meets the others of its group; `None` for one that is alone.
fn trunk_at(groups: &[usize], lane: usize, row_of: &impl Fn(usize) -> u32, direction: usize) -> Option<u32> {
    let members: Vec<usize> = (0..groups.len()).filter(|other| groups[*other] == groups[lane]).collect();
    let sum: u32 = members.iter().map(|member| row_of(*member) * ROW + LINE[direction]).sum();
    (members.len() > 1).then(|| sum / members.len() as u32)
}

fn drawn_trunks(trunks: &[Option<u32>], direction: usize) -> Vec<Trunk> {
    let mut heights: Vec<u32> = trunks.iter().flatten().copied().collect();
    heights.sort_unstable();
    heights.dedup();
    let (text, below) = [("one bottleneck →", false), ("← one bottleneck", true)][direction];
    heights.into_iter().map(|y| Trunk { y, text, text_y: if below { y + 22 } else { y - 12 } }).collect()
}

fn drawn(
    lane: &Lane,
    link: &LinkEstimate,
    colour: usize,
    top: u32,
    trunks: [Option<u32>; 2],
    most: f64,
) -> DrawnLane {
    let is_dead = lane.is_dead || link.status == LinkStatus::Dead;
    let round_trip = link.round_trip_s.map(|round_trip| format!("round trip {}", span(round_trip.value)));
    let middle = match (is_dead, link.status == LinkStatus::TooLate, round_trip) {
        (true, ..) => "nothing came back".to_owned(),
        (_, true, _) => "not measured: an end was later than what would be measured".to_owned(),
        (.., Some(text)) => text,
        (.., None) => "round trip unknown".to_owned(),
    };
    let local = match &lane.interface {
        Some(interface) if *interface != lane.local => {
            format!("{} · {}", plain(interface, 20), plain(&lane.local, 40))
        }
        _ if lane.name != lane.local => format!("{} · {}", plain(&lane.name, 20), plain(&lane.local, 40)),
        _ => plain(&lane.local, 40),
    };
    let arrow = |direction: usize| Arrow {
        line: line(top + LINE[direction], trunks[direction]),
        width: width([&link.forward, &link.reverse][direction], most),
        text: if is_dead { String::new() } else { carried([&link.forward, &link.reverse][direction]) },
    };
    DrawnLane {
        colour: colour % COLOURS,
        is_grey: is_dead || link.status == LinkStatus::TooLate,
        top,
        local,
        remote: plain(&lane.remote, 40),
        middle,
        arrows: [arrow(0), arrow(1)],
    }
}

/// A straight line, or one that bends to a trunk and back.
fn line(y: u32, trunk: Option<u32>) -> String {
    match trunk {
        None => format!("M{LEFT} {y}H{RIGHT}"),
        Some(trunk) => {
            format!("M{LEFT} {y}H575C610 {y} 600 {trunk} 640 {trunk}H765C800 {trunk} 785 {y} 820 {y}H{RIGHT}")
        }
    }
}

fn width(direction: &DirectionEstimate, most: f64) -> f64 {
    let share = bits(direction).map_or(0.0, |bits| (bits / most.max(1.0)).sqrt().min(1.0));
    ((2.0 + 5.0 * share) * 10.0).round() / 10.0
}

fn bits(direction: &DirectionEstimate) -> Option<f64> {
    direction.rate_bps.map(|rate| rate.value).filter(|rate| rate.is_finite() && *rate > 0.0)
}

/// `19.9 Mbit/s, loses 1.2 % by chance, 8 % by its queue`.
fn carried(direction: &DirectionEstimate) -> String {
    let rate = direction.rate_bps.map_or("rate unknown".to_owned(), |bits| rate(bits.value));
    let lost = [(direction.chance_loss, "by chance"), (direction.queue_loss, "by its queue")];
    let lost = lost.into_iter().filter_map(|(lost, how)| Some((lost.filter(|lost| lost.value > 0.0)?, how)));
    let lost: Vec<String> = lost.map(|(lost, how)| format!("{} {how}", share(lost.value))).collect();
    if lost.is_empty() { rate } else { format!("{rate}, loses {}", lost.join(", ")) }
}

/// The height of a lane.
const ROW: u32 = 118;
/// The lines of both directions, from the top of a lane.
const LINE: [u32; 2] = [50, 84];
/// The ends of the lines.
const LEFT: u32 = 130;
const RIGHT: u32 = 870;
/// The lanes that a map has room for.
const MOST_LANES: usize = 32;
/// The colours of lanes in the styles.
const COLOURS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measured::names;
    use crate::report::measured::testing::{links, recording};

    fn map(change: impl FnOnce(&mut Vec<LinkEstimate>)) -> PathMap {
        let mut links = links();
        change(&mut links);
        let recording = recording();
        PathMap::new(&recording, &links.iter().collect::<Vec<_>>(), &names(&recording))
    }

    #[test]
    fn a_dead_lane_is_grey_and_others_say_what_they_carry() {
        let map = map(|_| {});
        assert_eq!(map.lanes.iter().map(|lane| lane.is_grey).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(map.lanes[0].local, "wlan0 · 192.168.1.5");
        assert_eq!(map.lanes[0].arrows[0].text, "19.9 Mbit/s, loses 1.2 % by chance, 9.0 % by its queue");
        assert_eq!(map.lanes[0].middle, "round trip 21.4 ms");
        assert_eq!(
            (map.lanes[2].middle.as_str(), map.lanes[2].arrows[0].text.as_str()),
            ("nothing came back", "")
        );
        assert!(map.trunks.is_empty());
    }

    #[test]
    fn lanes_that_share_a_bottleneck_stand_together_and_meet() {
        let map = map(|links| links[0].shares_forward = vec!["usb0".to_owned()]);
        let order: Vec<usize> = map.lanes.iter().map(|lane| lane.colour).collect();
        assert_eq!(order, [0, 2, 1]);
        assert_eq!((map.trunks.len(), map.trunks[0].y), (1, 109));
        assert!(
            map.lanes[0].arrows[0].line.contains("640 109")
                && map.lanes[1].arrows[0].line.contains("640 109")
        );
        assert!(!map.lanes[0].arrows[1].line.contains('C'), "the reverse direction shares nothing");
    }
}
