//! Options that are settings of the endpoint: they hold for associations that are opened later.

use anabranch_base::{ByteCount, Duration};

use super::super::arguments::{field, numbers};
use super::super::{CallFault, Reply, done};
use super::value_of;
use crate::machine::Machine;
use crate::script::Value;

/// Sets the option `name` of the endpoint; `None` if it is another one.
pub(super) fn set(machine: &mut Machine, name: &str, value: &Value) -> Result<Option<Reply>, CallFault> {
    let result = match name {
        "SCTP_INITMSG" => machine.set(|config| {
            // Zero leaves a value as it is (RFC 6458 §8.1.3).
            let some = |name: &str| field(value, name).filter(|number| *number > 0);
            let streams = |name: &str| some(name).map(|count| u16::try_from(count).unwrap_or(u16::MAX));
            config.outbound_streams = streams("sinit_num_ostreams").unwrap_or(config.outbound_streams);
            config.inbound_streams = streams("sinit_max_instreams").unwrap_or(config.inbound_streams);
            let attempts = some("sinit_max_attempts").map(|count| u32::try_from(count).unwrap_or(u32::MAX));
            config.max_init_retransmits = attempts.unwrap_or(config.max_init_retransmits);
            let most = some("sinit_max_init_timeo").map(|most| Duration::from_millis(most.unsigned_abs()));
            config.max_init_rto = most.or(config.max_init_rto);
        }),
        "SCTP_DELAYED_SACK" => machine.set(|config| {
            let some = |name: &str| {
                field(value, name).and_then(|number| u64::try_from(number).ok()).filter(|n| *n > 0)
            };
            // RFC 9260 §6.2: a delay "MUST NOT be more than 500 ms".
            let delay = some("sack_delay").map(|delay| Duration::from_millis(delay.min(500)));
            config.sack.delay = delay.unwrap_or(config.sack.delay);
            let every = some("sack_freq").map(|every| u32::try_from(every).unwrap_or(u32::MAX));
            config.sack.every = every.unwrap_or(config.sack.every);
        }),
        "SCTP_MAXSEG" => {
            let size = value_of(value)?;
            machine.set(|config| {
                config.payload = u64::try_from(size).ok().filter(|size| *size > 0).map(ByteCount::new);
            })
        }
        "SCTP_MAX_BURST" => {
            let packets =
                u32::try_from(value_of(value)?).ok().filter(|packets| *packets > 0).unwrap_or(u32::MAX);
            machine.set(|config| config.max_burst.packets = packets)
        }
        _ => return Ok(None),
    };
    result.map_err(CallFault::Lacking)?;
    done(0).map(Some)
}

/// The value of the option `name`; `None` if it is another one.
pub(super) fn get(machine: &Machine, name: &str) -> Result<Option<Value>, CallFault> {
    let config = machine.settings();
    let millis = |duration: Duration| i64::try_from(duration.as_nanos() / 1_000_000).unwrap_or(i64::MAX);
    Ok(Some(match name {
        "SCTP_INITMSG" => numbers([
            ("sinit_num_ostreams", config.outbound_streams.into()),
            ("sinit_max_instreams", config.inbound_streams.into()),
            ("sinit_max_attempts", config.max_init_retransmits.into()),
            ("sinit_max_init_timeo", millis(config.max_init_rto.unwrap_or(config.rto.max))),
        ]),
        "SCTP_DELAYED_SACK" => {
            numbers([("sack_delay", millis(config.sack.delay)), ("sack_freq", config.sack.every.into())])
        }
        "SCTP_MAXSEG" => {
            let size = config.payload.unwrap_or(config.mtu - HEADERS);
            let size = i64::try_from(size.get()).unwrap_or(i64::MAX);
            numbers([("assoc_value", size)])
        }
        "SCTP_MAX_BURST" => {
            let packets = config.max_burst.packets;
            numbers([("assoc_value", if packets == u32::MAX { 0 } else { packets.into() })])
        }
        _ => return Ok(None),
    }))
}

/// The headers of IPv4, of SCTP and of a DATA chunk.
const HEADERS: ByteCount = ByteCount::new(48);
