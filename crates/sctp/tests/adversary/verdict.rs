//! The classes of faults, and which faults are known.

use std::fmt;

/// The class of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Something panicked.
    Panic,
    /// A message arrived twice, out of order or changed.
    Delivery,
    /// Both ends closed in order, and something did not arrive.
    Lost,
    /// The play does not end in reasonable time.
    Standstill,
    /// An association ended although no end that may end it did so.
    Ended,
    /// One honest end reported a protocol violation of the other.
    Accused,
    /// A cookie that was used opened another association.
    Reopened,
    /// The answers to a packet exceed their bound.
    Answers,
    /// More memory is held than may be.
    Memory,
    /// A packet made an end allocate more than it may.
    Allocations,
    /// A packet took longer than it may.
    Time,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) class: Class,
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(class: Class, what: impl Into<String>) -> Fault {
        Fault { class, what: what.into() }
    }

    /// Returns true if the fault is known: then it is counted and fails no test.
    pub(crate) fn is_known(&self) -> bool {
        KNOWN.iter().any(|(class, part)| *class == self.class && self.what.contains(part))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.class, self.what)
    }
}

/// Faults that are found and not repaired yet, by their class and a part of what is said of them. It is empty except
/// while one is being repaired.
const KNOWN: &[(Class, &str)] = &[];
