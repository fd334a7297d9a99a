//! Delayed SACKs and time-outs.

use anabranch_base::Duration;
use anabranch_base::field;
use anabranch_base::setting::{
    Kind, Named as _, Refusal, Scope, Setting, Value, Words, put, put_some, shown, shown_some,
};

use crate::config::{Config, SackBatch, SackWhen};

/// RFC 9260 §6.2: a delay of SACKs "MUST NOT be more than 500 ms".
pub(crate) const LONGEST_SACK_DELAY: Duration = Duration::from_millis(500);

/// The word for no own value of `rto.min_recovery`.
const AS_MIN: &str = "rto.min";

pub(super) const SETTINGS: &[Setting<Config>] = &[
    field!(
        sack.every,
        Everywhere,
        Kind::Whole { least: 1, most: 1_000 },
        "packets after which a SACK is sent"
    ),
    Setting {
        key: "sack.delay",
        scope: Scope::Everywhere,
        kind: Kind::ANY_SPAN,
        doc: "maximum delay of a SACK, at most 500 ms",
        get: |config| shown(&config.sack.delay),
        set: set_sack_delay,
    },
    Setting {
        key: "sack.batch",
        scope: Scope::Everywhere,
        kind: Kind::Boolean,
        doc: "real sockets send one SACK for all packets that they read at once; simulated ones arrive singly",
        get: |config| Some(Value::Boolean(config.sack.batch == SackBatch::Whole)),
        set: |config, value| {
            let mut is_whole = false;
            put(&mut is_whole, value)?;
            config.sack.batch = if is_whole { SackBatch::Whole } else { SackBatch::Each };
            Ok(())
        },
    },
    field!(
        sack_immediately,
        Everywhere,
        Kind::Boolean,
        "chunks that nearly use up the peer's window ask for a SACK without delay (RFC 7053)"
    ),
    field!(
        sack_before_waiting,
        Everywhere,
        Kind::Boolean,
        "the last chunk before the sender waits asks for a SACK without delay (RFC 7053)"
    ),
    field!(sack.when, Scenarios, SackWhen::KIND, "`any-order`: a gap causes no immediate SACK"),
    Setting {
        key: "sack.gaps",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words {
            what: "choice of reported gaps",
            built: || vec!["all", "new"],
            planned: &[],
        }),
        doc: "gaps that a SACK reports; `new`: those that changed in the last three, if both ends are set to it",
        get: |config| shown(&config.sack_content),
        set: |config, value| put(&mut config.sack_content, value),
    },
    field!(rto.initial, Everywhere, Kind::SOME_SPAN, "retransmission time-out before the first round trip"),
    field!(rto.min, Everywhere, Kind::SOME_SPAN, "minimum retransmission time-out"),
    Setting {
        key: "rto.min_recovery",
        scope: Scope::Everywhere,
        kind: Kind::WordOr(&[AS_MIN], &Kind::SOME_SPAN),
        doc: "`wireless-aware`: minimum while losses that are not congestion are repaired",
        get: |config| shown_some(&config.rto.min_recovery).or_else(|| Some(Value::word(AS_MIN))),
        set: |config, value| match value {
            Value::Word(_) => {
                config.rto.min_recovery = None;
                Ok(())
            }
            value => put_some(&mut config.rto.min_recovery, value),
        },
    },
    field!(rto.max, Everywhere, Kind::SOME_SPAN, "maximum retransmission time-out"),
    field!(rto.variation, Everywhere, Kind::ANY_SPAN, "lower bound of four times RTTVAR"),
];

fn set_sack_delay(config: &mut Config, value: Value) -> Result<(), Refusal> {
    let mut delay = Duration::ZERO;
    put(&mut delay, value)?;
    if delay > LONGEST_SACK_DELAY {
        let expected = format!("at most {LONGEST_SACK_DELAY} (RFC 9260 §6.2)");
        return Err(Refusal::new(format!("a SACK must not be delayed by {delay}"), expected));
    }
    config.sack.delay = delay;
    Ok(())
}
