//! The kinds of queues that a scenario's `queue = { kind = … }` names, with the settings of each. To add a kind, add
//! its entry here and its queue in `queue/`.

use anabranch_base::setting::{
    Kind, Named as _, Refusal, Scope, Settable, Setting, Value, Variant, put, shown,
};

use super::active_queues::{CoDelConfig, FqCoDelConfig, PieConfig, RedConfig, RedRule};
use super::{QueueConfig, QueueLimit};

/// Every kind of queue.
pub static QUEUES: [Variant<QueueConfig>; 5] = [
    Variant {
        name: "drop-tail",
        what: "a drop-tail queue",
        doc: "first in, first out; drops when full; short form: `queue = \"100 packets\"`",
        new: || QueueConfig::DropTail(DEFAULT_LIMIT),
        is: |queue| matches!(queue, QueueConfig::DropTail(_)),
        settings: &[LIMIT],
        required: &[],
        example: "limit = \"100 packets\"",
    },
    Variant {
        name: "red",
        what: "a queue with random early detection",
        doc: "marks or drops arriving packets with a probability that rises with the average length",
        new: || QueueConfig::Red(RedConfig::DEFAULT),
        is: |queue| matches!(queue, QueueConfig::Red(_)),
        settings: &RED,
        required: &["min", "max"],
        example: "limit = \"100 packets\", min = 10, max = 20",
    },
    Variant {
        name: "codel",
        what: "a queue with controlled delay",
        doc: "marks or drops the oldest packet while the minimum delay of an `interval` exceeds `target` (RFC 8289)",
        new: || QueueConfig::CoDel(CoDelConfig::DEFAULT),
        is: |queue| matches!(queue, QueueConfig::CoDel(_)),
        settings: &CODEL,
        required: &[],
        example: "target = \"5 ms\"",
    },
    Variant {
        name: "pie",
        what: "a queue with a proportional integral controller",
        doc: "marks or drops arriving packets with a probability that keeps the delay near `target` (RFC 8033)",
        new: || QueueConfig::Pie(PieConfig::DEFAULT),
        is: |queue| matches!(queue, QueueConfig::Pie(_)),
        settings: &PIE,
        required: &[],
        example: "target = \"15 ms\"",
    },
    Variant {
        name: "fq-codel",
        what: "a queue for each flow, with controlled delay",
        doc: "`codel` with a queue for each flow, in rotation (RFC 8290)",
        new: || QueueConfig::FqCoDel(FqCoDelConfig::DEFAULT),
        is: |queue| matches!(queue, QueueConfig::FqCoDel(_)),
        settings: &FQ_CODEL,
        required: &[],
        example: "flows = 1024",
    },
];

/// Known kinds of queues that do not exist yet.
pub const PLANNED_QUEUES: &[&str] = &[];

/// ns-2's default (M-NET-2).
pub(super) const DEFAULT_LIMIT: QueueLimit = QueueLimit::Packets(50);

/// A field of the configurations of those kinds of queues that have it.
macro_rules! queue_field {
    ($field:ident, $kind:expr, $doc:literal, $($variant:ident)|+) => {
        Setting {
            key: stringify!($field),
            scope: Scope::Scenarios,
            kind: $kind,
            doc: $doc,
            get: |queue| match queue {
                $(QueueConfig::$variant(config) => shown(&config.$field),)+
                _ => None,
            },
            set: |queue, value| match queue {
                $(QueueConfig::$variant(config) => put(&mut config.$field, value),)+
                _ => Ok(()),
            },
        }
    };
}

const LIMIT: Setting<QueueConfig> = Setting {
    key: "limit",
    scope: Scope::Scenarios,
    kind: Kind::PacketsOrSize,
    doc: "the capacity, without the packet being sent",
    get: |queue| shown(&queue.limit()),
    set: |queue, value| put(queue.limit_mut(), value),
};

const ECN: Setting<QueueConfig> = queue_field!(
    ecn,
    Kind::Boolean,
    "whether packets whose transport supports congestion marks are marked instead of dropped",
    Red | CoDel | Pie | FqCoDel
);

const TARGET: Setting<QueueConfig> =
    queue_field!(target, Kind::SOME_SPAN, "the accepted delay", CoDel | Pie | FqCoDel);

const INTERVAL: Setting<QueueConfig> = queue_field!(
    interval,
    Kind::SOME_SPAN,
    "how long the delay must be above `target` before a packet is marked or dropped",
    CoDel | FqCoDel
);

static RED: [Setting<QueueConfig>; 8] = [
    LIMIT,
    queue_field!(
        min,
        Kind::Number { least: 0.0 },
        "the average length, in packets, from which packets are marked or dropped with a probability",
        Red
    ),
    RED_MAX,
    queue_field!(weight, Kind::Probability, "the weight of the current length in the average", Red),
    queue_field!(max_probability, Kind::Probability, "the probability at an average length of `max`", Red),
    queue_field!(
        mean_packet,
        Kind::SOME_SIZE,
        "the packet size from which RED computes how many packets an idle line could have sent",
        Red
    ),
    ECN,
    queue_field!(rule, RedRule::KIND, "whether the current length counts too, not only the average", Red),
];

const RED_MAX: Setting<QueueConfig> = Setting {
    set: |queue, value| match queue {
        QueueConfig::Red(config) => {
            put(&mut config.max, value)?;
            if config.max > config.min {
                return Ok(());
            }
            let message = format!("{} is not more than `min`, which is {}", config.max, config.min);
            Err(Refusal::new(message, format!("a number above {}", config.min)))
        }
        _ => Ok(()),
    },
    ..queue_field!(
        max,
        Kind::Number { least: 0.0 },
        "the average length, in packets, from which all packets are marked or dropped",
        Red
    )
};

static CODEL: [Setting<QueueConfig>; 4] = [LIMIT, TARGET, INTERVAL, ECN];

static PIE: [Setting<QueueConfig>; 5] = [
    LIMIT,
    TARGET,
    queue_field!(update, Kind::SOME_SPAN, "how often the probability is computed", Pie),
    queue_field!(
        max_burst,
        Kind::ANY_SPAN,
        "how long nothing is marked or dropped after a time without a queue",
        Pie
    ),
    ECN,
];

static FQ_CODEL: [Setting<QueueConfig>; 6] = [
    LIMIT,
    queue_field!(
        flows,
        Kind::Whole { least: 1, most: MOST_FLOWS },
        "the number of queues; flows whose hashes are equal share one",
        FqCoDel
    ),
    queue_field!(
        quantum,
        Kind::Size { least: LEAST_QUANTUM, most: u64::MAX },
        "how much a queue sends in one turn",
        FqCoDel
    ),
    TARGET,
    INTERVAL,
    ECN,
];

/// With less, a queue would wait for thousands of turns before it sends a packet.
const LEAST_QUANTUM: u64 = 64;
/// Linux' largest number of queues.
const MOST_FLOWS: u64 = 65_536;

impl Settable for QueueLimit {
    fn value(&self) -> Value {
        match self {
            QueueLimit::Packets(packets) => Value::Packets(*packets),
            QueueLimit::Bytes(bytes) => Value::Size(*bytes),
        }
    }

    fn of_value(value: Value) -> Option<QueueLimit> {
        match value {
            Value::Packets(packets) => Some(QueueLimit::Packets(packets)),
            Value::Size(bytes) => Some(QueueLimit::Bytes(bytes)),
            _ => None,
        }
    }
}
