//! Buffers, and their split among paths.

use anabranch_base::ByteCount;
use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, put, shown};

use crate::config::out_of_order::UNLIMITED;
use crate::config::{BufferSplit, Config, Growth, OutOfOrder};
use crate::policy::registry::kind;

pub(super) const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "receive_buffer",
        scope: Scope::Everywhere,
        kind: Kind::SizeOrRange { least: LEAST_BUFFER, most: LARGEST_BUFFER },
        doc: "receive buffer of all paths; with a range, or the next keys, it grows to what the application reads \
            per round trip",
        get: |config| {
            Some(match config.receive_growth {
                None => Value::Size(config.receive_buffer),
                Some(growth) => Value::Range(config.receive_buffer, growth.limit),
            })
        },
        set: set_receive_buffer,
    },
    Setting {
        key: "receive_buffer.in_order",
        scope: Scope::Scenarios,
        kind: BUFFER,
        doc: "first of two levels: data in order, which alone is advertised; see below",
        get: |config| config.has_two_levels().then(|| shown(&config.receive_buffer)).flatten(),
        set: |config, value| {
            if !config.has_two_levels() {
                config.out_of_order = OutOfOrder::Unlimited;
            }
            config.receive_growth = None;
            put(&mut config.receive_buffer, value)
        },
    },
    Setting {
        key: "receive_buffer.out_of_order",
        scope: Scope::Scenarios,
        kind: Kind::WordOr(&[UNLIMITED], &BUFFER),
        doc: "second level: data that waits for missing chunks",
        get: |config| config.out_of_order.shown(),
        set: set_out_of_order,
    },
    Setting {
        key: "receive_buffer.initial",
        scope: Scope::Scenarios,
        kind: BUFFER,
        doc: "initial size of a growing receive buffer",
        get: |config| config.receive_growth.and_then(|_| shown(&config.receive_buffer)),
        set: |config, value| put(&mut config.receive_buffer, value),
    },
    Setting {
        key: "receive_buffer.limit",
        scope: Scope::Scenarios,
        kind: BUFFER,
        doc: "maximum size of a growing receive buffer",
        get: |config| config.receive_growth.and_then(|growth| shown(&growth.limit)),
        set: |config, value| {
            let mut limit = ByteCount::ZERO;
            put(&mut limit, value)?;
            config.receive_growth = Some(Growth::to(limit));
            Ok(())
        },
    },
    Setting {
        key: "receive_buffer.endpoint",
        scope: Scope::Scenarios,
        kind: Kind::SOME_SIZE,
        doc: "maximum total growth on a host; four times the limit by default",
        get: |config| config.receive_growth.and_then(|growth| shown(&growth.endpoint)),
        set: |config, value| match &mut config.receive_growth {
            Some(growth) => put(&mut growth.endpoint, value),
            None => Err(Refusal::new("a buffer of a fixed size does not grow", "a `limit` with it")),
        },
    },
    field!(send_buffer, Everywhere, Kind::SOME_SIZE, "maximum of unacknowledged data"),
    field!(
        buffer_split,
        Everywhere,
        BufferSplit::KIND,
        "buffer divided equally among the paths: send buffer, the peer's receive buffer, or both; see below"
    ),
    Setting {
        key: "window_management",
        scope: Scope::Everywhere,
        kind: Kind::ListOr(
            &Kind::Whole { least: 1, most: u32::MAX as u64 },
            &Kind::Policy(kind::WINDOW_MANAGEMENT),
        ),
        doc: "division of the peer's receive buffer among windows; a list has limits in packets; see below",
        get: |config| match &config.window_limits[..] {
            [] => shown(&config.window_management),
            _ => shown(&config.window_limits),
        },
        set: set_window_management,
    },
];

const BUFFER: Kind = Kind::Size { least: LEAST_BUFFER, most: LARGEST_BUFFER };
/// The minimum buffer, which holds one packet.
const LEAST_BUFFER: u64 = 1_500;
/// The maximum buffer that a_rwnd can advertise.
const LARGEST_BUFFER: u64 = u32::MAX as u64;

fn set_receive_buffer(config: &mut Config, value: Value) -> Result<(), Refusal> {
    let (first, growth) = match value {
        Value::Range(first, limit) => (Value::Size(first), Some(Growth::to(limit))),
        fixed => (fixed, None),
    };
    put(&mut config.receive_buffer, first)?;
    config.receive_growth = growth;
    config.out_of_order = OutOfOrder::InBuffer;
    Ok(())
}

fn set_out_of_order(config: &mut Config, value: Value) -> Result<(), Refusal> {
    if !config.has_two_levels() {
        return Err(Refusal::new("a buffer with one level has no second one", "an `in_order` with it"));
    }
    config.out_of_order = match value {
        Value::Word(_) => OutOfOrder::Unlimited,
        value => {
            let mut size = ByteCount::ZERO;
            put(&mut size, value)?;
            OutOfOrder::AtMost(size)
        }
    };
    Ok(())
}

fn set_window_management(config: &mut Config, value: Value) -> Result<(), Refusal> {
    if let Value::List(_) = value {
        put(&mut config.window_limits, value)?;
        if config.window_limits.is_empty() {
            return Err(Refusal::new(
                "the list has no limit",
                "one limit in packets for each path, in order",
            ));
        }
        "static".clone_into(&mut config.window_management);
        return Ok(());
    }
    put(&mut config.window_management, value)?;
    config.window_limits.clear();
    Ok(())
}
