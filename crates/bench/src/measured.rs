//! The reports of both ends of a finished test.

use crate::deadline_entry::DeadlineEntry;
use crate::direction::TestDirection;
use crate::intervals::Interval;
use crate::names;
use crate::path_entry::{PathEntry, rate};
use crate::protocol::{Ask, EndReport, ReceiverReport, RequestedDirection};
use anabranch_base::Duration;
use anabranch_net::LinkReport;

/// The role of an end in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The end that requested the test.
    Client,
    /// The end that serves it.
    Server,
}

/// The result of a test at both ends.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The request.
    pub ask: Ask,
    /// The possible error of measured delays, because the two clocks differ.
    pub clock_error: Duration,
    /// The role of this end.
    pub role: Role,
    /// The report of this end.
    pub ours: EndReport,
    /// The report of the other end, if it arrived.
    pub theirs: Option<EndReport>,
    /// The intervals that this end recorded.
    pub intervals: Vec<Interval>,
    /// The bytes charged to each link of this machine whose sockets belong to links.
    pub links: Vec<LinkReport>,
}

/// The result of one direction at both ends.
#[derive(Clone, Debug)]
pub struct OneDirection<'a> {
    /// The direction.
    pub direction: TestDirection,
    /// The sending end.
    pub sender: Option<&'a EndReport>,
    /// The receiving end.
    pub receiver: Option<&'a EndReport>,
    /// The sender's path entries, with the local names of the paths.
    pub paths: Vec<PathEntry>,
    /// True if the peer reported the entries: its report has fewer counters.
    pub are_told: bool,
    /// The part of the delivered bytes that counts, 0 to 1.
    part: f64,
}

impl Role {
    /// The end that sends in `direction`.
    pub fn sending(direction: TestDirection) -> Role {
        match direction {
            TestDirection::Forward => Role::Client,
            TestDirection::Reverse => Role::Server,
        }
    }

    /// Returns true if this end sends in a test of this direction.
    pub fn sends(self, direction: RequestedDirection) -> bool {
        match self {
            Role::Client => direction.is_forward(),
            Role::Server => direction.is_reverse(),
        }
    }

    /// Returns true if this end receives in a test of this direction.
    pub fn receives(self, direction: RequestedDirection) -> bool {
        self.other().sends(direction)
    }

    /// The other end.
    pub fn other(self) -> Role {
        match self {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
        }
    }
}

impl Measured {
    /// The first direction of the test, and the second if it had two.
    pub fn directions(&self) -> (OneDirection<'_>, Option<OneDirection<'_>>) {
        match self.ask.direction {
            RequestedDirection::Forward => (self.one(TestDirection::Forward), None),
            RequestedDirection::Reverse => (self.one(TestDirection::Reverse), None),
            RequestedDirection::Both => {
                (self.one(TestDirection::Forward), Some(self.one(TestDirection::Reverse)))
            }
        }
    }

    fn one(&self, direction: TestDirection) -> OneDirection<'_> {
        let (sender, receiver) =
            (self.of(Role::sending(direction)), self.of(Role::sending(direction).other()));
        let paths = match sender {
            Some(report) if Role::sending(direction) == self.role => report.paths.clone(),
            Some(report) => names::ours_for(&report.paths, &self.ours.paths),
            // Without a report of the sender, the receiver's entries are the best that is known.
            None => self.ours.paths.clone(),
        };
        let are_told = sender.is_some() && Role::sending(direction) != self.role;
        OneDirection { direction, sender, receiver, paths: shared(paths), are_told, part: 1.0 }
    }

    fn of(&self, role: Role) -> Option<&EndReport> {
        if role == self.role { Some(&self.ours) } else { self.theirs.as_ref() }
    }
}

impl OneDirection<'_> {
    /// The receiver's counts, if it reported.
    pub fn received(&self) -> Option<&ReceiverReport> {
        self.receiver.and_then(|report| report.received.as_ref())
    }

    /// User data delivered in time, or acknowledged if the receiver did not report.
    pub fn bytes(&self) -> u64 {
        let all = match self.received() {
            Some(received) => received.bytes,
            None => self.paths.iter().map(|path| path.carried_bytes).sum(),
        };
        if self.part < 1.0 { (all as f64 * self.part) as u64 } else { all }
    }

    /// The time in which that data was delivered.
    pub fn seconds(&self) -> f64 {
        let sent = self.sender.and_then(|report| report.sent.as_ref()).map(|sent| sent.seconds);
        match self.received() {
            Some(received) => received.seconds,
            None => sent.or(self.sender.map(|report| report.seconds)).unwrap_or(0.0),
        }
    }

    /// The same restricted to the path `name`: if that path fails in a test of it alone, the others carry the data.
    pub fn only(mut self, name: &str) -> Self {
        self.part = self.paths.iter().find(|path| path.name == name).map_or(0.0, |path| path.share);
        self
    }

    /// The goodput in bits a second.
    pub fn goodput_bps(&self) -> f64 {
        rate(self.bytes(), self.seconds())
    }

    /// The fate of messages with a deadline, once both ends reported.
    pub fn deadline(&self, ask: &Ask) -> Option<DeadlineEntry> {
        let (sent, received) = (self.sender?.sent.as_ref()?, self.received()?);
        Some(DeadlineEntry::of(ask.deadlines?, sent, received))
    }

    /// The messages that were due but that the transport never accepted.
    pub fn unsent_messages(&self) -> u64 {
        let sent = self.sender.and_then(|report| report.sent.as_ref());
        sent.map_or(0, |sent| sent.unsent_messages)
    }
}

/// Processor seconds for each gigabyte sent or received at an end.
pub fn cpu_s_per_gb(report: &EndReport) -> Option<f64> {
    let sent = report.sent.as_ref().map_or(0, |sent| sent.bytes);
    let received = report.received.as_ref().map_or(0, |received| received.bytes + received.late_bytes);
    let bytes = sent.saturating_add(received);
    (bytes > 0).then(|| report.cpu_s * 1e9 / bytes as f64)
}

/// Sets each path's share of the data of all `paths`.
fn shared(mut paths: Vec<PathEntry>) -> Vec<PathEntry> {
    let all: u64 = paths.iter().map(|path| path.carried_bytes).fold(0, u64::saturating_add);
    for path in &mut paths {
        path.share = if all == 0 { 0.0 } else { path.carried_bytes as f64 / all as f64 };
    }
    paths
}
