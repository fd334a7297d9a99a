//! Congestion windows: their initial size and their floors.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Scope, Setting, Value, shown};

use crate::config::{Config, InitialWindow};

pub(super) const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "initial_window",
        scope: Scope::Everywhere,
        kind: Kind::WordOr(&[OF_PROFILE], &Kind::SOME_SIZE),
        doc: "initial congestion window of a path: as in the profile's RFC (`tuned-1`: ten segments, RFC 6928), or \
            a size",
        get: initial_window,
        set: |config, value| {
            config.initial_window = match value {
                Value::Size(size) => InitialWindow::Bytes(size),
                _ => of_profile(config),
            };
            Ok(())
        },
    },
    Setting {
        key: "initial_ssthresh",
        scope: Scope::Everywhere,
        kind: Kind::WordOr(&[PEERS_BUFFER], &Kind::SOME_SIZE),
        doc: "initial slow-start threshold of a path: the peer's receive buffer, or a size",
        get: |config| config.initial_ssthresh.map_or(Some(Value::word(PEERS_BUFFER)), |size| shown(&size)),
        set: |config, value| {
            config.initial_ssthresh = match value {
                Value::Size(size) => Some(size),
                _ => None,
            };
            Ok(())
        },
    },
    field!(
        window_floor,
        Everywhere,
        Kind::Whole { least: 1, most: 1_000 },
        "lower bound of ssthresh after a loss, in units"
    ),
    field!(
        cut_may_raise,
        Everywhere,
        Kind::Boolean,
        "a loss raises a smaller congestion window to `window_floor`, as RFC 9260 has it literally (7.2.3)"
    ),
];

const OF_PROFILE: &str = "rfc";
const PEERS_BUFFER: &str = "receive-buffer";

fn initial_window(config: &Config) -> Option<Value> {
    match config.initial_window {
        InitialWindow::Bytes(size) => Some(Value::Size(size)),
        // Only a program can set a window that is neither the profile's nor a size; such a window has no word.
        other => (other == of_profile(config)).then(|| Value::word(OF_PROFILE)),
    }
}

fn of_profile(config: &Config) -> InitialWindow {
    Config::profile(config.profile).unwrap_or_default().initial_window
}
