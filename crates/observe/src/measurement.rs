//! The subject of a measurement's page.

use anabranch_diagnose::LinkEstimate;
use anabranch_diagnose::recording::Recording;

/// A measurement of real paths with what was made of it.
#[derive(Clone, Copy, Debug)]
pub struct Measurement<'a> {
    /// The packets of the measurement.
    pub recording: &'a Recording,
    /// The estimates of the links, in the order of the recording's lanes.
    pub links: &'a [LinkEstimate],
    /// The findings as sentences, the most expensive first; none if nothing was found.
    pub findings: &'a [String],
    /// The title of the page.
    pub title: &'a str,
    /// The command line that repeats the measurement; may be empty.
    pub command: &'a str,
}
