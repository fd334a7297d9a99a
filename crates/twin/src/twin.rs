//! The scenario of measured links, ready to run.

use anabranch_diagnose::LinkEstimate;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Protocol, Sctp};

use crate::choices::TwinChoices;
use crate::error::TwinError;
use crate::link_text::LinkDirection;
use crate::network::{NetworkFile, network_toml};
use crate::quantity::sound;

/// The scenario of measured links, with its file.
#[derive(Clone, Debug)]
pub struct Twin {
    file: NetworkFile,
    scenario: Scenario,
    /// The bytes that links and queues hold together when all have the longest round trip.
    held_bytes: f64,
    /// The longest round trip with full queues, in seconds.
    longest_s: f64,
}

impl Twin {
    /// Writes the scenario of these links and reads it.
    ///
    /// # Errors
    /// As [`network_toml`].
    pub fn of(links: &[LinkEstimate], choices: &TwinChoices) -> Result<Twin, TwinError> {
        let file = network_toml(links, choices)?;
        let scenario = file.scenario(&choices.registry)?;
        let longest_s = links.iter().map(longest).fold(0.0, f64::max);
        let rate = |link: &LinkEstimate| {
            let of =
                |is_forward| LinkDirection { link, is_forward }.rate().map_or(0.0, |(rate, _)| rate.value);
            f64::max(of(true), of(false))
        };
        let held_bytes = links.iter().map(rate).sum::<f64>() / 8.0 * longest_s;
        Ok(Twin { file, scenario, held_bytes, longest_s })
    }

    /// The file.
    pub fn file(&self) -> &NetworkFile {
        &self.file
    }

    /// The scenario of the file.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    pub(crate) fn held_bytes(&self) -> f64 {
        self.held_bytes
    }

    pub(crate) fn longest_s(&self) -> f64 {
        self.longest_s
    }
}

/// The settings of the first SCTP flow.
pub(crate) fn association(scenario: &Scenario) -> Option<&Sctp> {
    scenario.flows.iter().find_map(|flow| match &flow.protocol {
        Protocol::Sctp(sctp) => Some(&**sctp),
        Protocol::Udp | Protocol::Tcp(_) => None,
    })
}

/// The round trip of a link with both queues full, in seconds, at most ten.
fn longest(link: &LinkEstimate) -> f64 {
    let queue = |estimate: &anabranch_diagnose::DirectionEstimate| {
        estimate.queue.and_then(|queue| sound(Some(queue.depth_s))).map_or(0.0, |depth| depth.value)
    };
    let trip = sound(link.round_trip_s).map_or(0.0, |trip| trip.value);
    (trip + queue(&link.forward) + queue(&link.reverse)).min(10.0)
}
