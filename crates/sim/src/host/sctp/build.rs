//! Builds both ends of an SCTP flow from the scenario.

use anabranch_base::Time;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Link, Sctp};
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::wire::Checksum;

use super::{FlowSettings, SctpEnd};
use crate::hints::hints;
use crate::host::{Draft, Transport};
use crate::observe::Host;
use crate::predict::planned_config;
use crate::unfit::Unfit;

/// Both ends of an SCTP flow.
///
/// # Errors
/// The settings of the association contradict each other.
pub(crate) fn ends(draft: &Draft<'_>, sctp: &Sctp) -> Result<[Box<dyn Transport>; 2], Unfit> {
    let end = |host| -> Result<Box<dyn Transport>, Unfit> {
        let settings = settings(draft, host, sctp)?;
        // Bulk data is sent in messages that fill a chunk.
        let sender = draft.sender(host, settings.config.full_payload(IpVersion::V4));
        let end = SctpEnd::new(host, settings, sender, draft.seed_at(host));
        let mut end = end.map_err(|error| Unfit::Settings(Box::new(error)))?;
        if host == Host::First {
            let roles = draft.paths.iter().map(|path| draft.scenario.paths[*path].role);
            end = end.with_roles(roles);
        }
        Ok(Box::new(end.hinted(hints(draft.scenario, &draft.paths, host))))
    };
    Ok([end(Host::First)?, end(Host::Second)?])
}

/// The settings of the end at a host.
pub(super) fn settings(draft: &Draft<'_>, host: Host, sctp: &Sctp) -> Result<FlowSettings, Unfit> {
    let config = planned_config(draft.scenario, &draft.paths, host, sctp)?;
    let config = Config { checksum: checksum_for(draft.scenario), ..config };
    Ok(FlowSettings {
        overhead: config.overhead(IpVersion::V4),
        config,
        registry: draft.scenario.registry.clone(),
        port: draft.port,
        paths: draft.paths.clone(),
        ordered: sctp.ordered,
        closes: draft.flow.direction != Direction::Both,
        warmup: Time::ZERO + draft.scenario.run.warmup,
    })
}

/// If no link damages packets, verifying checksums costs time and changes nothing.
fn checksum_for(scenario: &Scenario) -> Checksum {
    let corrupts = |link: &Link| link.forward.corrupt > 0.0 || link.reverse.corrupt > 0.0;
    if scenario.links.iter().any(corrupts) { Checksum::Crc32c } else { Checksum::Omitted }
}
