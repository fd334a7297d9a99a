//! What counts as a loss, and what the sender does then.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Scope, Setting, Value, Words, planned};

use crate::config::Config;
use crate::policy::registry::kind;

pub const SETTINGS: &[Setting<Config>] = &[
    field!(loss_response, Everywhere, Kind::Policy(kind::LOSS_RESPONSE), "reaction to a loss"),
    planned("wireless", "the rules of the loss response `wireless-aware`"),
    Setting {
        key: "small_window_recovery",
        scope: Scope::Scenarios,
        kind: Kind::FalseYet,
        doc: "with a small window, fewer missing reports mark a chunk as lost",
        get: |_| Some(Value::Boolean(false)),
        set: |_, _| Ok(()),
    },
    Setting {
        key: "ecn",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words { what: "use of ECN", built: || vec!["off"], planned: &["echo", "cwr"] }),
        doc: "reaction to congestion marks",
        get: |_| Some(Value::word("off")),
        set: |_, _| Ok(()),
    },
    planned("ecn_window", "the congestion window after an echoed mark"),
    planned("berp", "the rules of the congestion control `berp`"),
    planned("ipcc", "the rules of `multipath = \"ipcc\"`"),
    field!(
        missing_reports,
        Everywhere,
        Kind::Whole { least: 1, most: 255 },
        "number of missing reports that mark a chunk as lost"
    ),
];
