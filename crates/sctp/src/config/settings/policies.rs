//! The policies that are chosen by name, and the rules of concurrent multipath transfer.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, put, shown};

use crate::config::{Config, Coupling};
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::ns2::Ns2;
use crate::policy::registry::kind;

pub(super) const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "cmt.split_fast_retransmit",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "a chunk counts as missing only when a later one of its path arrived",
        get: |config| shown(&config.cmt.split_fast_retransmit),
        set: |config, value| set_rule(config, value, |rules| &mut rules.split_fast_retransmit),
    },
    Setting {
        key: "cmt.window_update",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "a window grows when the lowest outstanding chunk of its path arrived",
        get: |config| shown(&config.cmt.window_update),
        set: |config, value| set_rule(config, value, |rules| &mut rules.window_update),
    },
    Setting {
        key: "cmt.delayed_ack",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "a SACK for several packets is one missing report for each",
        get: |config| shown(&config.cmt.delayed_ack),
        set: |config, value| set_rule(config, value, |rules| &mut rules.delayed_ack),
    },
    Setting {
        key: "cmt.order",
        scope: Scope::Everywhere,
        kind: ArrivalOrder::KIND,
        doc: "expected order of a path's chunks; `tsn`: by TSN; `departure`: as they left on the path, for \
            schedulers that send ahead, with the three rules above; `time`: also, an overtaken chunk is lost after \
            the path's usual lateness (RFC 8985), and a spurious cut is reverted",
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
        doc: "fast recovery of a path; `state`: no growth until its losses are repaired, and one cut; `ns2`: as in \
            ns-2's CMT module, its window grows, and the loss of a chunk sent after the cut cuts again",
        get: |config| shown(&Recovery::of(config.cmt.ns2)),
        set: set_recovery,
    },
    Setting {
        key: "cmt.ns2_rules",
        scope: Scope::Scenarios,
        kind: Kind::List { each: &Kind::Whole { least: 1, most: Ns2::COUNT as u64 }, example: "[1, 2]" },
        doc: "rules of ns-2's CMT module that replace ours, by their numbers in oracle.md; `cmt.recovery = \
            \"ns2\"` is `[1, 2]`",
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
    field!(ack_timing, Tools, Kind::Policy(kind::ACK_TIMING), "packets that are acknowledged with a delay"),
    field!(
        congestion_control,
        Everywhere,
        Kind::Policy(kind::CONGESTION_CONTROL),
        "growth and cuts of windows, on each path: `reno` (RFC 9260), `cubic` (RFC 9438), `bbr` (BBRv3 with \
         deviations, paced), `bbr-draft` (BBRv3 to the letter), `westwood` (losses at an empty queue cut nothing, \
         others to what fills the path); together, so that paths over one bottleneck take one share: `lia`, \
         `olia`, `balia`, `berp`"
    ),
    field!(
        coupled,
        Everywhere,
        Coupling::KIND,
        "`auto`: paths whose queues rise and fall together share a bottleneck and take what one flow takes: they \
         grow as one, and those of `bbr` probe for less; `lia`, `olia`, `balia` and `berp` couple all paths"
    ),
    field!(scheduler, Everywhere, Kind::Policy(kind::SCHEDULER), "path of new data, see below"),
    Setting {
        key: "retransmission",
        scope: Scope::Everywhere,
        kind: Kind::Policy(kind::RETRANSMISSION),
        doc: "path of retransmissions after a time-out, see below; also after missing reports, unless the next key \
            is given",
        get: |config| shown(&config.retransmission),
        set: set_retransmission,
    },
    field!(
        fast_retransmission,
        Everywhere,
        Kind::Policy(kind::RETRANSMISSION),
        "path of retransmissions after missing reports"
    ),
];

/// Switches one rule of CMT on or off. This does not change the timing of SACKs.
fn set_rule(config: &mut Config, value: Value, rule: fn(&mut CmtRules) -> &mut bool) -> Result<(), Refusal> {
    let mut rules = config.cmt;
    put(rule(&mut rules), value)?;
    config.set_sender_cmt(rules);
    Ok(())
}

/// The expected order of arrival of a path's chunks (`cmt.order`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrivalOrder {
    /// The order of their TSNs.
    Tsn,
    /// The order in which they were sent.
    Departure,
    /// The order in which they were sent, with a reordering window of time.
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

/// The state of a path from a fast retransmit until the losses are repaired.
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
