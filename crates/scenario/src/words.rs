//! The words that settings choose from: those that are built, and those that are known and come later. It
//! knows names, and what each stands for in [`crate::model`]; building one means moving its name to the left.

use anabranch_link::config::LossPlace;

use crate::fault::{Fault, Read};
use crate::model::{BufferSplit, BurstRule, Charge, DacWire, Direction, Handshake, MtuDiscovery, Unit};
use crate::nearest::{listed, nearest};
use crate::tree::{Node, Span, Value, quoted};

/// The words of one setting.
pub(crate) struct Words<T: 'static> {
    /// What they choose, as a sentence has it.
    pub what: &'static str,
    /// Those that work.
    pub built: &'static [(&'static str, T)],
    /// Those of the scenario format that do not yet.
    pub planned: &'static [&'static str],
}

/// A policy that a registry knows by its name.
pub(crate) type Policies = Words<()>;

/// The kind of a table, `{ kind = … }`: a word that says which other keys it has.
pub(crate) type Kinds<T> = Words<T>;

pub(crate) const CHARGE: Words<Charge> = Words {
    what: "charge",
    built: &[("user", Charge::User), ("chunk", Charge::Chunk), ("packet", Charge::Packet)],
    planned: &[],
};

pub(crate) const UNIT: Words<Unit> = Words {
    what: "window unit",
    built: &[("mtu", Unit::Mtu), ("pmdcs", Unit::Pmdcs), ("bytes", Unit::Bytes)],
    planned: &[],
};

pub(crate) const ENCAPSULATION: Words<crate::model::Encapsulation> = Words {
    what: "encapsulation",
    built: &[
        ("none", crate::model::Encapsulation::None),
        ("udp", crate::model::Encapsulation::Udp),
        ("sealed", crate::model::Encapsulation::Sealed),
    ],
    planned: &[],
};

pub(crate) const MTU_DISCOVERY: Words<MtuDiscovery> = Words {
    what: "MTU discovery",
    built: &[("off", MtuDiscovery::Off), ("on", MtuDiscovery::On)],
    planned: &[],
};

pub(crate) const MULTIPATH: Words<crate::model::Multipath> = Words {
    what: "use of several paths",
    built: &[
        ("off", crate::model::Multipath::Off),
        ("cmt", crate::model::Multipath::Cmt),
        ("appstripe", crate::model::Multipath::AppStripe),
    ],
    planned: &["ipcc"],
};

pub(crate) const CONGESTION_CONTROL: Policies = Words {
    what: "congestion control",
    built: &[("reno", ())],
    planned: &["lia", "olia", "balia", "berp", "cubic"],
};

pub(crate) const SCHEDULER: Policies = Words {
    what: "scheduler",
    built: &[("round-robin", ()), ("fill", ()), ("lowest-rtt", ())],
    planned: &["window-regulated", "bas", "reception-index", "ods", "ecf", "blest"],
};

pub(crate) const RETRANSMISSION: Policies = Words {
    what: "retransmission policy",
    built: &[
        ("same", ()),
        ("alternate", ()),
        ("asap", ()),
        ("cwnd", ()),
        ("ssthresh", ()),
        ("lossrate", ()),
        ("lossrate=oracle", ()),
        ("compound", ()),
    ],
    planned: &["both"],
};

pub(crate) const BUFFER_SPLIT: Words<BufferSplit> = Words {
    what: "buffer split",
    built: &[
        ("none", BufferSplit::None),
        ("sender", BufferSplit::Sender),
        ("receiver", BufferSplit::Receiver),
        ("both", BufferSplit::Both),
    ],
    planned: &[],
};

pub(crate) const WINDOW_MANAGEMENT: Policies = Words {
    what: "window management",
    built: &[("none", ()), ("dynamic", ()), ("dynamic-unbounded", ()), ("static", ()), ("live", ())],
    planned: &[],
};

pub(crate) const LOSS_RESPONSE: Policies =
    Words { what: "loss response", built: &[("standard", ())], planned: &["wireless-aware"] };

pub(crate) const ECN: Policies =
    Words { what: "use of ECN", built: &[("off", ())], planned: &["echo", "cwr"] };

pub(crate) const SACK_WHEN: Policies =
    Words { what: "acknowledgement timing", built: &[("standard", ())], planned: &["any-order"] };

pub(crate) const SACK_GAPS: Policies =
    Words { what: "choice of reported gaps", built: &[("all", ())], planned: &["new", "nr"] };

pub(crate) const DAC_WIRE: Words<DacWire> = Words {
    what: "encoding of delayed acknowledgements",
    built: &[("bits76", DacWire::Bits76), ("plain", DacWire::Plain)],
    planned: &[],
};

pub(crate) const HANDSHAKE: Words<Handshake> =
    Words { what: "handshake", built: &[("on", Handshake::On), ("off", Handshake::Off)], planned: &[] };

