//! Keeps measurements of paths for later associations over them.

use std::collections::BTreeMap;
use std::net::IpAddr;

use anabranch_base::{ByteCount, Duration, Time};

use crate::association::{Association, PathAddresses};
use crate::path::Remembered;
use crate::policy::PathSample;

/// The paths that ended associations used, by the IP addresses of both ends: another connection has other ports.
#[derive(Debug, Default)]
pub(super) struct Memory {
    known: BTreeMap<(IpAddr, IpAddr), Remembered>,
}

impl Memory {
    /// Stores the measurements of an association that ends at `now`.
    pub(super) fn learn(&mut self, association: &Association, now: Time) {
        for sample in association.paths() {
            let Some(new) = learnt(sample, now) else { continue };
            let counters = association.path_counters(sample.id);
            let key = key(association.path_addresses(sample.id));
            // A path without losses may not have been full.
            let was_full = counters.fast_retransmits + counters.timeouts > 0;
            let is_worse = self.known.get(&key).is_some_and(|old| new.filling < old.filling);
            if is_worse && !was_full {
                continue;
            }
            if self.known.len() >= MOST && !self.known.contains_key(&key) {
                let oldest = self.known.iter().min_by_key(|(_, known)| known.at).map(|(key, _)| *key);
                oldest.and_then(|key| self.known.remove(&key));
            }
            self.known.insert(key, new);
        }
    }

    /// Applies the stored measurements to a new association.
    pub(super) fn restore(&self, association: &mut Association) {
        if !self.known.is_empty() {
            association.remember(|addresses| self.known.get(&key(addresses)).copied());
        }
    }
}

fn key(addresses: PathAddresses) -> (IpAddr, IpAddr) {
    (addresses.local.ip(), addresses.remote.ip())
}

/// The measurements of a path to store, if it was measured and worked.
fn learnt(sample: &PathSample, now: Time) -> Option<Remembered> {
    let (delivery, round_trip) = (sample.delivery?, sample.min_rtt?);
    let bits = u128::from(delivery.peak.bits_per_second()) * u128::from(round_trip.as_nanos());
    let filling = ByteCount::new(u64::try_from(bits / 8_000_000_000).unwrap_or(u64::MAX));
    let is_of_use = sample.state.works() && round_trip > Duration::ZERO && filling > sample.unit * FEWEST;
    is_of_use.then_some(Remembered { at: now, filling, round_trip })
}

/// The maximum number of paths stored.
const MOST: usize = 256;
/// The minimum window worth storing, in packets: every association starts with about as much.
const FEWEST: u64 = 20;
