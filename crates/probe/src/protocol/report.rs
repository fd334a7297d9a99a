//! The report of an end about itself at the end of a measurement.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_diagnose::recording::{End, EndLane};
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
    disk_write_bps: Option<u64>,
    lanes: Vec<LaneReport>,
}

/// An [`EndLane`] as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaneReport {
    interface: Option<String>,
    others_bytes: Option<u64>,
    mtu_bytes: Option<u64>,
}

impl Report {
    /// Returns true if all values are possible: numbers that are finite and not negative, few lanes, and short names.
    pub(super) fn is_possible(&self) -> bool {
        let is_number = |value: f64| value.is_finite() && value >= 0.0;
        let numbers = [self.processor_share, self.least_sent_share];
        let is_short =
            |lane: &LaneReport| lane.interface.as_ref().is_none_or(|name| name.len() <= LONGEST_NAME);
        numbers.into_iter().all(is_number)
            && self.lanes.len() <= MOST_LANES
            && self.lanes.iter().all(is_short)
    }
}

impl From<&EndLane> for LaneReport {
    fn from(lane: &EndLane) -> LaneReport {
        let is_short = |name: &&String| name.len() <= LONGEST_NAME;
        LaneReport {
            interface: lane.interface.as_ref().filter(is_short).cloned(),
            others_bytes: lane.others_bytes,
            mtu_bytes: lane.mtu.map(ByteCount::get),
        }
    }
}

impl From<LaneReport> for EndLane {
    fn from(report: LaneReport) -> EndLane {
        EndLane {
            interface: report.interface,
            others_bytes: report.others_bytes,
            mtu: report.mtu_bytes.map(ByteCount::new),
        }
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
            disk_write_bps: end.disk_write.map(BitRate::bits_per_second),
            lanes: end.lanes.iter().take(MOST_LANES).map(LaneReport::from).collect(),
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
            disk_write: report.disk_write_bps.map(BitRate::from_bits_per_second),
            lanes: report.lanes.into_iter().map(EndLane::from).collect(),
        }
    }
}

/// The most lanes of a report: with names of escaped characters it still fits a frame.
const MOST_LANES: usize = 64;
/// The most bytes of an interface's name: Linux has 15.
const LONGEST_NAME: usize = 24;

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
            disk_write: Some(BitRate::from_mbps(25)),
            lanes: vec![
                EndLane::default(),
                EndLane {
                    interface: Some("eth0".to_owned()),
                    others_bytes: Some(7),
                    mtu: Some(ByteCount::new(1_400)),
                },
            ],
            ..End::default()
        };
        assert_eq!(End::from(Report::from(&end)), end);
    }

    #[test]
    fn lanes_and_names_are_few_and_short_and_fit_a_frame() {
        let lane = |name: String| EndLane {
            interface: Some(name),
            others_bytes: Some(u64::MAX),
            mtu: Some(ByteCount::new(u64::MAX)),
        };
        let end = End { lanes: vec![lane("\u{1}".repeat(24)); 200], ..End::default() };
        let report = Report::from(&end);
        let written = serde_json::to_vec(&report).expect("JSON");
        assert!(report.is_possible() && written.len() <= 16 * 1_024, "{}", written.len());
        assert_eq!(report.lanes.len(), MOST_LANES);
        let long = End { lanes: vec![lane("e".repeat(25))], ..End::default() };
        assert_eq!(Report::from(&long).lanes[0].interface, None);
        let with = |lanes: Vec<LaneReport>| Report { lanes, ..Report::default() };
        let named = LaneReport { interface: Some("e".repeat(25)), ..LaneReport::default() };
        assert!(!with(vec![named]).is_possible());
        assert!(!with(vec![LaneReport::default(); MOST_LANES + 1]).is_possible());
    }

    #[test]
    fn a_number_that_is_none_is_written_as_zero() {
        let report =
            Report::from(&End { processor_share: f64::NAN, least_sent_share: -1.0, ..End::default() });
        assert!(report.is_possible());
        assert!(!Report { processor_share: -0.5, ..report }.is_possible());
    }
}
