//! The words that keys of events and flows choose from: those that are built, and those that are known and come
//! later. Building one means moving its name to the left.

use crate::choice::Choice;
use crate::fault::{Fault, Read};
use crate::model::Direction;
use crate::tree::{Node, Span};

/// The words of one key.
pub(crate) struct KeyWords<T: 'static> {
    /// What they choose, as a sentence has it.
    pub what: &'static str,
    /// Those that work.
    pub built: &'static [(&'static str, T)],
    /// Those of the scenario format that do not yet.
    pub planned: &'static [&'static str],
}

/// The kind of a table, `{ kind = … }`: a word that says which other keys it has.
pub(crate) type KindWords<T> = KeyWords<T>;

pub(crate) const DIRECTION: KeyWords<Direction> = KeyWords {
    what: "direction",
    built: &[("forward", Direction::Forward), ("reverse", Direction::Reverse), ("both", Direction::Both)],
    planned: &[],
};

/// Whether an event takes a link away or brings it back.
pub(crate) const LINK_STATE: KeyWords<bool> =
    KeyWords { what: "state of a link", built: &[("up", true), ("down", false)], planned: &[] };

/// How a flow is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtocolName {
    Sctp,
    Udp,
}

pub(crate) const PROTOCOL: KeyWords<ProtocolName> = KeyWords {
    what: "protocol",
    built: &[("sctp", ProtocolName::Sctp), ("udp", ProtocolName::Udp)],
    planned: &["tcp"],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrafficKind {
    Bulk,
    Cbr,
    OnOff,
    Poisson,
}

pub(crate) const TRAFFIC: KindWords<TrafficKind> = KeyWords {
    what: "traffic",
    built: &[
        ("bulk", TrafficKind::Bulk),
        ("cbr", TrafficKind::Cbr),
        ("on-off", TrafficKind::OnOff),
        ("poisson", TrafficKind::Poisson),
    ],
    planned: &[],
};

impl<T: Copy> KeyWords<T> {
    /// What the word at `node` stands for.
    pub fn meaning(&self, node: &Node) -> Read<T> {
        let word = self.choice().pick(node)?;
        let found = self.built.iter().find(|(name, _)| *name == word);
        Ok(found.expect("a choice picks among the built words").1)
    }

    /// A known word that does not work yet.
    pub fn not_built(&self, word: &str, span: Span) -> Box<Fault> {
        self.choice().not_built(word, span)
    }

    fn choice(&self) -> Choice<'static> {
        let built = self.built.iter().map(|(name, _)| *name).collect();
        Choice { what: self.what, built, planned: self.planned.to_vec() }
    }
}

impl<T: Copy + PartialEq> KeyWords<T> {
    /// The word that stands for `meaning`.
    pub fn word(&self, meaning: T) -> &'static str {
        self.built.iter().find(|(_, known)| *known == meaning).map_or("", |(name, _)| name)
    }
}
