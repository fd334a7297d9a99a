//! What counts as a loss, and what follows from one.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Scope, Setting, Value, Words, planned};

use crate::config::Config;
use crate::policy::registry::kind;

pub const SETTINGS: &[Setting<Config>] = &[
    field!(loss_response, Everywhere, Kind::Policy(kind::LOSS_RESPONSE), "what follows from a loss"),
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
    field!(
        missing_reports,
        Everywhere,
        Kind::Whole { least: 1, most: 255 },
        "how many missing reports make a chunk lost"
    ),
];
