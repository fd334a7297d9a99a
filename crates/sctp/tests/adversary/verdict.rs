//! What can be wrong, and which of it is known. It knows no packet.

use std::fmt;

/// What kind of wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Something panicked.
    Panic,
    /// A message arrived twice, out of order or changed.
    Delivery,
    /// Both ends closed in order, and something did not arrive.
    Lost,
    /// It does not end, or not while anybody would wait.
    Standstill,
    /// An association ended although nobody who could end it wanted it to.
    Ended,
    /// One honest end accused the other of a breach of the protocol.
    Accused,
    /// A cookie that was used opened another association.
    Reopened,
    /// A packet is answered by more than it may be.
    Answers,
    /// More memory is held than may be.
    Memory,
    /// A packet made an end allocate more than it may.
    Allocations,
    /// A packet took longer than it may.
    Time,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub class: Class,
    pub what: String,
}

impl Fault {
    pub fn new(class: Class, what: impl Into<String>) -> Fault {
        Fault { class, what: what.into() }
    }

    /// Whether it is waited for: it is counted and fails nothing.
    pub fn is_known(&self) -> bool {
        KNOWN.iter().any(|(class, part)| *class == self.class && self.what.contains(part))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.class, self.what)
    }
}

/// Faults that are found and not repaired yet, by their class and a part of what is said of them. It is empty unless
/// somebody is at work.
const KNOWN: &[(Class, &str)] = &[];
