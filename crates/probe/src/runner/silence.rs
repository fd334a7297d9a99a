//! A silence over a real association, and what it says of the paths of a measurement.

use std::net::SocketAddr;

use anabranch_base::Duration;
use anabranch_diagnose::recording::{Lane, Recording};
use anabranch_net::{Association, Endpoint, PathState};

use super::driving::Drive;
use super::facts::Start;
use super::{Host, lanes};
use crate::conductor::LaneFacts;
use crate::error::ProbeError;
use crate::quiet::{Asking, LaneHeard};

/// The paths of an association after a silence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SilentPaths {
    /// The time of the silence.
    pub silence: Duration,
    /// The paths.
    pub paths: Vec<SilentPath>,
}

/// A path after a silence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SilentPath {
    /// The address here.
    pub local: String,
    /// The address of the other end.
    pub remote: String,
    /// The test packets that arrived.
    pub heard: LaneHeard,
}

/// Falls silent on all paths of an association, whose messages no other task may read meanwhile, and listens afterwards.
/// The transport sends HEARTBEATs as it is configured to, and probes of packet sizes in the first seconds; an idle
/// association sends nothing else. It takes at most some 30 s longer than `silence`, which is at most 60 s.
///
/// # Errors
/// The other end refuses, does not answer, or breaks the protocol; or the association ends.
pub async fn fall_silent(
    endpoint: &Endpoint,
    association: &Association,
    silence: Duration,
) -> Result<SilentPaths, ProbeError> {
    if !association.has_test_packets() {
        return Err(ProbeError::TestsOff);
    }
    let lanes = watched(association, lanes::of(association).await);
    let start = Start::now(endpoint, association);
    let paths: Vec<_> = lanes.iter().map(|lane| lane.path).collect();
    let machine = Asking::new(association.now(), &paths, silence);
    let host = Host::default();
    let drive = Drive { endpoint, association, start: &start, host: &host };
    let heard = drive.run(machine, |_| {}).await?;
    let path =
        |(lane, heard): (LaneFacts, LaneHeard)| SilentPath { local: lane.local, remote: lane.remote, heard };
    Ok(SilentPaths { silence, paths: lanes.into_iter().zip(heard).map(path).collect() })
}

/// The paths on which HEARTBEATs come as configured: a backup has fewer, on purpose.
fn watched(association: &Association, lanes: Vec<LaneFacts>) -> Vec<LaneFacts> {
    let reports = association.paths();
    let is_watched = |lane: &LaneFacts| {
        reports.iter().any(|report| report.id == lane.path && report.sample.state == PathState::Active)
    };
    lanes.into_iter().filter(is_watched).collect()
}

impl SilentPaths {
    /// Notes the paths that were forgotten in a measurement over the same links, whose ports here differ.
    pub fn put_into(&self, recording: &mut Recording) {
        for lane in &mut recording.lanes {
            let mut paths = self.paths.iter().filter(|path| path.is_that_of(lane));
            // Two pairs of one local address and one remote address cannot be told apart.
            if let (Some(path), None) = (paths.next(), paths.next()) {
                lane.forgot_within = path.heard.is_forgotten().filter(|is| *is).map(|_| self.silence);
            }
        }
    }
}

impl SilentPath {
    fn is_that_of(&self, lane: &Lane) -> bool {
        let ip = |text: &str| text.parse::<SocketAddr>().ok().map(|address| address.ip());
        self.remote == lane.remote && ip(&self.local).is_some() && ip(&self.local) == ip(&lane.local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(local: &str, remote: &str) -> Lane {
        Lane { local: local.to_owned(), remote: remote.to_owned(), ..Lane::default() }
    }

    fn path(local: &str, remote: &str, late: u32) -> SilentPath {
        let heard = LaneHeard { before: 15, late_sent: 20, late, after: 15 };
        SilentPath { local: local.to_owned(), remote: remote.to_owned(), heard }
    }

    #[test]
    fn a_forgotten_path_is_found_by_its_addresses_and_not_by_its_port_here() {
        let silence = Duration::from_secs(25);
        let paths = vec![
            path("192.0.2.1:40000", "198.51.100.1:9899", 0),
            path("192.0.2.2:40000", "198.51.100.1:9899", 20),
            path("192.0.2.3:40000", "198.51.100.2:9899", 0),
        ];
        let mut recording = Recording {
            lanes: vec![
                lane("192.0.2.1:50000", "198.51.100.1:9899"),
                lane("192.0.2.2:50000", "198.51.100.1:9899"),
                lane("192.0.2.3:50000", "198.51.100.1:9899"),
            ],
            ..Recording::default()
        };
        SilentPaths { silence, paths }.put_into(&mut recording);
        let noted: Vec<_> = recording.lanes.iter().map(|lane| lane.forgot_within).collect();
        assert_eq!(noted, [Some(silence), None, None]);
    }
}
