//! The kinds of losses that a scenario's `loss = { kind = … }` names, with the settings of each. To add a kind, add
//! its entry here and its rule in `loss/`.

use anabranch_base::setting::{
    Kind, Named as _, Refusal, Scope, Settable, Setting, Value, Variant, put, shown,
};
use anabranch_base::{Duration, Time};

use super::{ChannelSharing, ChunkKind, LossKind};

/// Every kind of loss that has a name.
pub static LOSSES: [Variant<LossKind>; 8] = [
    Variant {
        name: "bernoulli",
        what: "bernoulli loss",
        doc: "each packet independently; short form: `loss = 0.01`",
        new: || LossKind::Bernoulli { probability: 0.0 },
        is: |kind| matches!(kind, LossKind::Bernoulli { .. }),
        settings: &[PROBABILITY],
        required: &["probability"],
        example: "probability = 0.01",
    },
    Variant {
        name: "correlated",
        what: "correlated loss",
        doc: "the first loss in a sender's round takes the rest of the round; not on links of UDP flows",
        new: || LossKind::Correlated { probability: 0.0 },
        is: |kind| matches!(kind, LossKind::Correlated { .. }),
        settings: &[PROBABILITY],
        required: &["probability"],
        example: "probability = 0.01",
    },
    Variant {
        name: "gilbert-elliott",
        what: "gilbert-elliott loss",
        doc: "a channel with a good and a bad state, exponential times of these means, and a loss probability each",
        new: || LossKind::GilbertElliott {
            good: Duration::ZERO,
            bad: Duration::ZERO,
            loss_good: 0.0,
            loss_bad: 0.0,
            channel: ChannelSharing::Own,
        },
        is: |kind| matches!(kind, LossKind::GilbertElliott { .. }),
        settings: &TWO_STATES,
        required: &["good", "bad", "loss_good", "loss_bad"],
        example: "good = \"9.9 s\", bad = \"0.1 s\", loss_good = 0.01, loss_bad = 1.0",
    },
    Variant {
        name: "outages",
        what: "a loss by outages",
        doc: "everything in these spans of time, in order",
        new: || LossKind::Outages(Vec::new()),
        is: |kind| matches!(kind, LossKind::Outages(_)),
        settings: &[OUTAGES],
        required: &["times"],
        example: "times = [[\"40.4 s\", \"41.5 s\"]]",
    },
    Variant {
        name: "burst",
        what: "burst loss",
        doc: "after a loss, everything for a uniform share of `duration`",
        new: || LossKind::Burst { probability: 0.0, duration: Duration::ZERO },
        is: |kind| matches!(kind, LossKind::Burst { .. }),
        settings: &[PROBABILITY, DURATION],
        required: &["probability", "duration"],
        example: "probability = 0.01, duration = \"200 ms\"",
    },
    Variant {
        name: "every",
        what: "a loss of every n-th packet",
        doc: "each n-th packet",
        new: || LossKind::Every(1),
        is: |kind| matches!(kind, LossKind::Every(_)),
        settings: &[EVERY],
        required: &["n"],
        example: "n = 100",
    },
    Variant {
        name: "list",
        what: "a loss by list",
        doc: "these packets, counted from 1",
        new: || LossKind::List(Vec::new()),
        is: |kind| matches!(kind, LossKind::List(_)),
        settings: &[LIST],
        required: &["packets"],
        example: "packets = [10, 11, 250]",
    },
    Variant {
        name: "chunk",
        what: "a loss by chunk",
        doc: "a share of the packets with an SCTP chunk of this `type`, evenly spaced; sealed packets pass",
        new: || LossKind::Chunk { kind: ChunkKind::CWR, share: 0.0 },
        is: |kind| matches!(kind, LossKind::Chunk { .. }),
        settings: &CHUNK,
        required: &["type", "rate"],
        example: "type = \"CWR\", rate = 0.2",
    },
];

/// Known kinds of losses that do not exist yet.
pub const PLANNED_LOSSES: &[&str] = &[];

