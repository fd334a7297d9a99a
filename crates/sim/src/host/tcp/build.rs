//! Both ends of a TCP flow, from what the scenario says.

use anabranch_base::{Duration, Time};
use anabranch_scenario::model::{Tcp, Traffic};

use super::TcpEnd;
use super::assembly::Assembly;
use super::connection::ConnectionSender;
use super::limits::TimeInLimits;
use super::segment::Format;
use super::source::SegmentSource;
use super::subflow::Subflow;
use crate::hints::hints;
use crate::host::sctp::Slabs;
use crate::host::{Draft, Transport};
use crate::observe::Host;

/// Both ends of a TCP connection.
pub(crate) fn ends(draft: &Draft<'_>, settings: &Tcp) -> [Box<dyn Transport>; 2] {
    Host::BOTH.map(|host| -> Box<dyn Transport> { Box::new(end(draft, settings, host)) })
}

/// The end at one host.
pub(super) fn end(draft: &Draft<'_>, settings: &Tcp, host: Host) -> TcpEnd {
    let hints = hints(draft.scenario, &draft.paths, host);
    let subflow =
        |handshake: Option<Duration>| Subflow::new(settings, draft.flow.start, handshake.unwrap_or_default());
    let losses = hints.iter().map(|hint| hint.loss.unwrap_or_default()).collect();
    let is_bulk = draft.flow.traffic == Traffic::Bulk;
    let sender = draft.sender(host, settings.mss).map(|sender| {
        ConnectionSender::new(settings, SegmentSource::new(sender, settings.mss, is_bulk), losses)
    });
    TcpEnd {
        subflows: hints.iter().map(|hint| subflow(hint.round_trip)).collect(),
        sender,
        assembly: Assembly::default(),
        deliveries: Vec::new(),
        format: Format { port: draft.port, is_multipath: draft.paths.len() > 1 },
        warmup: Time::ZERO + draft.scenario.run.warmup,
        blocked: TimeInLimits::new(),
        slabs: Slabs::new(),
        told: None,
    }
}
