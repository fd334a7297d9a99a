//! The table of a link's settings: every key that a direction of a link has in a scenario, in the order in which results
//! say them. Adding a setting is adding its entry.

use anabranch_base::Time;
use anabranch_base::setting::{Kind, Named, Scope, Setting, Value, put, shown};

use super::{LinkConfig, LossConfig, LossPlace};

/// Every setting of one direction of a link, in order.
pub fn settings() -> impl Iterator<Item = &'static Setting<LinkConfig>> + Clone {
    SETTINGS.iter()
}

/// What every kind of loss has beside its own settings.
pub fn loss_settings() -> impl Iterator<Item = &'static Setting<LossConfig>> + Clone {
    LOSS_SETTINGS.iter()
}

static SETTINGS: [Setting<LinkConfig>; 9] = [
    shaped("rate", "`\"10 Mbit/s\"`, steps or a trace", "how fast it transmits"),
    shaped("delay", "a time, or steps", "how long a packet is on its way after it was transmitted, one way"),
    Setting {
        key: "jitter",
        scope: Scope::Scenarios,
        kind: Kind::ANY_SPAN,
        doc: "each packet takes up to this much longer, uniformly drawn",
        get: |link| shown(&link.jitter),
        set: |link, value| put(&mut link.jitter, value),
    },
    Setting {
        key: "reorder",
        scope: Scope::Scenarios,
        kind: Kind::Boolean,
        doc: "whether packets may overtake one another by jitter or a falling delay",
        get: |link| shown(&link.reorder),
        set: |link, value| put(&mut link.reorder, value),
    },
    shaped("loss", "a probability for each packet, or a table", "what it loses, see below"),
    shaped(
        "queue",
        "packets, a size, or a table",
        "what waits, the packet being sent not counted, see below",
    ),
    Setting {
        key: "mtu",
        scope: Scope::Scenarios,
        kind: Kind::WordOr(ANY_SIZE, &Kind::Size { least: 68, most: 65_535 }),
        doc: "larger packets are lost without notice, but for those that may be fragmented, which grow by a header for each \
              further piece",
        get: |link| link.mtu.map_or(Some(Value::word(ANY_SIZE)), |size| shown(&size)),
        set: |link, value| {
            link.mtu = match value {
                Value::Size(size) => Some(size),
                _ => None,
            };
            Ok(())
        },
    },
    Setting {
        key: "duplicate",
        scope: Scope::Scenarios,
        kind: Kind::Probability,
        doc: "the probability that a packet arrives twice",
        get: |link| shown(&link.duplicate),
        set: |link, value| put(&mut link.duplicate, value),
    },
    Setting {
        key: "corrupt",
        scope: Scope::Scenarios,
        kind: Kind::Probability,
        doc: "the probability that a packet arrives damaged",
        get: |link| shown(&link.corrupt),
        set: |link, value| put(&mut link.corrupt, value),
    },
];

static LOSS_SETTINGS: [Setting<LossConfig>; 2] = [
    Setting {
        key: "after",
        scope: Scope::Scenarios,
        kind: Kind::ANY_SPAN,
        doc: "nothing is lost before",
        get: |loss| shown(&loss.after.since(Time::ZERO)),
        set: |loss, value| {
            let mut span = loss.after.since(Time::ZERO);
            put(&mut span, value)?;
            loss.after = Time::ZERO + span;
            Ok(())
        },
    },
    Setting {
        key: "at",
        scope: Scope::Scenarios,
        kind: LossPlace::KIND,
        doc: "before the queue, so that a lost packet uses no bandwidth, or after transmission",
        get: |loss| shown(&loss.at),
        set: |loss, value| put(&mut loss.at, value),
    },
];

/// A link that carries packets of any size.
const ANY_SIZE: &str = "none";

/// A setting whose values are written in ways of their own.
const fn shaped(key: &'static str, values: &'static str, doc: &'static str) -> Setting<LinkConfig> {
    Setting {
        key,
        scope: Scope::Scenarios,
        kind: Kind::Shaped(values),
        doc,
        get: |_| None,
        set: |_, _| Ok(()),
    }
}

impl Named for LossPlace {
    const WHAT: &'static str = "place of a loss";
    const NAMES: &'static [(&'static str, LossPlace)] =
        &[("entry", LossPlace::Entry), ("exit", LossPlace::Exit)];
}
