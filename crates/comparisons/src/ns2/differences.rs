//! Named differences in rules between ns-2's module and ours, and the points that they affect. A point is affected by
//! its parameters, not by its result. docs/oracle.md says how each difference was shown.

use std::fmt;

use super::point::ComparedPoint;
use super::world::Scheme;

/// A rule that differs between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Ours stops a path's growth while it recovers and cuts it once (M-CMT-2); ns-2 keeps no such state: windows grow
    /// on, a loss above the recover point cuts again, and the window update's search stays on the lost chunk. It
    /// matters where most windows are recovering.
    RecoveryOfAPath,
    /// Ours reads SACKs by the standard's rules where split fast retransmit is off, and the association recovers as one
    /// (M-SCTP-7); in ns-2 each destination has its own recover point even then.
    RecoveryOfTheAssociation,
}

impl Difference {
    /// The difference that affects `point`, if any.
    pub fn reaching(point: &ComparedPoint) -> Option<Difference> {
        let Scheme::Cmt([is_split, ..]) = point.scheme else { return None };
        if !is_split {
            Some(Difference::RecoveryOfTheAssociation)
        } else if point.loss >= 0.1 {
            Some(Difference::RecoveryOfAPath)
        } else {
            None
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Difference::RecoveryOfAPath => "recovery of a path",
            Difference::RecoveryOfTheAssociation => "recovery of the association",
        })
    }
}
