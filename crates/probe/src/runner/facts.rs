//! The facts of an end about itself: processor time, sockets, other programs' traffic, since a start.

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::End;
use anabranch_net::{Association, Endpoint};

use super::interfaces::{Counters, counters, moved};
use super::lateness::Lateness;
use super::{Host, processor};
use crate::conductor::LaneFacts;

/// The start of a measurement at this end.
#[derive(Clone, Debug)]
pub(super) struct Start {
    at: Time,
    processor: Duration,
    drops: Option<u64>,
    counters: Counters,
    /// The bytes that this program had moved on each link.
    ours: BTreeMap<String, ByteCount>,
}

impl Start {
    /// A measurement begins now.
    pub(super) fn now(endpoint: &Endpoint, association: &Association) -> Start {
        Start {
            at: association.now(),
            processor: processor::used(),
            drops: drops(endpoint),
            counters: counters(),
            ours: ours(association),
        }
    }

    /// The facts of this end about itself. The sent share is the machine's to say.
    pub(super) fn facts(
        &self,
        endpoint: &Endpoint,
        association: &Association,
        host: &Host,
        lanes: &[LaneFacts],
        lateness: &Lateness,
    ) -> End {
        let sockets = endpoint.sockets();
        let seconds = association.now().since(self.at).as_secs_f64().max(1e-9);
        let (now, ours) = (counters(), ours(association));
        let others = |lane: &LaneFacts| {
            let interface = lane.interface.as_deref()?;
            let all = moved(&self.counters, &now, interface)?;
            let bytes =
                |links: &BTreeMap<String, ByteCount>| links.get(interface).copied().unwrap_or_default();
            Some(all.saturating_sub(bytes(&ours).saturating_sub(bytes(&self.ours)).get()))
        };
        End {
            lateness: lateness.quantile(0.5),
            lateness_p99: lateness.quantile(0.99),
            processor_share: processor::used().saturating_sub(self.processor).as_secs_f64() / seconds,
            least_sent_share: 1.0,
            socket_receive_buffer: sockets
                .iter()
                .map(|socket| socket.receive_buffer)
                .min()
                .unwrap_or_default(),
            socket_send_buffer: sockets.iter().map(|socket| socket.send_buffer).min().unwrap_or_default(),
            socket_drops: drops(endpoint).zip(self.drops).map(|(now, then)| now.saturating_sub(then)),
            receive_buffer_limit: host.receive_buffer_limit,
            send_buffer: host.send_buffer,
            others_bytes: lanes.iter().map(others).collect(),
        }
    }
}

/// The datagrams that the system dropped at the sockets.
fn drops(endpoint: &Endpoint) -> Option<u64> {
    endpoint.sockets().iter().map(|socket| socket.drops).sum()
}

fn ours(association: &Association) -> BTreeMap<String, ByteCount> {
    association.links().into_iter().map(|link| (link.name.clone(), link.charged())).collect()
}
