//! When SACKs are sent, and how long an answer is waited for.

use anabranch_base::Duration;
use anabranch_base::setting::{Kind, Refusal, Scope, Setting, Value, Words, put, shown};

use crate::config::{Config, SackBatch};

/// RFC 9260 §6.2: a delay of SACKs "MUST NOT be more than 500 ms".
pub const LONGEST_SACK_DELAY: Duration = Duration::from_millis(500);

pub const SETTINGS: &[Setting<Config>] = &[
    Setting {
        key: "sack.every",
        scope: Scope::Everywhere,
        kind: Kind::Whole { least: 1, most: 1_000 },
        doc: "a SACK at every so many packets",
        get: |config| shown(&config.sack.every),
        set: |config, value| put(&mut config.sack.every, value),
    },
    Setting {
        key: "sack.delay",
        scope: Scope::Everywhere,
        kind: Kind::ANY_SPAN,
        doc: "and after so long at the latest, at most 500 ms",
        get: |config| shown(&config.sack.delay),
        set: set_sack_delay,
    },
    Setting {
        key: "sack.batch",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "whether real sockets answer all packets that they read at once by one SACK; a simulated packet comes alone",
        get: |config| Some(Value::Boolean(config.sack.batch == SackBatch::Whole)),
        set: |config, value| {
            let mut is_whole = false;
            put(&mut is_whole, value)?;
            config.sack.batch = if is_whole { SackBatch::Whole } else { SackBatch::Each };
            Ok(())
        },
    },
    Setting {
        key: "sack.when",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words {
            what: "acknowledgement timing",
            built: || vec!["standard"],
            planned: &["any-order"],
        }),
        doc: "which packets are answered at once",
        get: |_| Some(Value::word("standard")),
        set: |_, _| Ok(()),
    },
    Setting {
        key: "sack.gaps",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words {
            what: "choice of reported gaps",
            built: || vec!["all"],
            planned: &["new", "nr"],
        }),
        doc: "which gaps a SACK reports",
        get: |_| Some(Value::word("all")),
        set: |_, _| Ok(()),
    },
    Setting {
        key: "rto.initial",
        scope: Scope::Everywhere,
        kind: Kind::SOME_SPAN,
        doc: "the retransmission time-out before a round trip was measured",
        get: |config| shown(&config.rto.initial),
        set: |config, value| put(&mut config.rto.initial, value),
    },
    Setting {
        key: "rto.min",
        scope: Scope::Everywhere,
        kind: Kind::SOME_SPAN,
        doc: "the least time-out",
        get: |config| shown(&config.rto.min),
        set: |config, value| put(&mut config.rto.min, value),
    },
    Setting {
        key: "rto.max",
        scope: Scope::Everywhere,
        kind: Kind::SOME_SPAN,
        doc: "the largest time-out",
        get: |config| shown(&config.rto.max),
        set: |config, value| put(&mut config.rto.max, value),
    },
    Setting {
        key: "rto.variation",
        scope: Scope::Everywhere,
        kind: Kind::ANY_SPAN,
        doc: "four times the variation of the round trip counts as this much at least",
        get: |config| shown(&config.rto.variation),
        set: |config, value| put(&mut config.rto.variation, value),
    },
];

fn set_sack_delay(config: &mut Config, value: Value) -> Result<(), Refusal> {
    let mut delay = Duration::ZERO;
    put(&mut delay, value)?;
    if delay > LONGEST_SACK_DELAY {
        let expected = format!("at most {LONGEST_SACK_DELAY} (RFC 9260 §6.2)");
        return Err(Refusal::new(format!("a SACK may not wait for {delay}"), expected));
    }
    config.sack.delay = delay;
    Ok(())
}
