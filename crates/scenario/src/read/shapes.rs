//! The tables of a scenario file with their keys, from the lists of settings.

use std::sync::LazyLock;

use anabranch_base::setting::{Scope, Setting};
use anabranch_link::config::settings as link_settings;
use anabranch_sctp::policy::Registry;

use anabranch_wireless::config::{radio_settings, station_settings};

use super::fields::Shape;
use crate::settings::{self, AssociationSetting, OWN_SETTINGS, SCTP_HEADER};

pub(crate) const FILE: Shape = Shape {
    what: "a scenario",
    header: "",
    keys: &["title", "run", "link", "radio", "node", "path", "event", "flow"],
};

pub(crate) static RUN: LazyLock<Shape> =
    LazyLock::new(|| Shape { what: "[run]", header: "[run]", keys: leaked(keys(&settings::RUN)) });

pub(crate) static LINK: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "a link",
    header: "[[link]]",
    keys: leaked(keys(&settings::LINK).chain(link_settings().map(|setting| setting.key))),
});

pub(crate) static REVERSE: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "the reverse direction",
    header: "",
    keys: leaked(link_settings().map(|setting| setting.key)),
});

pub(crate) const STEPS: Shape = Shape { what: "a table of steps", header: "", keys: &["steps"] };
pub(crate) const TRACE: Shape = Shape { what: "a trace", header: "", keys: &["trace", "repeat"] };

pub(crate) static RADIO: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "a radio",
    header: "[radio]",
    keys: leaked(keys(&settings::RADIO).chain(radio_settings().map(|setting| setting.key))),
});

pub(crate) static NODE: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "a node",
    header: "[[node]]",
    keys: leaked(station_settings().map(|setting| setting.key)),
});

pub(crate) static PATH: LazyLock<Shape> =
    LazyLock::new(|| Shape { what: "a path", header: "[[path]]", keys: leaked(keys(&settings::PATH)) });

pub(crate) static EVENT: LazyLock<Shape> =
    LazyLock::new(|| Shape { what: "an event", header: "[[event]]", keys: leaked(keys(&settings::EVENT)) });

pub(crate) static FLOW: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "a flow",
    header: "[[flow]]",
    keys: leaked(keys(&settings::FLOW).chain([settings::STAGGER.key])),
});

pub(crate) static TCP: LazyLock<Shape> = LazyLock::new(|| Shape {
    what: "a TCP connection",
    header: settings::TCP_HEADER,
    keys: leaked(keys(&settings::TCP)),
});

fn keys<T>(settings: &'static [Setting<T>]) -> impl Iterator<Item = &'static str> {
    settings.iter().map(|setting| setting.key)
}

/// Leaks the list, which is made once and lasts as long as the program.
fn leaked(keys: impl Iterator<Item = &'static str>) -> &'static [&'static str] {
    keys.collect::<Vec<_>>().leak()
}

/// Every key of `[flow.sctp]` with the policies of `registry`.
pub(crate) fn sctp_keys(registry: &Registry) -> Vec<&'static str> {
    let all = AssociationSetting::all(registry).into_iter();
    let of_protocol = all.filter(|setting| setting.scope().includes(Scope::Scenarios));
    OWN_SETTINGS.iter().map(|(_, own)| own.key).chain(of_protocol.map(|setting| setting.key())).collect()
}

/// The header of the table that has this key: a key that is wrong in one table may belong in another.
pub(crate) fn header_of(key: &str, registry: &Registry) -> Option<&'static str> {
    let shape = [&*RUN, &*LINK, &*RADIO, &*NODE, &*PATH, &*EVENT, &*FLOW]
        .into_iter()
        .find(|shape| shape.keys.contains(&key));
    let is_of_sctp = || sctp_keys(registry).iter().any(|known| known.split('.').next() == Some(key));
    let is_of_tcp = || TCP.keys.contains(&key).then_some(TCP.header);
    shape.map(|shape| shape.header).or_else(|| is_of_sctp().then_some(SCTP_HEADER)).or_else(is_of_tcp)
}
