//! The gap blocks of NR-SACKs that are final.

use anabranch_base::setting::Named;

/// The TSNs that an NR-SACK reports as non-renegable (draft-natarajan-tsvwg-sctp-nrsack).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NrGaps {
    /// Every TSN that arrived: this receiver keeps everything until the application reads it.
    #[default]
    All,
    /// The messages that the application can read. The rest is reported in ordinary gap blocks, as a receiver does that may drop
    /// it when memory is short. This receiver never does.
    Readable,
}

impl Named for NrGaps {
    const WHAT: &'static str = "kind of non-renegable gaps";
    const NAMES: &'static [(&'static str, NrGaps)] = &[("all", NrGaps::All), ("readable", NrGaps::Readable)];
}
