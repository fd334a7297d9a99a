//! A real transfer over emulated links, from one endpoint to another.

use anabranch_base::{ByteCount, Duration};
use anabranch_emulate::{RelayReport, TimingError};
use anabranch_net::{Association, Endpoint, Security, SendOptions};
use anabranch_sctp::config::{Config, Encapsulation, IpVersion};
use anabranch_sim::BuildError;
use anabranch_sim::observe::Host;
use anabranch_sim::predict::planned_config;
use bytes::Bytes;

use super::endpoint_pair::{Emulation, EndpointPair, open_pair};
use super::variant::PathVariant;
use crate::failure::Failure;
use crate::key;
use crate::peer::{Partner, Peer};
use anabranch_net::Clock;

/// The result of one real transfer.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// Bits of user data per second, counted like the simulator's.
    pub goodput_bps: f64,
    /// User data that arrived.
    pub delivered: ByteCount,
    /// From the start to the last byte's delivery; `None` if not all arrived in time.
    pub completion: Option<Duration>,
    /// The report of the relay.
    pub relay: RelayReport,
}

impl Attempt {
    /// Returns true if the relay was too late, so that the links were not those of the scenario.
    pub(crate) fn is_void(&self) -> bool {
        self.timing().p99 > MOST_LATE
    }

    /// The timing error of the relay.
    pub(super) fn timing(&self) -> TimingError {
        self.relay.timing
    }
}

/// The maximum p99 timing error of a relay that emulates the scenario.
pub(super) const MOST_LATE: Duration = Duration::from_millis(2);

/// Makes the transfer of the variant's flow on this machine.
///
/// # Errors
/// A socket or the association cannot be opened.
pub(super) async fn transfer(variant: &PathVariant, emulation: Emulation) -> Result<Attempt, Failure> {
    let flow = variant.flow();
    let config = planned_config(&variant.scenario, &flow.paths, Host::First, variant.sctp())
        .map_err(|why| BuildError::Flow { flow: flow.name.clone(), why })?;
    let security = security(variant)?;
    let EndpointPair { sender, receiver, to, links } = open_pair(variant, emulation, &config, &security)?;
    let clock = Clock::start();
    let peer = Peer::new(to.clone(), &security, Partner::Files);
    let sending = async {
        let association = sender.connect(&to).await.map_err(|error| peer.not_opened(error))?;
        send(&association, variant, &config).await;
        Ok::<Association, Failure>(association)
    };
    let receiving = receive(&receiver, variant, clock);
    tokio::pin!(sending, receiving);
    let mut held = None;
    let counted = loop {
        tokio::select! {
            association = &mut sending, if held.is_none() => held = Some(association?),
            counted = &mut receiving => break counted,
        }
    };
    if let Some(association) = &held {
        association.abort("the comparison is over");
    }
    Ok(counted.attempt(variant, links.stop()))
}

/// The counters of the receiver.
struct Counted {
    delivered: ByteCount,
    after_warmup: ByteCount,
    completion: Option<Duration>,
    ended: Duration,
}

impl Counted {
    fn attempt(self, variant: &PathVariant, relay: RelayReport) -> Attempt {
        let run = &variant.scenario.run;
        let span = self.completion.unwrap_or(self.ended).saturating_sub(run.warmup);
        let goodput_bps =
            if span.is_zero() { 0.0 } else { self.after_warmup.get() as f64 * 8.0 / span.as_secs_f64() };
        Attempt { goodput_bps, delivered: self.delivered, completion: self.completion, relay }
    }
}

/// Both ends are in this process, and share a new key.
fn security(variant: &PathVariant) -> Result<Security, Failure> {
    match variant.sctp().config.encapsulation {
        Encapsulation::Sealed => Ok(Security::Sealed(key::fresh()?)),
        Encapsulation::None | Encapsulation::Udp => Ok(Security::Insecure),
    }
}

/// Sends until the transfer is complete or the association ends.
async fn send(association: &Association, variant: &PathVariant, config: &Config) {
    let size = config.full_payload(IpVersion::V4);
    let message = Bytes::from(vec![0x5a; size.as_len()]);
    let in_order = SendOptions::default();
    let options = if variant.sctp().ordered { in_order } else { in_order.unordered() };
    let mut left = variant.flow().transfer;
    while !left.is_some_and(ByteCount::is_zero) {
        let length = left.map_or(size, |left| left.min(size));
        left = left.map(|left| left - length);
        let part = message.slice(..length.as_len());
        if association.send(part, options).await.is_err() {
            return;
        }
    }
}

/// Counts the data that arrives, until it is complete or the time limit.
async fn receive(endpoint: &Endpoint, variant: &PathVariant, clock: Clock) -> Counted {
    let run = &variant.scenario.run;
    let limit = std::time::Duration::from(run.time.unwrap_or(LONGEST).saturating_sub(clock.elapsed()));
    let mut counted = Counted {
        delivered: ByteCount::ZERO,
        after_warmup: ByteCount::ZERO,
        completion: None,
        ended: Duration::ZERO,
    };
    let counting = async {
        let Some(association) = endpoint.accept().await else { return };
        while let Ok(message) = association.recv().await {
            let now = clock.elapsed();
            let bytes = ByteCount::of_len(message.len());
            counted.delivered += bytes;
            if now >= run.warmup {
                counted.after_warmup += bytes;
            }
            if variant.flow().transfer.is_some_and(|all| counted.delivered >= all) {
                counted.completion = Some(now);
                return;
            }
        }
    };
    // After the time limit, further data is not counted.
    let _ = tokio::time::timeout(limit, counting).await;
    counted.ended = clock.elapsed();
    counted
}

/// The time limit if the scenario has none.
const LONGEST: Duration = Duration::from_secs(3_600);
