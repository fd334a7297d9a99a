//! When SACKs are sent, and how long an answer is waited for.

use anabranch_base::Duration;
use anabranch_base::field;
use anabranch_base::setting::{Kind, Refusal, Scope, Setting, Value, Words, put, shown};

use crate::config::{Config, SackBatch};

/// RFC 9260 §6.2: a delay of SACKs "MUST NOT be more than 500 ms".
pub const LONGEST_SACK_DELAY: Duration = Duration::from_millis(500);

pub const SETTINGS: &[Setting<Config>] = &[
    field!(sack.every, Everywhere, Kind::Whole { least: 1, most: 1_000 }, "a SACK at every so many packets"),
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
    field!(
        rto.initial,
        Everywhere,
        Kind::SOME_SPAN,
        "the retransmission time-out before a round trip was measured"
    ),
    field!(rto.min, Everywhere, Kind::SOME_SPAN, "the least time-out"),
    field!(rto.max, Everywhere, Kind::SOME_SPAN, "the largest time-out"),
    field!(
        rto.variation,
        Everywhere,
        Kind::ANY_SPAN,
        "four times the variation of the round trip counts as this much at least"
    ),
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
