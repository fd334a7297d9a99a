//! The summary at the end of `ping`.

use anabranch_base::Duration;
use anabranch_scenario::quantity::span;

/// What it says, as far as it was printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// How many probes were sent.
    pub transmitted: Option<u64>,
    /// How many were answered.
    pub received: Option<u64>,
    /// How long it took, on Linux.
    pub time: Option<Duration>,
    /// The least round trip and the mean of all.
    pub round_trips: Option<(Duration, Duration)>,
}

impl Summary {
    /// Takes one of its lines.
    pub fn take(&mut self, line: &str) {
        if line.contains("packets transmitted") {
            for part in line.split(", ") {
                let number = part.split(' ').next().and_then(|number| number.parse::<u64>().ok());
                let number = number.filter(|number| *number < 1 << 40);
                if part.contains("transmitted") {
                    self.transmitted = number;
                } else if part.contains("received") {
                    self.received = number;
                } else if let Some(time) = part.strip_prefix("time ") {
                    self.time = span(time).ok();
                }
            }
        } else if let Some((_, values)) = line.split_once(" = ") {
            // rtt min/avg/max/mdev = 11.801/12.350/13.072/0.412 ms
            let mut values = values.split('/').map(|value| span(&format!("{value} ms")).ok());
            self.round_trips = values.next().flatten().zip(values.next().flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_both_systems_are_read() {
        let read = |lines: [&str; 2]| {
            let mut summary = Summary::default();
            lines.iter().for_each(|line| summary.take(line));
            summary
        };
        let trips = Some((Duration::from_micros(11_801), Duration::from_micros(12_350)));
        let linux = read([
            "20 packets transmitted, 19 received, +1 duplicates, 5% packet loss, time 19027ms",
            "rtt min/avg/max/mdev = 11.801/12.350/13.072/0.412 ms",
        ]);
        let time = Some(Duration::from_millis(19_027));
        assert_eq!(linux, Summary { transmitted: Some(20), received: Some(19), time, round_trips: trips });
        let mac = read([
            "20 packets transmitted, 19 packets received, 5.0% packet loss",
            "round-trip min/avg/max/stddev = 11.801/12.350/13.072/0.412 ms",
        ]);
        assert_eq!(mac, Summary { time: None, ..linux });
    }
}
