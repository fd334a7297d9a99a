//! Packet sizes and bursts.

use anabranch_base::ByteCount;
use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, put, shown};

use crate::config::{BurstRule, Config, IpVersion, MtuDiscovery, NrGaps, StreamScheduler};
use crate::policy::acknowledge::DacWire;

pub(super) const SETTINGS: &[Setting<Config>] = &[
    field!(
        mtu,
        Everywhere,
        Kind::Size { least: 576, most: 65_535 },
        "IP packet size that all paths carry, or the maximum that is probed"
    ),
    field!(
        mtu_discovery,
        Everywhere,
        MtuDiscovery::KIND,
        "each path starts with packets of 1,200 bytes (IPv6: 1,280) and probes up to `mtu` (RFC 8899)"
    ),
    Setting {
        key: "payload",
        scope: Scope::Everywhere,
        kind: Kind::Size { least: 1, most: 65_535 },
        doc: "maximum user data in a DATA chunk; by default what fits a packet",
        get: |config| shown(&config.payload.unwrap_or_else(|| config.largest_payload(IpVersion::V4))),
        set: set_payload,
    },
    field!(
        "max_burst" = max_burst.packets,
        Everywhere,
        BURST,
        "maximum packets that one event, or one train with pacing, sends on a path"
    ),
    field!(max_burst.packets, Scenarios, BURST, "the same, when given with `rule`"),
    field!(max_burst.rule, Scenarios, BurstRule::KIND, "limit of bursts, see below"),
    Setting {
        key: "pacing",
        scope: Scope::Tools,
        kind: Kind::Boolean,
        doc: "packets are spread over the round trip, in trains of `max_burst`",
        get: |config| Some(Value::Boolean(config.max_burst.rule == BurstRule::Paced)),
        set: |config, value| {
            let mut is_paced = false;
            put(&mut is_paced, value)?;
            config.max_burst.rule = if is_paced { BurstRule::Paced } else { BurstRule::Event };
            Ok(())
        },
    },
    field!(strict_window, Everywhere, Kind::Boolean, "the last packet of a window must not exceed cwnd"),
    field!(
        partial_reliability,
        Everywhere,
        Kind::Boolean,
        "messages may be given up, if the peer agrees (RFC 3758)"
    ),
    field!(
        give_up_at_loss,
        Everywhere,
        Kind::Boolean,
        "a message in flight at the end of its lifetime is given up only when it is lost"
    ),
    field!(
        interleaving,
        Everywhere,
        Kind::Boolean,
        "messages of other streams interrupt a long one, if the peer agrees (I-DATA, RFC 8260)"
    ),
    field!(
        stream_scheduler,
        Everywhere,
        StreamScheduler::KIND,
        "stream whose message is sent next (RFC 8260 §3)"
    ),
    field!(
        nr_sack,
        Everywhere,
        Kind::Boolean,
        "NR-SACKs in place of SACKs, if the peer agrees: what arrived out of order leaves the send buffer"
    ),
    field!(
        nr_gaps,
        Everywhere,
        NrGaps::KIND,
        "gap blocks of NR-SACKs that are final: all, or those of messages that can be read"
    ),
    field!(
        partial_delivery,
        Scenarios,
        Kind::Boolean,
        "what arrived of a message is received in parts when it fills half of the receive buffer (RFC 9260 §6.9)"
    ),
    field!(
        stream_reconfiguration,
        Everywhere,
        Kind::Boolean,
        "streams may be reset and added, if the peer agrees (RFC 6525)"
    ),
    field!(
        stream_credits,
        Everywhere,
        Kind::Boolean,
        "programs that use streams of `anabranch-net` get credit for each stream, if the peer agrees"
    ),
    field!(
        test_packets,
        Everywhere,
        Kind::Boolean,
        "test packets may be sent and are received, to measure paths (see `anabranch doctor`)"
    ),
    field!(dac_wire, Everywhere, DacWire::KIND, "encoding of a SACK's packet count; `plain`: as ns-2 does"),
];

const BURST: Kind = Kind::Whole { least: 1, most: u32::MAX as u64 };

/// Sets the payload. The largest payload that fits equals the default, so that a config that sets it explicitly equals
/// one that does not.
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
