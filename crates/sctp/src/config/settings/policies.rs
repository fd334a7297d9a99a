//! The policies that are chosen by name, and the rules of concurrent multipath transfer.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Refusal, Scope, Setting, Value, put, shown};

use crate::config::Config;
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::registry::kind;

pub const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "cmt.split_fast_retransmit",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "several paths: a chunk counts as missing only when a later chunk of the same path arrived",
        get: |config| shown(&config.cmt.split_fast_retransmit),
        set: |config, value| set_rule(config, value, |rules| &mut rules.split_fast_retransmit),
    },
    Setting {
        key: "cmt.window_update",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "several paths: a window grows when the lowest outstanding chunk of its path arrived",
        get: |config| shown(&config.cmt.window_update),
        set: |config, value| set_rule(config, value, |rules| &mut rules.window_update),
    },
    Setting {
        key: "cmt.delayed_ack",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "several paths: a SACK for several packets counts as one missing report for each of them",
        get: |config| shown(&config.cmt.delayed_ack),
        set: |config, value| set_rule(config, value, |rules| &mut rules.delayed_ack),
    },
    field!(ack_timing, Tools, Kind::Policy(kind::ACK_TIMING), "which packets are acknowledged with a delay"),
    field!(
        congestion_control,
        Everywhere,
        Kind::Policy(kind::CONGESTION_CONTROL),
        "how windows grow and shrink; `reno`: each path independently, as in RFC 9260"
    ),
    field!(
        scheduler,
        Everywhere,
        Kind::Policy(kind::SCHEDULER),
        "which path new data are sent on, see below"
    ),
    Setting {
        key: "retransmission",
        scope: Scope::Everywhere,
        kind: Kind::Policy(kind::RETRANSMISSION),
        doc: "where a chunk is retransmitted after a time-out, see below; also after missing reports, unless \
              the next key is given",
        get: |config| shown(&config.retransmission),
        set: set_retransmission,
    },
    field!(
        fast_retransmission,
        Everywhere,
        Kind::Policy(kind::RETRANSMISSION),
        "where a chunk is retransmitted after missing reports"
    ),
];

/// Switches one rule of CMT on or off. The timing of SACKs stays.
fn set_rule(config: &mut Config, value: Value, rule: fn(&mut CmtRules) -> &mut bool) -> Result<(), Refusal> {
    let mut rules = config.cmt;
    put(rule(&mut rules), value)?;
    config.set_sender_cmt(rules);
    Ok(())
}

/// A retransmission policy applies to both signs of loss unless `fast_retransmission` is set as well.
fn set_retransmission(config: &mut Config, value: Value) -> Result<(), Refusal> {
    put(&mut config.retransmission, value)?;
    config.fast_retransmission.clone_from(&config.retransmission);
    Ok(())
}
