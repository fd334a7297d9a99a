//! The policies that are chosen by name, and the rules of concurrent multipath transfer.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, put, shown};

use crate::config::{Config, Coupling};
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::ns2::Ns2;
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
    Setting {
        key: "cmt.order",
        scope: Scope::Everywhere,
        kind: ArrivalOrder::KIND,
        doc: "several paths: the order in which the chunks of a path are expected to arrive; `tsn`: that of their \
              TSNs; `departure`: that in which they left on the path, for schedulers that send a chunk before those \
              with lower TSNs; the three rules above are part of it; `time`: the same, and a chunk that is overtaken is lost \
              when the time has passed by which packets of its path are late (RFC 8985), and a cut that proves \
              spurious is taken back",
        get: |config| shown(&ArrivalOrder::of(config.cmt)),
        set: |config, value| {
            let mut order = ArrivalOrder::Tsn;
            put(&mut order, value)?;
            let (by_departure, by_time) = (order != ArrivalOrder::Tsn, order == ArrivalOrder::Time);
            config.set_sender_cmt(CmtRules { by_departure, by_time, ..config.cmt });
            Ok(())
        },
    },
    Setting {
        key: "cmt.recovery",
        scope: Scope::Everywhere,
        kind: Recovery::KIND,
        doc: "several paths: fast recovery of a path; `state`: its window does not grow until its losses are \
              repaired, and is cut once; `ns2`: as in the CMT module of ns-2, its window continues to grow, and \
              the loss of a chunk that was sent after the first cut cuts it again",
        get: |config| shown(&Recovery::of(config.cmt.ns2)),
        set: set_recovery,
    },
    Setting {
        key: "cmt.ns2_rules",
        scope: Scope::Scenarios,
        kind: Kind::List { each: &Kind::Whole { least: 1, most: Ns2::COUNT as u64 }, example: "[1, 2]" },
        doc: "several paths: the rules of the CMT module of ns-2 that replace ours, by their numbers in \
              oracle.md, for comparison with that module; `cmt.recovery = \"ns2\"` is `[1, 2]`",
        get: |config| {
            let is_a_word = [Ns2::NONE, Ns2::RECOVERY].contains(&config.cmt.ns2);
            (!is_a_word).then(|| shown(&config.cmt.ns2.numbers())).flatten()
        },
        set: |config, value| {
            let mut numbers: Vec<u32> = Vec::new();
            put(&mut numbers, value)?;
            set_ns2(config, Ns2::of_numbers(&numbers));
            Ok(())
        },
    },
    field!(ack_timing, Tools, Kind::Policy(kind::ACK_TIMING), "which packets are acknowledged with a delay"),
    field!(
        congestion_control,
        Everywhere,
        Kind::Policy(kind::CONGESTION_CONTROL),
        "how windows grow and shrink; `reno`: each path independently, as in RFC 9260; `bbr`: each path by a model of its \
         rate and delay (BBRv3), with packets paced; `bbr-draft`: the same by the letter of the draft; \
         `cubic`: each path independently by RFC 9438; `westwood`: losses at an empty queue cut \
         nothing, and others cut to what fills the path; `lia`, `olia`, `balia`, `berp`: windows that grow together, \
         so that paths over one bottleneck take one share of it"
    ),
    field!(
        coupled,
        Everywhere,
        Coupling::KIND,
        "several paths: whether those that share a bottleneck take together what one flow takes. `auto`: paths whose queues rise and fall \
         together grow as one, and those of `bbr` probe for less. `lia`, `olia`, `balia` and `berp` couple all paths"
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

/// The order in which the chunks of a path are expected to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrivalOrder {
    /// That of their TSNs.
    Tsn,
    /// That in which they left.
    Departure,
    /// The same, as far as time allows.
    Time,
}

impl ArrivalOrder {
    fn of(rules: CmtRules) -> ArrivalOrder {
        match rules {
            CmtRules { by_time: true, .. } => ArrivalOrder::Time,
            CmtRules { by_departure: true, .. } => ArrivalOrder::Departure,
            _ => ArrivalOrder::Tsn,
        }
    }
}

impl Named for ArrivalOrder {
    const WHAT: &'static str = "order of arrival";
    const NAMES: &'static [(&'static str, ArrivalOrder)] =
        &[("tsn", ArrivalOrder::Tsn), ("departure", ArrivalOrder::Departure), ("time", ArrivalOrder::Time)];
}

/// What a fast retransmit causes on its path until the losses are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    /// The path is in fast recovery.
    State,
    /// The path has a recover point, as in ns-2's module.
    Ns2,
}

impl Recovery {
    fn of(rules: Ns2) -> Recovery {
        if rules.has_all(Ns2::RECOVERY) { Recovery::Ns2 } else { Recovery::State }
    }
}

impl Named for Recovery {
    const WHAT: &'static str = "recovery";
    const NAMES: &'static [(&'static str, Recovery)] = &[("state", Recovery::State), ("ns2", Recovery::Ns2)];
}

fn set_recovery(config: &mut Config, value: Value) -> Result<(), Refusal> {
    let mut recovery = Recovery::State;
    put(&mut recovery, value)?;
    let others = config.cmt.ns2.without(Ns2::RECOVERY);
    set_ns2(config, if recovery == Recovery::Ns2 { others.and(Ns2::RECOVERY) } else { others });
    Ok(())
}

fn set_ns2(config: &mut Config, ns2: Ns2) {
    config.set_sender_cmt(CmtRules { ns2, ..config.cmt });
}

/// A retransmission policy applies to both signs of loss unless `fast_retransmission` is set as well.
fn set_retransmission(config: &mut Config, value: Value) -> Result<(), Refusal> {
    put(&mut config.retransmission, value)?;
    config.fast_retransmission.clone_from(&config.retransmission);
    Ok(())
}
