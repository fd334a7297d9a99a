//! The report of one end of a test to the other.

use serde::{Deserialize, Serialize};

use crate::counters;
use crate::path_entry::PathEntry;

/// What an end of a test saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndReport {
    /// What it sent, if it did.
    pub sent: Option<SenderReport>,
    /// What it received, if it did.
    pub received: Option<ReceiverReport>,
    /// The processor time that its program took.
    pub cpu_s: f64,
    /// The time in which it took that.
    pub seconds: f64,
    /// The amount its receive buffer held at last when full.
    pub receive_buffer_bytes: u64,
    /// How far it may grow.
    pub receive_buffer_limit_bytes: u64,
    /// The paths: what they carried away from there if it sent, else what they brought.
    #[serde(serialize_with = "counters::tell")]
    pub paths: Vec<PathEntry>,
}

/// What an end sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SenderReport {
    /// Messages that the transport took.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// For how long it sent.
    pub seconds: f64,
    /// Messages that were due and that the transport had not taken when time was up.
    pub unsent_messages: u64,
}

/// What an end received.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverReport {
    /// Messages that arrived, in order.
    pub messages: u64,
    /// Their bytes, as far as they arrived in time.
    pub bytes: u64,
    /// The time from the first of them on.
    pub seconds: f64,
    /// Bytes that arrived after it.
    pub late_bytes: u64,
    /// From when messages were due to their delivery.
    pub delay_s: Delays,
    /// The longest time without a delivery.
    pub longest_stall_s: f64,
    /// When that began, after the first delivery.
    pub longest_stall_at_s: f64,
    /// The length of an interval.
    pub interval_s: f64,
    /// The bytes of each.
    pub intervals: Vec<u64>,
}

/// Quantiles of a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    /// The median.
    pub p50: f64,
    /// Of twenty, nineteen were shorter.
    pub p95: f64,
    /// Of a hundred, ninety-nine.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// The error of a report that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an invalid report: {0}")]
pub struct ReportError(String);

impl EndReport {
    /// Reads one that a peer wrote.
    ///
    /// # Errors
    /// What is wrong with it.
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

    /// As it travels, within [`MAX_REPORT`]: where there are too many paths for that, the last are left out.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut report = self.clone();
        report.paths.truncate(MOST_PATHS);
        // Earlier versions do not know the key, and the peer need not know the name.
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
pub const MAX_REPORT: usize = 32 * 1024;
/// More paths are not told.
const MOST_PATHS: usize = 32;
/// No address with its port and no name made of two is longer.
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
