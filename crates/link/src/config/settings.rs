//! The table of a link's settings: every key of a direction of a link in a scenario, in the order in which results
//! list them. To add a setting, add its entry.

use anabranch_base::setting::{Kind, Named, Scope, Settable as _, Setting, Value, shaped};
use anabranch_base::{ByteCount, field};

use super::{LinkConfig, LossConfig, LossPlace};

/// Every setting of one direction of a link, in order.
pub fn settings() -> impl Iterator<Item = &'static Setting<LinkConfig>> + Clone {
    SETTINGS.iter()
}

/// The settings that every kind of loss has in addition to its own.
pub fn loss_settings() -> impl Iterator<Item = &'static Setting<LossConfig>> + Clone {
    LOSS_SETTINGS.iter()
}

static SETTINGS: [Setting<LinkConfig>; 9] = [
    shaped("rate", "`\"10 Mbit/s\"`, steps or a trace", "transmission rate"),
    shaped("delay", "a time, or steps", "one-way propagation delay, after transmission"),
    shaped(
        "jitter",
        "a time, or a table",
        "extra delay of each packet, uniform from 0 to this value, or a kind of jitter",
    ),
    field!(reorder, Scenarios, Kind::Boolean, "packets may overtake by jitter or a falling delay"),
    shaped("loss", "a loss probability per packet, or a table", "loss rule"),
    shaped("queue", "packets, a size, or a table", "queue, without the packet in transmission"),
    Setting {
        key: "mtu",
        scope: Scope::Scenarios,
        kind: MTU,
        doc: "larger packets are lost silently, or fragmented if they may be, with one more header per fragment",
        get: |link| Some(mtu_value(link.mtu)),
        set: |link, value| {
            link.mtu = mtu_of(value);
            Ok(())
        },
    },
    field!(duplicate, Scenarios, Kind::Probability, "probability that a packet arrives twice"),
    field!(corrupt, Scenarios, Kind::Probability, "probability that a packet arrives damaged"),
];

static LOSS_SETTINGS: [Setting<LossConfig>; 2] = [
    field!(after, Scenarios, Kind::ANY_SPAN, "no losses before this time"),
    field!(
        at,
        Scenarios,
        LossPlace::KIND,
        "before the queue, so that a lost packet uses no bandwidth, or after transmission"
    ),
];

/// The kind of an MTU.
pub const MTU: Kind = Kind::WordOr(&[ANY_SIZE], &Kind::Size { least: 68, most: 65_535 });

/// The word for a link that carries packets of any size.
const ANY_SIZE: &str = "none";

/// An MTU as a value; `None` means packets of any size.
pub fn mtu_value(mtu: Option<ByteCount>) -> Value {
    mtu.map_or_else(|| Value::word(ANY_SIZE), |size| size.value())
}

/// The MTU that `value` of the kind [`MTU`] means.
pub fn mtu_of(value: Value) -> Option<ByteCount> {
    ByteCount::of_value(value)
}

impl Named for LossPlace {
    const WHAT: &'static str = "place of a loss";
    const NAMES: &'static [(&'static str, LossPlace)] =
        &[("entry", LossPlace::Entry), ("exit", LossPlace::Exit)];
}
