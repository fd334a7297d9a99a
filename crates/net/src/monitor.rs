//! Monitors the data, the rate and the state of each path of an association.

use std::collections::VecDeque;

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use crate::{
    Association, Clock, Event, Interface, LinkReport, PathAddresses, PathReport, PathState, interfaces,
};

/// The direction of the monitored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataDirection {
    /// To the peer: acknowledged data counts.
    Sending,
    /// From the peer: data that arrives for the first time counts.
    Receiving,
}

/// The observations of an association's paths so far.
#[derive(Debug)]
pub struct PathMonitor {
    clock: Clock,
    direction: DataDirection,
    paths: Vec<MonitoredPath>,
    receive_buffer: ByteCount,
    links: Vec<LinkReport>,
}

/// The observations of one path.
#[derive(Clone, Debug)]
pub struct MonitoredPath {
    /// The [name](path_name) of the path.
    pub name: String,
    /// The local interface's name when the path was first seen, if known.
    pub interface: Option<String>,
    /// The latest report.
    pub report: PathReport,
    /// User data carried in the monitored direction, each byte once.
    pub carried: ByteCount,
    /// The mean rate over the monitored time.
    pub mean_rate: BitRate,
    recent: VecDeque<(Time, ByteCount)>,
}

impl PathMonitor {
    /// A monitor without observations, with times of `clock`.
    pub fn new(clock: Clock, direction: DataDirection) -> PathMonitor {
        PathMonitor {
            clock,
            direction,
            paths: Vec::new(),
            receive_buffer: ByteCount::ZERO,
            links: Vec::new(),
        }
    }

    /// Updates the monitor with the association's current paths.
    pub fn update(&mut self, association: &Association) {
        self.receive_buffer = self.receive_buffer.max(association.receive_buffer());
        self.links = association.links();
        let reports = association.paths();
        let is_new = |report: &PathReport| !self.paths.iter().any(|path| path.is(report));
        // The interface of an address can be determined only while the address exists.
        let known = if reports.iter().any(is_new) { interfaces().unwrap_or_default() } else { Vec::new() };
        self.on_reports(self.clock.now(), reports, &known);
    }

    /// The paths in the order in which they were added, except attempts that never worked.
    pub fn paths(&self) -> &[MonitoredPath] {
        &self.paths
    }

    /// The largest size of this end's receive buffer so far.
    pub fn receive_buffer(&self) -> ByteCount {
        self.receive_buffer
    }

    /// The traffic of each link of this machine whose sockets belong to links.
    pub fn links(&self) -> &[LinkReport] {
        &self.links
    }

    /// The time on the monitor's clock.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// The name of the path in an event, if it is about one.
    pub fn name_of(&self, event: &Event) -> Option<&str> {
        let id = match event {
            Event::PathAdded(id)
            | Event::PathRemoved(id)
            | Event::PathConfirmed(id)
            | Event::PathSuspected(id)
            | Event::PathDown(id)
            | Event::PathUp(id)
            | Event::PathMoved(id, _)
            | Event::PathMtu(id, _)
            | Event::PathNarrowed(id, _)
            | Event::EcnUnusable(id, _) => *id,
            _ => return None,
        };
        self.paths.iter().find(|path| path.report.id == id).map(|path| path.name.as_str())
    }

    /// The path's share of the data of all paths, 0 to 1.
    pub fn share(&self, path: &MonitoredPath) -> f64 {
        let all: ByteCount = self.paths.iter().map(|path| path.carried).sum();
        if all.is_zero() { 0.0 } else { path.carried.get() as f64 / all.get() as f64 }
    }

    /// The sum of the paths' rates over the last second.
    pub fn rate(&self) -> BitRate {
        let sum = self.paths.iter().map(|path| path.rate().bits_per_second()).sum();
        BitRate::from_bits_per_second(sum)
    }

    fn on_reports(&mut self, now: Time, reports: Vec<PathReport>, known: &[Interface]) {
        for report in reports {
            if is_wrong_guess(&report) {
                self.paths.retain(|path| path.report.id != report.id);
                continue;
            }
            let carried = match self.direction {
                DataDirection::Sending => report.counters.acked_bytes,
                DataDirection::Receiving => report.counters.received_bytes,
            };
            match self.paths.iter_mut().find(|path| path.report.id == report.id) {
                // The id was that of another path, which never worked.
                Some(path) if path.carried.is_zero() && path.report.addresses != report.addresses => {
                    *path = MonitoredPath::new(now, report, carried, known);
                }
                Some(path) => path.on_report(now, report, carried),
                None => self.paths.push(MonitoredPath::new(now, report, carried, known)),
            }
        }
    }
}

impl MonitoredPath {
    fn new(now: Time, report: PathReport, carried: ByteCount, known: &[Interface]) -> MonitoredPath {
        let local = report.addresses.local.ip();
        let begins_at = known.iter().find(|interface| interface.addresses.contains(&local));
        MonitoredPath {
            name: path_name(&report.addresses),
            interface: begins_at.map(|interface| interface.name.clone()),
            report,
            carried,
            mean_rate: BitRate::default(),
            recent: VecDeque::from([(now, carried)]),
        }
    }

    /// Returns true if it is the path of `report`, whose id may have been another path's.
    fn is(&self, report: &PathReport) -> bool {
        self.report.id == report.id && self.report.addresses.local == report.addresses.local
    }

    /// The rate over the last second.
    pub fn rate(&self) -> BitRate {
        match (self.recent.front(), self.recent.back()) {
            (Some((from, before)), Some((to, after))) => {
                after.saturating_sub(*before).rate_over(to.since(*from)).unwrap_or_default()
            }
            _ => BitRate::default(),
        }
    }

    /// The name of the state.
    pub fn state(&self) -> &'static str {
        self.report.sample.state.name()
    }

    fn on_report(&mut self, now: Time, report: PathReport, carried: ByteCount) {
        self.recent.push_back((now, carried));
        while self.recent.get(1).is_some_and(|(at, _)| now.since(*at) >= RECENT) {
            self.recent.pop_front();
        }
        self.mean_rate = carried.rate_over(now.since(Time::ZERO)).unwrap_or_default();
        self.carried = carried;
        self.report = report;
    }
}

/// Returns true if a path was tried and given up before it carried anything.
fn is_wrong_guess(report: &PathReport) -> bool {
    let has_carried = !(report.counters.acked_bytes + report.counters.received_bytes).is_zero();
    report.sample.state == PathState::Removed && !has_carried
}

/// The name of a path from its addresses: `192.0.2.1 > 198.51.100.1:9899`, or only the remote one if the system
/// chooses the local one.
pub fn path_name(addresses: &PathAddresses) -> String {
    let (local, remote) = (addresses.local.ip(), addresses.remote);
    if local.is_unspecified() { remote.to_string() } else { format!("{local} > {remote}") }
}

/// The time over which rates are averaged.
const RECENT: Duration = Duration::from_secs(1);
