//! Every table of a scenario file with its keys. It knows their names; what they mean is with their readers.

use super::fields::Shape;

pub(crate) const FILE: Shape =
    Shape { what: "a scenario", header: "", keys: &["title", "run", "link", "path", "event", "flow"] };

pub(crate) const RUN: Shape =
    Shape { what: "[run]", header: "[run]", keys: &["time", "warmup", "seed", "runs"] };

pub(crate) const LINK: Shape = Shape {
    what: "a link",
    header: "[[link]]",
    keys: &[
        "name",
        "rate",
        "delay",
        "jitter",
        "reorder",
        "loss",
        "queue",
        "mtu",
        "duplicate",
        "corrupt",
        "reverse",
        "private",
    ],
};

pub(crate) const REVERSE: Shape = Shape {
    what: "the way back",
    header: "",
    keys: &["loss", "rate", "delay", "jitter", "reorder", "queue", "mtu", "duplicate", "corrupt"],
};

pub(crate) const STEPS: Shape = Shape { what: "a table of steps", header: "", keys: &["steps"] };
pub(crate) const TRACE: Shape = Shape { what: "a trace", header: "", keys: &["trace", "repeat"] };
pub(crate) const DROP_TAIL: Shape = Shape { what: "a drop-tail queue", header: "", keys: &["kind", "limit"] };

pub(crate) const BERNOULLI: Shape =
    Shape { what: "bernoulli loss", header: "", keys: &["kind", "probability", "after", "at"] };
pub(crate) const CORRELATED: Shape =
    Shape { what: "correlated loss", header: "", keys: &["kind", "probability", "after", "at"] };
pub(crate) const GILBERT_ELLIOTT: Shape = Shape {
    what: "gilbert-elliott loss",
    header: "",
    keys: &["kind", "good", "bad", "loss_good", "loss_bad", "after", "at"],
};
pub(crate) const OUTAGES: Shape =
    Shape { what: "a loss by outages", header: "", keys: &["kind", "times", "after", "at"] };
pub(crate) const BURST: Shape =
    Shape { what: "burst loss", header: "", keys: &["kind", "probability", "duration", "after", "at"] };
pub(crate) const EVERY: Shape =
    Shape { what: "a loss of every n-th packet", header: "", keys: &["kind", "n", "after", "at"] };
pub(crate) const LIST: Shape =
    Shape { what: "a loss by list", header: "", keys: &["kind", "packets", "after", "at"] };

pub(crate) const PATH: Shape =
    Shape { what: "a path", header: "[[path]]", keys: &["name", "links", "copies"] };

pub(crate) const EVENT: Shape = Shape {
    what: "an event",
    header: "[[event]]",
    keys: &["at", "link", "state", "rate", "delay", "loss", "mtu", "direction"],
};

pub(crate) const FLOW: Shape = Shape {
    what: "a flow",
    header: "[[flow]]",
    keys: &[
        "name",
        "protocol",
        "paths",
        "start",
        "transfer",
        "direction",
        "stagger",
        "traffic",
        "sctp",
        "tcp",
    ],
};

pub(crate) const BULK: Shape = Shape { what: "bulk traffic", header: "", keys: &["kind"] };
pub(crate) const CBR: Shape = Shape { what: "cbr traffic", header: "", keys: &["kind", "rate", "message"] };
pub(crate) const ON_OFF: Shape =
    Shape { what: "on-off traffic", header: "", keys: &["kind", "rate", "message", "on", "off"] };
pub(crate) const POISSON: Shape =
    Shape { what: "poisson traffic", header: "", keys: &["kind", "rate", "message"] };

pub(crate) const SCTP: Shape = Shape {
    what: "[flow.sctp]",
    header: "[flow.sctp]",
    keys: &[
        "profile",
        "charge",
        "unit",
        "rwnd_charge",
        "encapsulation",
        "multipath",
        "cmt",
        "congestion_control",
        "scheduler",
        "retransmission",
        "fast_retransmission",
        "receive_buffer",
        "send_buffer",
        "buffer_split",
        "window_management",
        "loss_response",
        "wireless",
        "small_window_recovery",
        "ecn",
        "ecn_window",
        "berp",
        "ipcc",
        "missing_reports",
        "sack",
        "rto",
        "initial_window",
        "initial_ssthresh",
        "window_floor",
        "mtu",
        "mtu_discovery",
        "payload",
        "max_burst",
        "strict_window",
        "ordered",
        "dac_wire",
        "failover",
        "handshake",
    ],
};

/// Keys of `[flow.sctp]` that are known, and that nothing follows from yet.
pub(crate) const SCTP_PLANNED: &[&str] = &["wireless", "ecn_window", "berp", "ipcc"];

pub(crate) const CMT: Shape =
    Shape { what: "cmt", header: "", keys: &["split_fast_retransmit", "window_update", "delayed_ack"] };
pub(crate) const BUFFER: Shape = Shape {
    what: "a receive buffer",
    header: "",
    keys: &["initial", "limit", "endpoint", "in_order", "out_of_order"],
};
pub(crate) const SACK: Shape =
    Shape { what: "sack", header: "", keys: &["every", "delay", "batch", "when", "gaps"] };
pub(crate) const RTO: Shape =
    Shape { what: "rto", header: "", keys: &["initial", "min", "max", "variation"] };
pub(crate) const MAX_BURST: Shape = Shape { what: "max_burst", header: "", keys: &["packets", "rule"] };
pub(crate) const FAILOVER: Shape = Shape {
    what: "failover",
    header: "",
    keys: &["potentially_failed", "path_max", "association_max", "heartbeat", "quick"],
};

/// Those with a header of their own: a key that is wrong in one may belong in another.
pub(crate) fn all() -> impl Iterator<Item = &'static Shape> {
    [&RUN, &LINK, &PATH, &EVENT, &FLOW, &SCTP].into_iter()
}
