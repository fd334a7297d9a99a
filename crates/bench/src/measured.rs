//! The reports of both ends of a finished test.

use crate::direction::TestDirection;
use crate::intervals::Interval;
use crate::names;
use crate::path_entry::{PathEntry, rate};
use crate::protocol::{Ask, EndReport, ReceiverReport, RequestedDirection};
use anabranch_base::Duration;
use anabranch_net::LinkReport;

/// Which end this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It asked for the test.
    Client,
    /// It was asked.
    Server,
}

/// What both ends saw of a test.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The test.
    pub ask: Ask,
    /// How wrong delays may be, as the two clocks are not one.
    pub clock_error: Duration,
    /// Which end this is.
    pub role: Role,
    /// What it saw.
    pub ours: EndReport,
    /// What the other told; nothing where it could not.
    pub theirs: Option<EndReport>,
    /// What was seen here in each interval.
    pub intervals: Vec<Interval>,
    /// What each link of this machine carried, as far as its sockets belong to links.
    pub links: Vec<LinkReport>,
}

/// What both ends saw of one direction.
#[derive(Clone, Debug)]
pub struct OneWay<'a> {
    /// Which.
    pub direction: TestDirection,
    /// The sending end.
    pub sender: Option<&'a EndReport>,
    /// The receiving one.
    pub receiver: Option<&'a EndReport>,
    /// What the paths did, by the sender, with the names that they have here.
    pub paths: Vec<PathEntry>,
    /// True if they are as the peer told them: its report has fewer counters.
    pub are_told: bool,
    /// Which part of what arrived counts, 0 to 1.
    part: f64,
}

impl Role {
    /// The end that sends `direction`.
    pub fn sending(direction: TestDirection) -> Role {
        match direction {
            TestDirection::Forward => Role::Client,
            TestDirection::Reverse => Role::Server,
        }
    }

    /// Returns true if this end sends in a test in such a direction.
    pub fn sends(self, direction: RequestedDirection) -> bool {
        match self {
            Role::Client => direction.is_forward(),
            Role::Server => direction.is_reverse(),
        }
    }

    /// Returns true if it receives.
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
    /// The direction of the test, and the other if it had two.
    pub fn ways(&self) -> (OneWay<'_>, Option<OneWay<'_>>) {
        match self.ask.direction {
            RequestedDirection::Forward => (self.one(TestDirection::Forward), None),
            RequestedDirection::Reverse => (self.one(TestDirection::Reverse), None),
            RequestedDirection::Both => {
                (self.one(TestDirection::Forward), Some(self.one(TestDirection::Reverse)))
            }
        }
    }

    fn one(&self, direction: TestDirection) -> OneWay<'_> {
        let (sender, receiver) =
            (self.of(Role::sending(direction)), self.of(Role::sending(direction).other()));
        let paths = match sender {
            Some(report) if Role::sending(direction) == self.role => report.paths.clone(),
            Some(report) => names::ours_for(&report.paths, &self.ours.paths),
            // The sender said nothing: what arrived is what is known.
            None => self.ours.paths.clone(),
        };
        let are_told = sender.is_some() && Role::sending(direction) != self.role;
        OneWay { direction, sender, receiver, paths: shared(paths), are_told, part: 1.0 }
    }

    fn of(&self, role: Role) -> Option<&EndReport> {
        if role == self.role { Some(&self.ours) } else { self.theirs.as_ref() }
    }
}

impl OneWay<'_> {
    /// What the receiver counted.
    pub fn received(&self) -> Option<&ReceiverReport> {
        self.receiver.and_then(|report| report.received.as_ref())
    }

    /// User data that arrived in time; as far as it was acknowledged, where the receiver did not tell.
    pub fn bytes(&self) -> u64 {
        let all = match self.received() {
            Some(received) => received.bytes,
            None => self.paths.iter().map(|path| path.carried_bytes).sum(),
        };
        if self.part < 1.0 { (all as f64 * self.part) as u64 } else { all }
    }

    /// The time in which it did.
    pub fn seconds(&self) -> f64 {
        let sent = self.sender.and_then(|report| report.sent.as_ref()).map(|sent| sent.seconds);
        match self.received() {
            Some(received) => received.seconds,
            None => sent.or(self.sender.map(|report| report.seconds)).unwrap_or(0.0),
        }
    }

    /// The same as far as the path of this name carried it: where that does not work, the others do, whatever was wanted.
    pub fn only(mut self, name: &str) -> Self {
        self.part = self.paths.iter().find(|path| path.name == name).map_or(0.0, |path| path.share);
        self
    }

    /// Bits a second.
    pub fn goodput_bps(&self) -> f64 {
        rate(self.bytes(), self.seconds())
    }

    /// Messages that were due and never taken.
    pub fn unsent_messages(&self) -> u64 {
        let sent = self.sender.and_then(|report| report.sent.as_ref());
        sent.map_or(0, |sent| sent.unsent_messages)
    }
}

/// Processor time for each gigabyte that went through an end.
pub fn cpu_s_per_gb(report: &EndReport) -> Option<f64> {
    let sent = report.sent.as_ref().map_or(0, |sent| sent.bytes);
    let received = report.received.as_ref().map_or(0, |received| received.bytes + received.late_bytes);
    let bytes = sent.saturating_add(received);
    (bytes > 0).then(|| report.cpu_s * 1e9 / bytes as f64)
}

/// Each path's part of all that is here.
fn shared(mut paths: Vec<PathEntry>) -> Vec<PathEntry> {
    let all: u64 = paths.iter().map(|path| path.carried_bytes).fold(0, u64::saturating_add);
    for path in &mut paths {
        path.share = if all == 0 { 0.0 } else { path.carried_bytes as f64 / all as f64 };
    }
    paths
}