/// A field of those kinds that have it.
macro_rules! kind_field {
    ($key:literal, $kind:expr, $doc:literal, $($variant:ident)|+, $field:ident) => {
        Setting {
            key: $key,
            scope: Scope::Scenarios,
            kind: $kind,
            doc: $doc,
            get: |loss| match loss {
                $(LossKind::$variant { $field, .. })|+ => shown($field),
                _ => None,
            },
            set: |loss, value| match loss {
                $(LossKind::$variant { $field, .. })|+ => put($field, value),
                _ => Ok(()),
            },
        }
    };
}

const PROBABILITY: Setting<LossKind> = kind_field!(
    "probability",
    Kind::Probability,
    "that of a loss",
    Bernoulli | Correlated | Burst,
    probability
);

const DURATION: Setting<LossKind> =
    kind_field!("duration", Kind::SOME_SPAN, "the longest burst", Burst, duration);

static TWO_STATES: [Setting<LossKind>; 4] = [
    kind_field!("good", Kind::SOME_SPAN, "the mean time in the good state", GilbertElliott, good),
    kind_field!("bad", Kind::SOME_SPAN, "the mean time in the bad state", GilbertElliott, bad),
    kind_field!(
        "loss_good",
        Kind::Probability,
        "the probability of a loss in the good state",
        GilbertElliott,
        loss_good
    ),
    kind_field!(
        "loss_bad",
        Kind::Probability,
        "the probability of a loss in the bad state",
        GilbertElliott,
        loss_bad
    ),
];

static CHUNK: [Setting<LossKind>; 2] = [
    kind_field!("type", ChunkKind::KIND, "the chunk's name in RFC 9260 §3.2", Chunk, kind),
    kind_field!(
        "rate",
        Kind::Probability,
        "the share of packets with that chunk that are lost",
        Chunk,
        share
    ),
];

const OUTAGES: Setting<LossKind> = Setting {
    key: "times",
    scope: Scope::Scenarios,
    kind: Kind::Periods,
    doc: "the spans, each from its first moment to before its second",
    get: |loss| match loss {
        LossKind::Outages(spans) => Some(Value::List(spans.iter().map(period).collect())),
        _ => None,
    },
    set: |loss, value| {
        let periods: Vec<Vec<Duration>> = Settable::of_value(value).unwrap_or_default();
        let span = |period: &[Duration]| match period {
            [from, to] => Ok((Time::ZERO + *from, Time::ZERO + *to)),
            _ => Err(Refusal::new("a span has a beginning and an end", "two times")),
        };
        *loss = LossKind::Outages(periods.iter().map(|period| span(period)).collect::<Result<_, _>>()?);
        Ok(())
    },
};

const EVERY: Setting<LossKind> = Setting {
    key: "n",
    scope: Scope::Scenarios,
    kind: Kind::Whole { least: 1, most: u64::MAX },
    doc: "the number n: each n-th packet is lost",
    get: |loss| match loss {
        LossKind::Every(n) => shown(n),
        _ => None,
    },
    set: |loss, value| match loss {
        LossKind::Every(n) => put(n, value),
        _ => Ok(()),
    },
};

const LIST: Setting<LossKind> = Setting {
    key: "packets",
    scope: Scope::Scenarios,
    kind: Kind::List { each: &Kind::Whole { least: 1, most: u64::MAX }, example: "[10, 11, 250]" },
    doc: "the numbers; order and repetitions do not matter",
    get: |loss| match loss {
        LossKind::List(packets) => shown(packets),
        _ => None,
    },
    set: |loss, value| match loss {
        LossKind::List(packets) => {
            put(packets, value)?;
            packets.sort_unstable();
            packets.dedup();
            Ok(())
        }
        _ => Ok(()),
    },
};

fn period((from, to): &(Time, Time)) -> Value {
    Value::List([from, to].map(|at| Value::Span(at.since(Time::ZERO))).to_vec())
}