pub(crate) const BURST_RULE: Words<BurstRule> = Words {
    what: "burst rule",
    built: &[
        ("event", BurstRule::Event),
        ("after-retransmission", BurstRule::AfterRetransmission),
        ("rfc", BurstRule::Rfc),
        ("paced", BurstRule::Paced),
    ],
    planned: &[],
};

/// The profiles; their values are in `read::profile`.
pub(crate) const PROFILE: Policies = Words {
    what: "profile",
    built: &[("rfc2960", ()), ("rfc4960", ()), ("rfc9260", ()), ("tuned-1", ())],
    planned: &["tuned-2"],
};

pub(crate) const DIRECTION: Words<Direction> = Words {
    what: "direction",
    built: &[("forward", Direction::Forward), ("reverse", Direction::Reverse), ("both", Direction::Both)],
    planned: &[],
};

pub(crate) const LOSS_PLACE: Words<LossPlace> = Words {
    what: "place of a loss",
    built: &[("entry", LossPlace::Entry), ("exit", LossPlace::Exit)],
    planned: &[],
};

/// Whether an event takes a link away or brings it back.
pub(crate) const LINK_STATE: Words<bool> =
    Words { what: "state of a link", built: &[("up", true), ("down", false)], planned: &[] };

/// How a flow is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Sctp,
    Udp,
}

pub(crate) const PROTOCOL: Words<Transport> = Words {
    what: "protocol",
    built: &[("sctp", Transport::Sctp), ("udp", Transport::Udp)],
    planned: &["tcp"],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrafficKind {
    Bulk,
    Cbr,
    OnOff,
    Poisson,
}

pub(crate) const TRAFFIC: Kinds<TrafficKind> = Words {
    what: "traffic",
    built: &[
        ("bulk", TrafficKind::Bulk),
        ("cbr", TrafficKind::Cbr),
        ("on-off", TrafficKind::OnOff),
        ("poisson", TrafficKind::Poisson),
    ],
    planned: &[],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LossWord {
    Bernoulli,
    Correlated,
    GilbertElliott,
    Outages,
    Burst,
    Every,
    List,
}

pub(crate) const LOSS: Kinds<LossWord> = Words {
    what: "kind of loss",
    built: &[
        ("bernoulli", LossWord::Bernoulli),
        ("correlated", LossWord::Correlated),
        ("gilbert-elliott", LossWord::GilbertElliott),
        ("outages", LossWord::Outages),
        ("burst", LossWord::Burst),
        ("every", LossWord::Every),
        ("list", LossWord::List),
    ],
    planned: &["chunk"],
};

pub(crate) const QUEUE: Policies =
    Words { what: "kind of queue", built: &[("drop-tail", ())], planned: &["red", "codel", "pie"] };

impl<T: Copy> Words<T> {
    /// The word at `node`, and what it stands for.
    pub fn pick(&self, node: &Node) -> Read<(&'static str, T)> {
        match &node.value {
            Value::Text(word) => self.find(word, node.span),
            other => Err(self.refused(node.span, &other.describe())),
        }
    }

    /// What the word at `node` stands for.
    pub fn meaning(&self, node: &Node) -> Read<T> {
        self.pick(node).map(|(_, meaning)| meaning)
    }

    /// The word at `node` itself, as a registry knows it.
    pub fn name(&self, node: &Node) -> Read<String> {
        self.pick(node).map(|(name, _)| name.to_owned())
    }

    fn find(&self, word: &str, span: Span) -> Read<(&'static str, T)> {
        if let Some(found) = self.built.iter().find(|(name, _)| *name == word) {
            return Ok(*found);
        }
        if self.planned.contains(&word) {
            return Err(self.not_built(word, span));
        }
        let fault = self.refused(span, &quoted(word));
        let built = nearest(word, self.names()).map(|name| format!("{name:?}"));
        let planned = || nearest(word, self.planned.iter().copied());
        Err(fault
            .nearest(built.or_else(|| planned().map(|name| format!("{name:?}, which is not built yet")))))
    }

    /// A known word that does not work yet.
    pub fn not_built(&self, word: &str, span: Span) -> Box<Fault> {
        let (what, built) = (self.what, listed(self.names()));
        let are = if self.built.len() == 1 { "is only" } else { "are" };
        Fault::not_built(span, format!("{what} {word:?} is not built yet; there {are} {built}"))
    }

    fn refused(&self, span: Span, found: &str) -> Box<Fault> {
        let or = match self.built {
            [(one, _)] => format!("{one:?}, all there is yet"),
            _ => format!("one of {}", listed(self.names())),
        };
        Fault::unknown(span, format!("{found} is no {}", self.what)).expected(or)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.built.iter().map(|(name, _)| *name)
    }
}

impl<T: Copy + PartialEq> Words<T> {
    /// The word that stands for `meaning`.
    pub fn word(&self, meaning: T) -> &'static str {
        self.built.iter().find(|(_, known)| *known == meaning).map_or("", |(name, _)| name)
    }
}
