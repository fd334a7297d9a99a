//! The kinds of queues that a scenario's `queue = { kind = … }` names, with the settings of each. To add a kind, add
//! its entry here and its queue in `queue/`.

use anabranch_base::setting::{Kind, Scope, Settable, Setting, Value, Variant, put, shown};

use super::{QueueConfig, QueueLimit};

/// Every kind of queue.
pub static QUEUES: [Variant<QueueConfig>; 1] = [Variant {
    name: "drop-tail",
    what: "a drop-tail queue",
    doc: "first in, first out; a packet that finds it full is dropped; `queue = \"100 packets\"` is the \
          short form",
    new: || QueueConfig::DropTail(DEFAULT_LIMIT),
    is: |queue| matches!(queue, QueueConfig::DropTail(_)),
    settings: &[LIMIT],
    required: &[],
    example: "limit = \"100 packets\"",
}];

/// Known kinds of queues that do not exist yet.
pub const PLANNED_QUEUES: &[&str] = &["red", "codel", "pie"];

/// ns-2's default (M-NET-2).
pub(super) const DEFAULT_LIMIT: QueueLimit = QueueLimit::Packets(50);

const LIMIT: Setting<QueueConfig> = Setting {
    key: "limit",
    scope: Scope::Scenarios,
    kind: Kind::PacketsOrSize,
    doc: "the capacity, without the packet being sent",
    get: |queue| match queue {
        QueueConfig::DropTail(limit) => shown(limit),
    },
    set: |queue, value| match queue {
        QueueConfig::DropTail(limit) => put(limit, value),
    },
};

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
