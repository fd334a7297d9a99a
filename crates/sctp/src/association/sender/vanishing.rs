//! Detects that data can never arrive because the network drops packets of its size and their fragments, while
//! HEARTBEATs are answered: the answers clear the error counts of RFC 9260 §8.1, so that nothing else would end the
//! association.

use anabranch_base::{ByteCount, Duration, Time};

use super::Sender;
use crate::association::ground::Ground;
use crate::config::MtuDiscovery;
use crate::event::CloseReason;
use crate::policy::PathId;
use crate::seq::Tsn;

/// The time-outs of the lowest outstanding chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vanishing {
    tsn: Tsn,
    /// The time of the first one.
    since: Time,
    /// The time of the last one.
    last: Time,
    timeouts: u32,
}

impl Sender {
    /// Checks, when T3-rtx expires on `path`, whether data can still arrive. Returns the reason to close the
    /// association if it cannot: the lowest outstanding chunk times out repeatedly, and since each previous time-out a
    /// path has delivered smaller packets.
    ///
    /// Only chunks larger than what every network carries count: others are lost for other reasons.
    pub(crate) fn judge_vanishing(
        &mut self,
        ground: &Ground,
        path: PathId,
        now: Time,
    ) -> Option<CloseReason> {
        let tsn = self.buffer.lowest_on(path).filter(|&tsn| tsn == self.buffer.ack_point().next())?;
        let config = &ground.settings.config;
        let size = self.buffer.packet_with(tsn);
        let is_small = size <= ground.paths.safe_limit(path, config);
        if config.mtu_discovery == MtuDiscovery::Off || is_small || self.is_refused(tsn) {
            return None;
        }
        let Some(before) = self.vanishing.filter(|before| before.tsn == tsn) else {
            self.vanishing = Some(Vanishing { tsn, since: now, last: now, timeouts: 1 });
            return None;
        };
        let alive_at = ground.paths.living().filter_map(|id| ground.paths.health(id).alive_at()).max();
        if alive_at.is_none_or(|alive| alive <= before.last) {
            return None;
        }
        let counted = Vanishing { last: now, timeouts: before.timeouts + 1, ..before };
        self.vanishing = Some(counted);
        let most = config.failover.association_max;
        let is_hopeless = counted.timeouts > most && now.since(counted.since) >= PATIENCE;
        let ip = ground.paths.addresses(path).ip_version();
        is_hopeless.then(|| CloseReason::PacketsVanish {
            size: size + config.overhead(ip),
            carried: carried_below(ground, size),
        })
    }
}

/// The largest IP packet that arrives, if it is known to be smaller than one with an SCTP packet of `size` bytes.
fn carried_below(ground: &Ground, size: ByteCount) -> Option<ByteCount> {
    let living = ground.paths.living().map(|id| ground.paths.sample(id));
    living.filter(|sample| sample.packet_limit < size).map(|sample| sample.mtu).max()
}

/// The minimum time for the network to recover.
const PATIENCE: Duration = Duration::from_secs(20);
