//! The table of links: each way the capacity, the delay at rest and under load, the losses, the MTU, what is shared.

use anabranch_base::BitRate;
use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, LinkStatus};

use crate::failure::printable;
use crate::report::{head, lay_out_narrow};

/// The links, two lines for each.
pub(super) fn links(all: &[LinkEstimate]) -> String {
    let head =
        head(["link", "way", "rate", "RTT", "loaded", "queue", "chance", "full", "MTU", "shared with"]);
    let rows = all.iter().flat_map(rows);
    lay_out_narrow(
        &std::iter::once(head).chain(rows).collect::<Vec<_>>(),
        2,
        &["shared with", "queue", "MTU"],
    )
}

fn rows(link: &LinkEstimate) -> Vec<Vec<String>> {
    let name = printable(&link.name);
    let unmeasured = match link.status {
        LinkStatus::Measured => None,
        LinkStatus::Dead => Some("no answer"),
        LinkStatus::TooLate => Some("too late to tell"),
    };
    if let Some(why) = unmeasured {
        return vec![vec![name, String::new(), why.to_owned()]];
    }
    let directions =
        [("there", &link.forward, &link.shares_forward), ("back", &link.reverse, &link.shares_reverse)];
    directions
        .into_iter()
        .enumerate()
        .map(|(index, (place, direction, shares))| {
            let is_first = index == 0;
            let once = |text: String| if is_first { text } else { String::new() };
            let [rate, loaded, queue, chance, full] = cells(direction);
            let round_trip = link.round_trip_s.map_or("-".to_owned(), |rtt| milliseconds(rtt.value));
            let mtu = link.mtu_bytes.map_or("-".to_owned(), |mtu| mtu.to_string());
            let shared = shares.iter().map(|name| printable(name)).collect::<Vec<_>>().join(", ");
            let shared = if shared.is_empty() { "-".to_owned() } else { shared };
            let [name, round_trip, mtu] = [name.clone(), round_trip, mtu].map(once);
            vec![name, place.to_owned(), rate, round_trip, loaded, queue, chance, full, mtu, shared]
        })
        .collect()
}

/// Rate, delay under load, depth of the queue, losses by chance, losses at the full queue.
fn cells(direction: &DirectionEstimate) -> [String; 5] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let depth = direction.queue.map(|queue| match (queue.is_policer, queue.is_at_least) {
        (true, _) => "policer".to_owned(),
        (false, true) => format!("> {}", milliseconds(queue.depth_s.value)),
        (false, false) => milliseconds(queue.depth_s.value),
    });
    [
        or_dash(direction.rate_bps.map(rate)),
        or_dash(direction.delay_under_load_s.map(|delay| format!("+{}", milliseconds(delay.value)))),
        or_dash(depth),
        or_dash(direction.chance_loss.map(|loss| percent(loss.value))),
        or_dash(direction.queue_loss.map(|loss| percent(loss.value))),
    ]
}

/// `19.9 Mbit/s`.
pub(super) fn rate(bps: Estimated) -> String {
    BitRate::from_bits_per_second(bps.value.max(0.0) as u64).to_string()
}

fn milliseconds(seconds: f64) -> String {
    let span = seconds * 1e3;
    if span < 9.95 { format!("{span:.1} ms") } else { format!("{span:.0} ms") }
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        _ if percent <= 0.0 => "0 %".to_owned(),
        _ if percent < 0.095 => format!("{percent:.2} %"),
        _ if percent < 9.95 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use anabranch_diagnose::Queue;

    use super::*;

    fn estimated(value: f64) -> Estimated {
        Estimated { value, low: value, high: value, samples: 9 }
    }

    fn link(name: &str) -> LinkEstimate {
        let queue = Queue {
            depth_s: estimated(0.12),
            depth_bytes: estimated(300_000.0),
            is_at_least: false,
            is_policer: false,
        };
        let forward = DirectionEstimate {
            rate_bps: Some(estimated(19.9e6)),
            queue: Some(queue),
            chance_loss: Some(estimated(0.012)),
            queue_loss: Some(estimated(0.2)),
            delay_under_load_s: Some(estimated(0.121)),
            ..DirectionEstimate::default()
        };
        LinkEstimate {
            name: name.to_owned(),
            round_trip_s: Some(estimated(0.0302)),
            mtu_bytes: Some(1500),
            forward,
            ..LinkEstimate::default()
        }
    }

    #[test]
    fn each_way_has_its_line_within_80_columns() {
        let shared = LinkEstimate { shares_forward: vec!["wlan0".to_owned()], ..link("wwan0") };
        let dead = LinkEstimate { status: LinkStatus::Dead, ..link("enp0s31f6\u{1b}[2J") };
        let text = links(&[link("wlan0"), shared, dead]);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("wlan0") && text.contains("there") && text.contains("19.9 Mbit/s"), "{text}");
        assert!(text.contains("1.2 %") && text.contains("+121 ms") && text.contains("no answer"), "{text}");
        assert!(!text.contains('\u{1b}'), "names are escaped");
    }
}
