//! Sizes of packets, and how many leave at once.

use anabranch_base::ByteCount;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, put, shown};

use crate::config::{BurstRule, Config, IpVersion, MtuDiscovery};
use crate::policy::acknowledge::DacWire;

pub const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "mtu",
        scope: Scope::Everywhere,
        kind: Kind::Size { least: 576, most: 65_535 },
        doc: "the size of an IP packet that every path carries, or the largest that is tried",
        get: |config| shown(&config.mtu),
        set: |config, value| put(&mut config.mtu, value),
    },
    Setting {
        key: "mtu_discovery",
        scope: Scope::Everywhere,
        kind: MtuDiscovery::KIND,
        doc: "whether each path begins with packets of 1,200 bytes (1,280 by IPv6), and the largest that it carries, up to \
              `mtu`, is searched by probes (RFC 8899)",
        get: |config| shown(&config.mtu_discovery),
        set: |config, value| put(&mut config.mtu_discovery, value),
    },
    Setting {
        key: "payload",
        scope: Scope::Everywhere,
        kind: Kind::Size { least: 1, most: 65_535 },
        doc: "user data in one DATA chunk; what fits unless it is given",
        get: |config| shown(&config.payload.unwrap_or_else(|| config.largest_payload(IpVersion::V4))),
        set: set_payload,
    },
    Setting {
        key: "max_burst",
        scope: Scope::Everywhere,
        kind: BURST,
        doc: "how many packets one event lets out on a path, or one train where they are paced",
        get: |config| shown(&config.max_burst.packets),
        set: |config, value| put(&mut config.max_burst.packets, value),
    },
    Setting {
        key: "max_burst.packets",
        scope: Scope::Scenarios,
        kind: BURST,
        doc: "the same, where `rule` stands beside it",
        get: |config| shown(&config.max_burst.packets),
        set: |config, value| put(&mut config.max_burst.packets, value),
    },
    Setting {
        key: "max_burst.rule",
        scope: Scope::Scenarios,
        kind: BurstRule::KIND,
        doc: "how the bound on bursts works, see below",
        get: |config| shown(&config.max_burst.rule),
        set: |config, value| put(&mut config.max_burst.rule, value),
    },
    Setting {
        key: "pacing",
        scope: Scope::Tools,
        kind: Kind::Boolean,
        doc: "whether windows are spread over the round trip, in trains of `max_burst`",
        get: |config| Some(Value::Boolean(config.max_burst.rule == BurstRule::Paced)),
        set: |config, value| {
            let mut is_paced = false;
            put(&mut is_paced, value)?;
            config.max_burst.rule = if is_paced { BurstRule::Paced } else { BurstRule::Event };
            Ok(())
        },
    },
    Setting {
        key: "strict_window",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "whether cwnd may not be passed by a last packet",
        get: |config| shown(&config.strict_window),
        set: |config, value| put(&mut config.strict_window, value),
    },
    Setting {
        key: "dac_wire",
        scope: Scope::Everywhere,
        kind: DacWire::KIND,
        doc: "how a SACK says for how many packets it stands; `plain`: as ns-2 writes it, to compare traces with",
        get: |config| shown(&config.dac_wire),
        set: |config, value| put(&mut config.dac_wire, value),
    },
];

const BURST: Kind = Kind::Whole { least: 1, most: u32::MAX as u64 };

/// What fits is the default: settings that say so are no others.
fn set_payload(config: &mut Config, value: Value) -> Result<(), Refusal> {
    let mut payload = ByteCount::ZERO;
    put(&mut payload, value)?;
    let fits = config.largest_payload(IpVersion::V4);
    if payload > fits {
        let message = format!("a payload of {payload} does not fit an MTU of {}", config.mtu);
        return Err(Refusal::new(message, format!("at most {fits} in one DATA chunk")));
    }
    config.payload = (payload < fits).then_some(payload);
    Ok(())
}
