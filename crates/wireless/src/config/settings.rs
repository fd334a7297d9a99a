//! The tables of settings of a radio and of a station, in the order in which results list them.

use anabranch_base::setting::{
    Kind, Named, Scope, Settable as _, Setting, Value, put, put_some, shaped, shown,
};
use anabranch_base::{ByteCount, field};

use super::{RadioConfig, RetryCount, Routing, StationConfig};

/// Every setting of a radio, in order.
pub fn radio_settings() -> impl Iterator<Item = &'static Setting<RadioConfig>> + Clone {
    RADIO.iter()
}

/// Every setting of a station, in order.
pub fn station_settings() -> impl Iterator<Item = &'static Setting<StationConfig>> + Clone {
    STATION.iter()
}

const SLOTS: Kind = Kind::Whole { least: 1, most: 65_535 };
const ATTEMPTS: Kind = Kind::Whole { least: 1, most: 255 };
const HEADER: Kind = Kind::Size { least: 0, most: 256 };

static RADIO: [Setting<RadioConfig>; 18] = [
    field!(rate, Scenarios, Kind::SOME_RATE, "rate of data frames"),
    field!(basic_rate, Scenarios, Kind::SOME_RATE, "rate of RTS, CTS, ACK and broadcast frames"),
    field!(range, Scenarios, Kind::Distance, "range of reception"),
    field!(
        carrier_sense,
        Scenarios,
        Kind::Distance,
        "range in which a transmission is sensed and destroys others; at least `range`"
    ),
    field!(slot, Scenarios, Kind::SOME_SPAN, "length of a back-off slot"),
    field!(sifs, Scenarios, Kind::SOME_SPAN, "short interframe space"),
    field!(difs, Scenarios, Kind::SOME_SPAN, "DCF interframe space; more than `sifs`"),
    field!(cw_min, Scenarios, SLOTS, "smallest contention window: bound of the first back-off, in slots"),
    field!(cw_max, Scenarios, SLOTS, "largest contention window; at least `cw_min`"),
    field!(plcp, Scenarios, Kind::ANY_SPAN, "preamble and PLCP header of each frame"),
    field!(mac_header, Scenarios, HEADER, "MAC header and FCS of a data frame"),
    field!(llc_header, Scenarios, HEADER, "LLC and SNAP headers of a data frame"),
    Setting {
        key: "rts_threshold",
        scope: Scope::Scenarios,
        kind: Kind::WordOr(&[NEVER], &Kind::Size { least: 0, most: 65_535 }),
        doc: "larger unicast frames, MAC header and FCS included, use RTS and CTS",
        get: |radio| Some(radio.rts_threshold.map_or_else(|| Value::word(NEVER), |size| size.value())),
        set: |radio, value| {
            radio.rts_threshold = ByteCount::of_value(value);
            Ok(())
        },
    },
    field!(short_retry, Scenarios, ATTEMPTS, "attempts for frames up to `rts_threshold`"),
    field!(long_retry, Scenarios, ATTEMPTS, "attempts for larger frames"),
    field!(
        retry_count,
        Scenarios,
        RetryCount::KIND,
        "`every`: each failed attempt counts against the frame's limit; `standard`: RTS and data as in IEEE 802.11"
    ),
    shaped("queue", "packets, a size, or a table", "queue of each station, as of a link"),
    Setting {
        key: "capture",
        scope: Scope::Scenarios,
        kind: Kind::WordOr(&[OFF], &Kind::Number { least: 0.0 }),
        doc: "decibels by which a received frame must exceed each overlapping one",
        get: |radio| Some(radio.capture.map_or_else(|| Value::word(OFF), Value::Number)),
        set: |radio, value| {
            radio.capture = None;
            match value {
                Value::Word(_) => Ok(()),
                value => put_some(&mut radio.capture, value),
            }
        },
    },
];

static STATION: [Setting<StationConfig>; 4] = [
    shaped("name", "a name", "one that no other node has"),
    Setting {
        key: "x",
        scope: Scope::Scenarios,
        kind: Kind::Distance,
        doc: "initial place, to the east",
        get: |station| shown(&station.position.x),
        set: |station, value| put(&mut station.position.x, value),
    },
    Setting {
        key: "y",
        scope: Scope::Scenarios,
        kind: Kind::Distance,
        doc: "initial place, to the north",
        get: |station| shown(&station.position.y),
        set: |station, value| put(&mut station.position.y, value),
    },
    shaped("movement", "`still`, or a table", "movement"),
];

/// The word for a radio that never uses RTS and CTS.
const NEVER: &str = "never";
/// The word for a radio without capture.
const OFF: &str = "off";

impl Named for RetryCount {
    const WHAT: &'static str = "retry count";
    const NAMES: &'static [(&'static str, RetryCount)] =
        &[("every", RetryCount::Every), ("standard", RetryCount::Standard)];
}

impl Named for Routing {
    const WHAT: &'static str = "routing";
    const NAMES: &'static [(&'static str, Routing)] = &[("dsr", Routing::Dsr), ("static", Routing::Static)];
}
