//! Reports of iperf3 with intervals of a second, each with 1,000 datagrams of 1,448 bytes at 20 Mbit/s.

use std::fmt::Write as _;

#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    protocol: String,
    is_reverse: bool,
    /// The losses of each interval, which a sender does not have.
    forward: Vec<Option<i64>>,
    back: Vec<i64>,
    end: Vec<String>,
}

impl Report {
    pub(crate) fn of(protocol: &str) -> Report {
        Report { protocol: protocol.to_owned(), ..Report::default() }
    }

    /// A UDP report with the losses that a receiver counted in each interval.
    pub(crate) fn udp(lost: &[i64]) -> Report {
        Report { forward: lost.iter().copied().map(Some).collect(), ..Report::of("UDP") }
    }

    /// Adds intervals of a sender.
    pub(crate) fn sent(mut self, intervals: usize) -> Report {
        self.forward = vec![None; intervals];
        self
    }

    pub(crate) fn reverse(mut self) -> Report {
        self.is_reverse = true;
        self
    }

    /// Adds the losses of the opposite direction, with `--bidir`.
    pub(crate) fn back(mut self, lost: &[i64]) -> Report {
        self.back = lost.to_vec();
        self
    }

    /// Adds a sum to the report's end.
    pub(crate) fn end(mut self, name: &str, lost: i64, packets: i64) -> Report {
        self.end.push(format!(
            r#""{name}": {{"lost_packets": {lost}, "packets": {packets}, "bits_per_second": 20000000}}"#
        ));
        self
    }

    /// Adds the rates of both ends.
    pub(crate) fn rates(mut self, sent: f64, received: f64) -> Report {
        self.end.push(format!(
            r#""sum_sent": {{"bits_per_second": {sent}}}, "sum_received": {{"bits_per_second": {received}}}"#
        ));
        self
    }

    pub(crate) fn text(&self) -> String {
        let interval = |(second, lost): (usize, &Option<i64>)| {
            let mut text = format!(r#"{{"streams": [], "sum": {}"#, interval(second, 20e6, *lost));
            if let Some(lost) = self.back.get(second) {
                let _ =
                    write!(text, r#", "sum_bidir_reverse": {}"#, self::interval(second, 5e6, Some(*lost)));
            }
            text + "}"
        };
        let intervals: Vec<String> = self.forward.iter().enumerate().map(interval).collect();
        format!(
            "{{\n\"start\": {{\"version\": \"iperf 3.17\", \"connected\": [{{\"remote_host\": \"192.0.2.1\"}}], \"tcp_mss_default\": 1448, \
             \"test_start\": {{\"protocol\": {:?}, \"blksize\": 1448, \"reverse\": {}}}}},\n\"intervals\": [{}],\n\"end\": {{{}}}\n}}",
            self.protocol,
            u8::from(self.is_reverse),
            intervals.join(",\n"),
            self.end.join(", ")
        )
    }
}

pub(crate) fn interval(second: usize, bits: f64, lost: Option<i64>) -> String {
    let counts = lost.map(|lost| format!(r#", "lost_packets": {lost}, "packets": 1000"#)).unwrap_or_default();
    format!(
        r#"{{"start": {second}, "end": {}, "bits_per_second": {bits}, "omitted": false, "sender": {}{counts}}}"#,
        second + 1,
        lost.is_none()
    )
}
