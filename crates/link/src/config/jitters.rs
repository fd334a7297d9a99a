//! The kinds of jitter that a scenario's `jitter = { kind = … }` names, with the settings of each.

use anabranch_base::Duration;
use anabranch_base::setting::{Kind, Scope, Setting, Variant, put, shown};

use super::Jitter;

/// Every kind of jitter.
pub static JITTERS: [Variant<Jitter>; 2] = [
    Variant {
        name: "uniform",
        what: "a uniform jitter",
        doc: "extra delay after transmission, uniform from 0 to `most`; short form: `jitter = \"2 ms\"`",
        new: || Jitter::NONE,
        is: |jitter| matches!(jitter, Jitter::Uniform(_)),
        settings: &[MOST],
        required: &["most"],
        example: "most = \"2 ms\"",
    },
    Variant {
        name: "normal",
        what: "a normal jitter",
        doc: "delay from a normal distribution around `delay`, as in the kernel's netem: before transmission, \
            behind a drop-tail queue whose limit also counts packets in transit; with `reorder` after transmission",
        new: || Jitter::Normal(Duration::ZERO),
        is: |jitter| matches!(jitter, Jitter::Normal(_)),
        settings: &[DEVIATION],
        required: &["deviation"],
        example: "deviation = \"5 ms\"",
    },
];

const MOST: Setting<Jitter> = Setting {
    key: "most",
    scope: Scope::Scenarios,
    kind: Kind::ANY_SPAN,
    doc: "the greatest additional delay",
    get: |jitter| match jitter {
        Jitter::Uniform(most) => shown(most),
        Jitter::Normal(_) => None,
    },
    set: |jitter, value| match jitter {
        Jitter::Uniform(most) => put(most, value),
        Jitter::Normal(_) => Ok(()),
    },
};

const DEVIATION: Setting<Jitter> = Setting {
    key: "deviation",
    scope: Scope::Scenarios,
    kind: Kind::ANY_SPAN,
    doc: "the standard deviation of the delay",
    get: |jitter| match jitter {
        Jitter::Normal(deviation) => shown(deviation),
        Jitter::Uniform(_) => None,
    },
    set: |jitter, value| match jitter {
        Jitter::Normal(deviation) => put(deviation, value),
        Jitter::Uniform(_) => Ok(()),
    },
};
