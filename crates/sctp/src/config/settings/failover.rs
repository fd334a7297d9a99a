//! Failure detection of paths and of the association.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Scope, Setting, Value, Words, put, shown};

use crate::config::{Config, Failover};

pub(super) const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "failover",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words { what: "failover", built: || vec!["off"], planned: &[] }),
        doc: "`off`: paths never fail; or the table of the next keys",
        get: |config| is_off(config).then(|| Value::word("off")),
        set: |config, _| {
            config.failover = Failover::OFF;
            Ok(())
        },
    },
    Setting {
        key: "failover.potentially_failed",
        scope: Scope::Everywhere,
        kind: COUNT,
        doc: "data moves to another path after this many consecutive errors; 0: never",
        get: |config| while_on(config, shown(&config.failover.potentially_failed)),
        set: |config, value| put(&mut config.failover.potentially_failed, value),
    },
    Setting {
        key: "failover.path_max",
        scope: Scope::Everywhere,
        kind: COUNT,
        doc: "a path becomes inactive after more consecutive errors than this",
        get: |config| while_on(config, shown(&config.failover.path_max)),
        set: |config, value| put(&mut config.failover.path_max, value),
    },
    Setting {
        key: "failover.association_max",
        scope: Scope::Everywhere,
        kind: COUNT,
        doc: "the association ends after more consecutive errors than this",
        get: |config| while_on(config, shown(&config.failover.association_max)),
        set: |config, value| put(&mut config.failover.association_max, value),
    },
    Setting {
        key: "failover.heartbeat",
        scope: Scope::Everywhere,
        kind: Kind::SOME_SPAN,
        doc: "interval between HEARTBEATs on an idle path, plus the RTO",
        get: |config| while_on(config, shown(&config.failover.heartbeat)),
        set: |config, value| put(&mut config.failover.heartbeat, value),
    },
    Setting {
        key: "failover.quick",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "data leaves a path that is silent while another delivers, see below",
        get: |config| while_on(config, shown(&config.failover.quick)),
        set: |config, value| put(&mut config.failover.quick, value),
    },
    field!(max_init_retransmits, Tools, COUNT, "maximum of repeated attempts to connect"),
];

const COUNT: Kind = Kind::Whole { least: 0, most: u32::MAX as u64 };

fn is_off(config: &Config) -> bool {
    config.failover == Failover::OFF
}

fn while_on(config: &Config, value: Option<Value>) -> Option<Value> {
    value.filter(|_| !is_off(config))
}
