//! What counts as a loss, and what the sender does then.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named as _, Scope, Setting, Value, planned};

use crate::config::ecn::ECN_WINDOW;
use crate::config::{Config, EcnUse};
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
    field!(
        ecn,
        Everywhere,
        EcnUse::KIND,
        "how congestion marks are reported and answered, if the peer supports ECN too"
    ),
    field!(
        ecn_window,
        Everywhere,
        ECN_WINDOW,
        "the congestion window after the report of a mark, at least two units"
    ),
    field!(
        ecn_test,
        Everywhere,
        Kind::Boolean,
        "whether some of the first packets on a path leave with a mark, to learn whether marks come back"
    ),
    planned("berp", "the rules of the congestion control `berp`"),
    planned("ipcc", "the rules of `multipath = \"ipcc\"`"),
    field!(
        missing_reports,
        Everywhere,
        Kind::Whole { least: 1, most: 255 },
        "number of missing reports that mark a chunk as lost"
    ),
];
