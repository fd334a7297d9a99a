//! Sizes of packets, and how many leave at once.

use anabranch_base::ByteCount;
use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, put, shown};

use crate::config::{BurstRule, Config, IpVersion, MtuDiscovery};
use crate::policy::acknowledge::DacWire;

pub const SETTINGS: &[Setting<Config>] = &[
    field!(
        mtu,
        Everywhere,
        Kind::Size { least: 576, most: 65_535 },
        "the size of an IP packet that every path carries, or the largest that is tried"
    ),
    field!(
        mtu_discovery,
        Everywhere,
        MtuDiscovery::KIND,
        "whether each path begins with packets of 1,200 bytes (1,280 by IPv6), and the largest that it carries, up to \
         `mtu`, is searched by probes (RFC 8899)"
    ),
    Setting {
        key: "payload",
        scope: Scope::Everywhere,
        kind: Kind::Size { least: 1, most: 65_535 },
        doc: "user data in one DATA chunk; what fits unless it is given",
        get: |config| shown(&config.payload.unwrap_or_else(|| config.largest_payload(IpVersion::V4))),
        set: set_payload,
    },
    field!(
        "max_burst" = max_burst.packets,
        Everywhere,
        BURST,
        "how many packets one event lets out on a path, or one train where they are paced"
    ),
    field!(max_burst.packets, Scenarios, BURST, "the same, where `rule` stands beside it"),
    field!(max_burst.rule, Scenarios, BurstRule::KIND, "how the bound on bursts works, see below"),
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
    field!(strict_window, Everywhere, Kind::Boolean, "whether cwnd may not be passed by a last packet"),
    field!(
        dac_wire,
        Everywhere,
        DacWire::KIND,
        "how a SACK says for how many packets it stands; `plain`: as ns-2 writes it, to compare traces with"
    ),
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
