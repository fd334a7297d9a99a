//! `[run]`: the duration and the replications of a scenario.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Scope, Setting, put_some, shown_some};

use crate::model::RunSettings;

pub(crate) static RUN: [Setting<RunSettings>; 4] = [
    Setting {
        key: "time",
        scope: Scope::Scenarios,
        kind: Kind::SOME_SPAN,
        doc: "limit of simulated time; optional when every flow has a `transfer`",
        get: |run| shown_some(&run.time),
        set: |run, value| put_some(&mut run.time, value),
    },
    field!(warmup, Scenarios, Kind::ANY_SPAN, "left out of goodput; less than `time`"),
    field!(seed, Scenarios, Kind::Whole { least: 0, most: u64::MAX }, "the seed of the first replication"),
    field!(
        runs,
        Scenarios,
        Kind::Whole { least: 1, most: u64::MAX },
        "replications, with seeds `seed`, `seed + 1`, …"
    ),
];
