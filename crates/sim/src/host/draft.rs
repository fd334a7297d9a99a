//! A pair of ends before it is built: what the scenario says about it, for any transport.

use anabranch_base::{ByteCount, Seed};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Flow;

use crate::application::Sender;
use crate::observe::Host;
use crate::senders::sends;
use crate::traffic;

/// The values from which a pair of ends is built.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    /// The whole scenario.
    pub scenario: &'a Scenario,
    /// The flow whose data, or a part of it, the pair carries.
    pub flow: &'a Flow,
    /// The port of both ends.
    pub port: u16,
    /// The scenario's path for each of the pair's paths.
    pub paths: Vec<usize>,
    /// The pair's seed.
    pub seed: Seed,
}

impl Draft<'_> {
    /// The application at a host, if it sends; bulk data is sent in messages of `size`.
    pub(crate) fn sender(&self, host: Host, size: ByteCount) -> Option<Sender> {
        let flow = self.flow;
        let source = traffic::build(&flow.traffic, flow.start, &self.seed_at(host).child("traffic"));
        sends(flow, host).then(|| Sender::new(source, size, flow.transfer, flow.start))
    }

    /// The seed of the end at a host.
    pub(crate) fn seed_at(&self, host: Host) -> Seed {
        self.seed.child(match host {
            Host::First => "first",
            Host::Second => "second",
        })
    }
}
