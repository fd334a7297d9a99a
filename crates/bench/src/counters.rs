//! The counters of a path as keys of its entry: all that tools show in documents, those of the protocol in reports to a
//! peer.

use std::fmt;

use anabranch_base::counter::{Counter, Shown};
use anabranch_net::PathCounters;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserializer, Serializer};
use serde_json::Value;

use crate::path_entry::PathEntry;

/// Writes those that tools show.
///
/// # Errors
/// Those of the serializer.
pub fn show<S: Serializer>(counters: &PathCounters, serializer: S) -> Result<S::Ok, S::Error> {
    let mut keys = serializer.serialize_map(None)?;
    shown().try_for_each(|counter| keys.serialize_entry(counter.name, &(counter.read)(counters)))?;
    keys.end()
}

/// Reads those that a peer told: each of the protocol's once, and no others.
///
/// # Errors
/// One is missing, repeated or unknown, or is not a count.
pub fn read_told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathCounters, D::Error> {
    deserializer.deserialize_map(ToldCounters)
}

/// Writes paths as a report tells them.
///
/// # Errors
/// Those of the serializer.
pub fn tell<S: Serializer>(paths: &[PathEntry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(as_told))
}

/// The entry without counters of which a report does not tell.
pub fn as_told(path: &PathEntry) -> Value {
    let mut entry = serde_json::to_value(path).unwrap_or_default();
    if let Some(keys) = entry.as_object_mut() {
        keys.retain(|key, _| TOLD.contains(&key.as_str()) || shown().all(|counter| counter.name != key));
    }
    entry
}

fn shown() -> impl Iterator<Item = &'static Counter<PathCounters>> {
    PathCounters::table().filter(|counter| counter.shown.includes(Shown::Tools))
}

/// The counters in a report of version 1 of the protocol, whose programs refuse other keys.
const TOLD: [&str; 7] = [
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

#[cfg(test)]
mod tests {
    use super::*;

    fn counted() -> PathEntry {
        let mut counters = PathCounters::default();
        (1..).zip(shown()).for_each(|(number, counter)| (counter.write)(&mut counters, number));
        PathEntry { counters, ..PathEntry::default() }
    }

    fn read(entry: &Value) -> Result<PathEntry, String> {
        serde_json::from_value(entry.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_entry_has_every_counter_of_tools_in_its_place() {
        let entry = serde_json::to_value(counted()).expect("an entry");
        let keys: Vec<&String> = entry.as_object().expect("an object").keys().collect();
        let names: Vec<&str> = shown().map(|counter| counter.name).collect();
        assert_eq!(keys[4..][..names.len()], names);
        assert_eq!((keys[3].as_str(), keys[4 + names.len()].as_str()), ("state", "mean_cwnd_bytes"));
    }

    #[test]
    fn a_report_tells_the_counters_of_its_version_and_accepts_no_others() {
        let told = as_told(&counted());
        assert_eq!(as_told(&read(&told).expect("an entry")), told);
        let of = |name: &str| told[name].as_u64().is_some_and(|count| count > 0);
        assert!(TOLD.into_iter().all(of), "{told}");
        let (mut more, mut less) = (told.clone(), told);
        more["tail_probes"] = 3.into();
        assert!(read(&more).is_err_and(|why| why.contains("unknown field `tail_probes`")));
        less.as_object_mut().expect("an object").remove("timeouts");
        assert!(read(&less).is_err_and(|why| why.contains("missing field `timeouts`")));
    }

    #[test]
    fn a_counter_that_is_told_twice_or_is_no_count_is_refused() {
        let text = as_told(&counted()).to_string();
        let told = |text: &str| serde_json::from_str::<PathEntry>(text).map_err(|error| error.to_string());
        let twice = text.replacen("\"timeouts\"", "\"timeouts\":1,\"timeouts\"", 1);
        assert!(told(&twice).is_err_and(|why| why.contains("duplicate field `timeouts`")));
        assert!(told(&text.replacen("\"sent_packets\":", "\"sent_packets\":-", 1)).is_err());
        assert!(told(&text).is_ok());
    }
}
