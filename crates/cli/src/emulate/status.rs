//! The status on a terminal while links are emulated: the traffic of each link in the last second.

use std::io::IsTerminal;

use anabranch_base::{BitRate, Duration};
use anabranch_emulate::{LinkReport, RelayReport, SideReport};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::table::fine;
use crate::arguments::Output;
use crate::report::{head, lay_out};

/// Lines on standard error that are rewritten each second, or nothing.
pub(super) struct Status {
    lines: Option<ProgressBar>,
    before: RelayReport,
}

impl Status {
    /// Makes the status that `output` requests.
    pub(super) fn new(output: Output) -> Status {
        let is_wanted = !output.quiet && !output.is_json() && std::io::stderr().is_terminal();
        Status { lines: is_wanted.then(bar), before: RelayReport::default() }
    }

    /// Shows the traffic since the last call.
    pub(super) fn show(&mut self, now: RelayReport) {
        if let Some(lines) = &self.lines {
            lines.set_message(since(&self.before, &now));
            self.before = now;
        }
    }

    /// Removes the lines.
    pub(super) fn finish(&self) {
        if let Some(lines) = &self.lines {
            lines.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style)
}

/// Describes the traffic between two reports, and the lateness of packets so far.
fn since(before: &RelayReport, now: &RelayReport) -> String {
    let Some(time) = now.time else { return "waiting for the first datagram".to_owned() };
    let span = time.saturating_sub(before.time.unwrap_or_default());
    let rows = now.links.iter().enumerate().take(MOST_LINKS);
    let rows = rows.map(|(index, link)| row(before.links.get(index), link, span));
    let head = head(["link", "there", "back", "lost", "queue drops"]);
    let table = lay_out(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 1);
    let more = match now.links.len().saturating_sub(MOST_LINKS) {
        0 => String::new(),
        count => format!("and {count} more\n"),
    };
    format!(
        "{table}{more}{:.0} s since the first datagram; 99 of 100 packets left at most {} late",
        time.as_secs_f64(),
        fine(now.timing.p99)
    )
}

fn row(before: Option<&LinkReport>, now: &LinkReport, span: Duration) -> Vec<String> {
    let rate = |before: Option<SideReport>, now: SideReport| {
        let before = before.unwrap_or_default().counters.arrived_bytes;
        rate(now.counters.arrived_bytes.saturating_sub(before).rate_over(span))
    };
    let [there, back] = [now.forward.counters, now.reverse.counters];
    vec![
        now.name.clone(),
        rate(before.map(|link| link.forward), now.forward),
        rate(before.map(|link| link.reverse), now.reverse),
        (there.lost + back.lost).to_string(),
        (there.queue_drops + back.queue_drops).to_string(),
    ]
}

fn rate(rate: Option<BitRate>) -> String {
    rate.unwrap_or_default().to_string()
}

/// More would not fit a screen.
const MOST_LINKS: usize = 12;

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;

    fn report(seconds: u64, bytes: u64, links: usize) -> RelayReport {
        let mut forward = SideReport::default();
        forward.counters.arrived_bytes = ByteCount::new(bytes);
        forward.counters.lost = 3;
        let link = LinkReport { name: "wifi".to_owned(), forward, reverse: SideReport::default() };
        let time = Some(Duration::from_secs(seconds));
        RelayReport { time, links: vec![link; links], ..RelayReport::default() }
    }

    #[test]
    fn rates_are_those_since_the_last_look() {
        let text = since(&report(4, 1_000_000, 1), &report(6, 3_000_000, 1));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "link         there      back   lost   queue drops");
        assert_eq!(lines[1], "wifi   8.00 Mbit/s   0 bit/s      3             0");
        assert_eq!(lines[2], "6 s since the first datagram; 99 of 100 packets left at most 0.000 ms late");
    }

    #[test]
    fn before_anything_came_it_says_so_and_the_first_rates_are_from_then() {
        let nothing = RelayReport::default();
        assert_eq!(since(&nothing, &nothing), "waiting for the first datagram");
        assert!(since(&nothing, &report(1, 1_000_000, 1)).contains("8.00 Mbit/s"));
    }

    #[test]
    fn many_links_are_cut_short() {
        let text = since(&RelayReport::default(), &report(1, 0, 50));
        assert_eq!(text.lines().count(), 1 + 12 + 2);
        assert!(text.contains("\nand 38 more\n"), "{text}");
    }
}
