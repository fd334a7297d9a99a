//! The profile, and the weight of chunks. Other settings depend on these, so they are first.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, Words, put, shown};

use crate::config::{Charge, Config, Encapsulation, PROFILES, Unit};

pub(super) const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "profile",
        scope: Scope::Everywhere,
        kind: Kind::Word(Words { what: "profile", built: profiles, planned: &[] }),
        doc: "defaults of the other settings; never changes after its release",
        get: |config| Some(Value::word(config.profile)),
        set: set_profile,
    },
    Setting {
        key: "charge",
        scope: Scope::Everywhere,
        kind: Charge::KIND,
        doc: "weight of a chunk against cwnd: its user data, the chunk, or a packet with only it",
        get: |config| shown(&config.charge),
        set: set_charge,
    },
    Setting {
        key: "unit",
        scope: Scope::Everywhere,
        kind: Unit::KIND,
        doc: "unit of windows: the MTU, a full chunk with its header, or the weight of a full chunk by `charge`",
        get: |config| (!matches!(config.unit, Unit::Bytes(_))).then(|| Value::word(config.unit.word())),
        set: |config, value| put(&mut config.unit, value),
    },
    field!(
        rwnd_charge,
        Everywhere,
        Charge::KIND,
        "weight of a chunk against the receive window; set to `packet` by `charge = \"packet\"`"
    ),
    field!(
        encapsulation,
        Scenarios,
        Encapsulation::KIND,
        "between IP and SCTP: none, UDP (8 bytes per packet), or UDP and the seal (40 bytes)"
    ),
];

fn profiles() -> Vec<&'static str> {
    PROFILES.iter().map(|(name, _)| *name).collect()
}

/// Replaces the settings by those of another profile. It does not change the encapsulation, which profiles do not set.
fn set_profile(config: &mut Config, value: Value) -> Result<(), Refusal> {
    let mut name = String::new();
    put(&mut name, value)?;
    let profile = Config::profile(&name)
        .ok_or_else(|| Refusal::new(format!("there is no profile {name:?}"), profiles().join(", ")))?;
    *config = Config { encapsulation: config.encapsulation, checksum: config.checksum, ..profile };
    Ok(())
}

/// M-SCTP-18: "with `charge = packet` packets as well".
fn set_charge(config: &mut Config, value: Value) -> Result<(), Refusal> {
    put(&mut config.charge, value)?;
    if config.charge == Charge::Packet {
        config.rwnd_charge = Charge::Packet;
    }
    Ok(())
}
