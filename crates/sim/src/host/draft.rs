//! A pair of ends before it is made: what the scenario says of it, whatever its transport.

use anabranch_base::{ByteCount, Seed};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Flow, Protocol};

use super::{Transport, sctp, udp};
use crate::application::Sender;
use crate::observe::Host;
use crate::senders::sends;
use crate::traffic;
use crate::unfit::Unfit;

/// What a pair of ends is made from.
#[derive(Debug)]
pub struct Draft<'a> {
    /// The whole scenario.
    pub scenario: &'a Scenario,
    /// The flow that the pair carries, or carries a part of.
    pub flow: &'a Flow,
    /// The port of both ends.
    pub port: u16,
    /// The scenario's path behind each of the pair's.
    pub paths: Vec<usize>,
    /// The pair's own.
    pub seed: Seed,
}

impl Draft<'_> {
    /// The ends by the flow's protocol: at the first host, and at the second.
    ///
    /// # Errors
    /// The settings of the transport contradict one another.
    pub fn ends(&self) -> Result<[Box<dyn Transport>; 2], Unfit> {
        match &self.flow.protocol {
            Protocol::Udp => Ok(udp::ends(self)),
            Protocol::Sctp(settings) => sctp::ends(self, settings),
        }
    }

    /// The application at a host, if it sends; bulk data comes in messages of `size`.
    pub fn sender(&self, host: Host, size: ByteCount) -> Option<Sender> {
        let flow = self.flow;
        let source = traffic::build(&flow.traffic, flow.start, &self.seed_at(host).child("traffic"));
        sends(flow, host).then(|| Sender::new(source, size, flow.transfer, flow.start))
    }

    /// The seed of the end at a host.
    pub fn seed_at(&self, host: Host) -> Seed {
        self.seed.child(match host {
            Host::First => "first",
            Host::Second => "second",
        })
    }
}
