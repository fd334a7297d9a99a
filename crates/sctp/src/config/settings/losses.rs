//! What counts as a loss, and what follows from one.

use anabranch_base::setting::{Kind, Scope, Setting, Value, Words, put, shown};

use super::planned;
use crate::config::Config;
use crate::policy::registry::kind;

pub const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "loss_response",
        scope: Scope::Everywhere,
        kind: Kind::Policy(kind::LOSS_RESPONSE),
        doc: "what follows from a loss",
        get: |config| shown(&config.loss_response),
        set: |config, value| put(&mut config.loss_response, value),
    },
    planned("wireless", "the rules of the loss response `wireless-aware`"),
    Setting {
        key: "small_window_recovery",
        scope: Scope::Scenarios,
        kind: Kind::FalseYet,
        doc: "fewer missing reports make a chunk lost while the window is small",
        get: |_| Some(Value::Boolean(false)),
        set: |_, _| Ok(()),
    },
    Setting {
        key: "ecn",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words { what: "use of ECN", built: || vec!["off"], planned: &["echo", "cwr"] }),
        doc: "what is done with congestion marks",
        get: |_| Some(Value::word("off")),
        set: |_, _| Ok(()),
    },
    planned("ecn_window", "the window after an echoed mark"),
    planned("berp", "the rules of the congestion control `berp`"),
    planned("ipcc", "the rules of `multipath = \"ipcc\"`"),
    Setting {
        key: "missing_reports",
        scope: Scope::Everywhere,
        kind: Kind::Whole { least: 1, most: 255 },
        doc: "how many missing reports make a chunk lost",
        get: |config| shown(&config.missing_reports),
        set: |config, value| put(&mut config.missing_reports, value),
    },
];
