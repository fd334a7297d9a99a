//! The report of one end of a test to the other.

use serde::{Deserialize, Serialize};

use crate::path_entry::{self, PathEntry};

/// The report of one end of a test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndReport {
    /// The data it sent, if it sends.
    pub sent: Option<SenderReport>,
    /// The data it received, if it receives.
    pub received: Option<ReceiverReport>,
    /// The processor time of its program.
    pub cpu_s: f64,
    /// The time in which that processor time was used.
    pub seconds: f64,
    /// The final size of its receive buffer.
    pub receive_buffer_bytes: u64,
    /// The limit to which its receive buffer may grow.
    pub receive_buffer_limit_bytes: u64,
    /// The path entries: the data they carried from this end if it sends, else the data they delivered to it.
    #[serde(serialize_with = "path_entry::tell")]
    pub paths: Vec<PathEntry>,
}

/// The data an end sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SenderReport {
    /// The messages that the transport accepted.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The time in which they were sent.
    pub seconds: f64,
    /// The messages that were due but not accepted by the transport when the test ended.
    pub unsent_messages: u64,
    /// The messages that it gave up, in a test with deadlines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
}

/// The messages of a test that the sender gave up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    /// The messages whose lifetime ended before the transport had room for them.
    pub expired: u64,
    /// The messages that the transport accepted and gave up before a part of them was sent.
    pub unsent: u64,
    /// The messages of which a part was sent. Some may have arrived whole.
    pub sent: u64,
}

/// The data an end received.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverReport {
    /// The messages delivered, in order.
    pub messages: u64,
    /// The number that arrived in time, in a test with deadlines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_time_messages: Option<u64>,
    /// The bytes delivered within the duration of the test.
    pub bytes: u64,
    /// The time from the first delivery.
    pub seconds: f64,
    /// The bytes delivered after the duration of the test.
    pub late_bytes: u64,
    /// The delays of messages from their due time to their delivery.
    pub delay_s: Delays,
    /// The longest time without a delivery.
    pub longest_stall_s: f64,
    /// The beginning of that stall, counted from the first delivery.
    pub longest_stall_at_s: f64,
    /// The length of an interval.
    pub interval_s: f64,
    /// The bytes delivered in each interval.
    pub intervals: Vec<u64>,
}

/// Quantiles of a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The maximum.
    pub max: f64,
}

/// The error of a report that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an invalid report: {0}")]
pub struct ReportError(String);

impl EndReport {
    /// Reads a report of a peer.
    ///
    /// # Errors
    /// The bytes are not a valid report.
    pub(super) fn read(json: &[u8]) -> Result<EndReport, ReportError> {
        let mut report: EndReport = serde_json::from_slice(json)
            .map_err(|error| ReportError(error.to_string().replace(char::is_control, " ")))?;
        if report.paths.len() > MOST_PATHS {
            return Err(ReportError(format!(
                "{} paths; at most {MOST_PATHS} are allowed",
                report.paths.len()
            )));
        }
        report.paths.iter_mut().for_each(|path| path.interface = None);
        let texts = || report.paths.iter().flat_map(PathEntry::texts);
        if texts().any(|text| text.len() > LONGEST_TEXT || text.contains(char::is_control)) {
            return Err(ReportError("a path name that is not short printable text".to_owned()));
        }
        Ok(report)
    }

    /// The JSON of the report, at most [`MAX_REPORT`] bytes: if there are too many paths, the last ones are left out.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut report = self.clone();
        report.paths.truncate(MOST_PATHS);
        // Earlier versions reject the key, and the peer does not need the name.
        report.paths.iter_mut().for_each(|path| path.interface = None);
        loop {
            let json = serde_json::to_vec(&report).unwrap_or_default();
            if json.len() <= MAX_REPORT || report.paths.pop().is_none() {
                return json;
            }
        }
    }
}

/// The most bytes of a report.
pub(crate) const MAX_REPORT: usize = 32 * 1024;
/// The most paths of a report.
const MOST_PATHS: usize = 32;
/// Longer than any address with a port and any name of two parts.
const LONGEST_TEXT: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn report(paths: usize) -> EndReport {
        let name = "x".repeat(LONGEST_TEXT);
        let path =
            PathEntry { name: name.clone(), local: name.clone(), remote: name, ..PathEntry::default() };
        let received = ReceiverReport { intervals: vec![1_000_000_000; 512], ..ReceiverReport::default() };
        EndReport { received: Some(received), paths: vec![path; paths], ..EndReport::default() }
    }

    #[test]
    fn a_report_arrives_as_it_was_written() {
        let report =
            EndReport { sent: Some(SenderReport { messages: 3, ..SenderReport::default() }), ..report(2) };
        assert_eq!(EndReport::read(&report.written()), Ok(report));
    }

    #[test]
    fn the_names_of_interfaces_stay_on_their_machine() {
        let mut told = report(1);
        told.paths[0].interface = Some("wlan0".to_owned());
        assert!(!String::from_utf8_lossy(&told.written()).contains("interface"));
        let heard = serde_json::to_vec(&told).expect("JSON");
        assert_eq!(EndReport::read(&heard), Ok(report(1)), "nor is one believed");
    }

    #[test]
    fn a_report_of_many_paths_stays_within_its_bounds() {
        let written = report(1_000).written();
        assert!(written.len() <= MAX_REPORT);
        assert!(
            EndReport::read(&written).is_ok_and(|read| !read.paths.is_empty() && read.received.is_some())
        );
    }

    #[test]
    fn names_that_move_the_cursor_are_refused() {
        let mut wrong = report(1);
        wrong.paths[0].state = "\u{1b}[2J".to_owned();
        assert!(EndReport::read(&wrong.written()).is_err());
        assert!(EndReport::read(b"{\"paths\":[],\"what\":1}").is_err_and(|why| why.0.contains("what")));
    }
}
