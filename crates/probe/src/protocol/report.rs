//! The report of an end about itself at the end of a measurement.

use anabranch_base::{ByteCount, Duration};
use anabranch_diagnose::recording::End;
use serde::{Deserialize, Serialize};

/// An [`End`] as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    lateness_ns: u64,
    lateness_p99_ns: u64,
    processor_share: f64,
    least_sent_share: f64,
    socket_receive_buffer_bytes: u64,
    socket_send_buffer_bytes: u64,
    socket_drops: Option<u64>,
    receive_buffer_limit_bytes: u64,
    send_buffer_bytes: u64,
    others_bytes: Vec<Option<u64>>,
}

impl Report {
    /// Returns true if all values are possible: numbers that are finite and not negative, and few lanes.
    pub(super) fn is_possible(&self) -> bool {
        let is_number = |value: f64| value.is_finite() && value >= 0.0;
        let numbers = [self.processor_share, self.least_sent_share];
        numbers.into_iter().all(is_number) && self.others_bytes.len() <= MOST_LANES
    }
}

impl From<&End> for Report {
    fn from(end: &End) -> Report {
        let number = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
        Report {
            lateness_ns: end.lateness.as_nanos(),
            lateness_p99_ns: end.lateness_p99.as_nanos(),
            processor_share: number(end.processor_share),
            least_sent_share: number(end.least_sent_share),
            socket_receive_buffer_bytes: end.socket_receive_buffer.get(),
            socket_send_buffer_bytes: end.socket_send_buffer.get(),
            socket_drops: end.socket_drops,
            receive_buffer_limit_bytes: end.receive_buffer_limit.get(),
            send_buffer_bytes: end.send_buffer.get(),
            others_bytes: end.others_bytes.iter().copied().take(MOST_LANES).collect(),
        }
    }
}

impl From<Report> for End {
    fn from(report: Report) -> End {
        End {
            lateness: Duration::from_nanos(report.lateness_ns),
            lateness_p99: Duration::from_nanos(report.lateness_p99_ns),
            processor_share: report.processor_share,
            least_sent_share: report.least_sent_share,
            socket_receive_buffer: ByteCount::new(report.socket_receive_buffer_bytes),
            socket_send_buffer: ByteCount::new(report.socket_send_buffer_bytes),
            socket_drops: report.socket_drops,
            receive_buffer_limit: ByteCount::new(report.receive_buffer_limit_bytes),
            send_buffer: ByteCount::new(report.send_buffer_bytes),
            others_bytes: report.others_bytes,
        }
    }
}

/// The most lanes of a report.
const MOST_LANES: usize = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_survives_its_report() {
        let end = End {
            lateness: Duration::from_micros(70),
            processor_share: 0.25,
            least_sent_share: 1.0,
            socket_drops: Some(3),
            others_bytes: vec![None, Some(7)],
            ..End::default()
        };
        assert_eq!(End::from(Report::from(&end)), end);
    }

    #[test]
    fn a_number_that_is_none_is_written_as_zero() {
        let report =
            Report::from(&End { processor_share: f64::NAN, least_sent_share: -1.0, ..End::default() });
        assert!(report.is_possible());
        assert!(!Report { processor_share: -0.5, ..report }.is_possible());
    }
}
