//! Every table of a scenario file with its keys, but for `[flow.sctp]`: those stand beside what they set.

use std::sync::LazyLock;

use anabranch_link::config::settings;

use super::fields::Shape;

pub(crate) const FILE: Shape =
    Shape { what: "a scenario", header: "", keys: &["title", "run", "link", "path", "event", "flow"] };

pub(crate) const RUN: Shape =
    Shape { what: "[run]", header: "[run]", keys: &["time", "warmup", "seed", "runs"] };

pub(crate) static LINK: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "a link",
    header: "[[link]]",
    keys: keys_of_links(&["name", "private", "reverse"]),
});

pub(crate) static REVERSE: LazyLock<Shape> =
    LazyLock::new(|| Shape { what: "the way back", header: "", keys: keys_of_links(&[]) });

/// The keys of the table of a link's settings, and these. They are made once, and last as long as the program.
fn keys_of_links(beside: &[&'static str]) -> &'static [&'static str] {
    let keys: Vec<&'static str> =
        beside.iter().copied().chain(settings().map(|setting| setting.key)).collect();
    keys.leak()
}

pub(crate) const STEPS: Shape = Shape { what: "a table of steps", header: "", keys: &["steps"] };
pub(crate) const TRACE: Shape = Shape { what: "a trace", header: "", keys: &["trace", "repeat"] };
pub(crate) const PATH: Shape =
    Shape { what: "a path", header: "[[path]]", keys: &["name", "links", "copies"] };

pub(crate) const EVENT: Shape = Shape {
    what: "an event",
    header: "[[event]]",
    keys: &["at", "link", "state", "rate", "delay", "loss", "mtu", "direction"],
};

pub(crate) const FLOW: Shape = Shape {
    what: "a flow",
    header: "[[flow]]",
    keys: &[
        "name",
        "protocol",
        "paths",
        "start",
        "transfer",
        "direction",
        "stagger",
        "traffic",
        "sctp",
        "tcp",
    ],
};

pub(crate) const BULK: Shape = Shape { what: "bulk traffic", header: "", keys: &["kind"] };
pub(crate) const CBR: Shape = Shape { what: "cbr traffic", header: "", keys: &["kind", "rate", "message"] };
pub(crate) const ON_OFF: Shape =
    Shape { what: "on-off traffic", header: "", keys: &["kind", "rate", "message", "on", "off"] };
pub(crate) const POISSON: Shape =
    Shape { what: "poisson traffic", header: "", keys: &["kind", "rate", "message"] };

/// The header of the table, of those that have one, that has this key: a key that is wrong in one may belong in another.
pub(crate) fn header_of(key: &str) -> Option<&'static str> {
    let shape = [&RUN, &*LINK, &PATH, &EVENT, &FLOW].into_iter().find(|shape| shape.keys.contains(&key));
    let is_of_sctp = || super::sctp::keys().any(|known| known.split('.').next() == Some(key));
    shape.map(|shape| shape.header).or_else(|| is_of_sctp().then_some(super::sctp::HEADER))
}
