//! The counters of a path as keys of its entry: documents have every counter shown by tools, reports to a peer only
//! those of the protocol.

use std::fmt;

use anabranch_base::counter::{Counter, Shown};
use anabranch_net::PathCounters;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserializer, Serializer};

/// Serializes the counters that tools show.
///
/// # Errors
/// The serializer fails.
pub(crate) fn show<S: Serializer>(counters: &PathCounters, serializer: S) -> Result<S::Ok, S::Error> {
    let mut keys = serializer.serialize_map(None)?;
    shown().try_for_each(|counter| keys.serialize_entry(counter.name, &(counter.read)(counters)))?;
    keys.end()
}

/// Deserializes the counters that a peer reported: each of the protocol's once, and no others.
///
/// # Errors
/// A counter is missing, repeated or unknown, or its value is not a count.
pub(crate) fn read_told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathCounters, D::Error> {
    deserializer.deserialize_map(ToldCounters)
}

/// The counters that tools show.
pub(crate) fn shown() -> impl Iterator<Item = &'static Counter<PathCounters>> {
    PathCounters::table().filter(|counter| counter.shown.includes(Shown::Tools))
}

/// The counters in a report of version 1 of the protocol, whose programs refuse other keys.
pub(crate) const TOLD: [&str; 7] = [
    "sent_packets",
    "sent_bytes",
    "received_packets",
    "received_bytes",
    "retransmitted_chunks",
    "fast_retransmits",
    "timeouts",
];

struct ToldCounters;

impl<'de> Visitor<'de> for ToldCounters {
    type Value = PathCounters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the counters of a path")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut keys: A) -> Result<PathCounters, A::Error> {
        let mut counters = PathCounters::default();
        let mut missing = TOLD.to_vec();
        while let Some(key) = keys.next_key::<String>()? {
            let name = TOLD.into_iter().find(|name| *name == key);
            let name = name.ok_or_else(|| A::Error::unknown_field(&key, &TOLD))?;
            let at = missing.iter().position(|known| *known == name);
            missing.swap_remove(at.ok_or_else(|| A::Error::duplicate_field(name))?);
            let count = keys.next_value()?;
            shown()
                .filter(|counter| counter.name == name)
                .for_each(|counter| (counter.write)(&mut counters, count));
        }
        missing.first().map_or(Ok(counters), |name| Err(A::Error::missing_field(name)))
    }
}
