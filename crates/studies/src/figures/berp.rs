//! The figures of BERP, congestion control for CMT by each path's share of the bandwidth (M-BERP-1 to -5).

mod chains;
pub(super) mod datagrams;
pub(super) mod disjoint;
pub(super) mod disjoint_windows;
pub(super) mod friendliness;
pub(super) mod loaded_windows;
pub(super) mod shared;
pub(super) mod shared_windows;
mod transfer;
mod windows;

pub use chains::{ChainRun, Scheme, Work};

use crate::scale::StudyScale;

/// A choice for what the paper leaves open: the default, or a member of the sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainChoice {
    /// The name in reports.
    pub name: &'static str,
    /// The one-way delay of each link, in milliseconds.
    pub delay_ms: u32,
}

impl ChainChoice {
    /// The headline's.
    pub const DEFAULT: ChainChoice = ChainChoice { name: "default", delay_ms: 10 };
    /// The others.
    pub(crate) const SENSITIVITY: [ChainChoice; 2] = [
        ChainChoice { name: "2 ms a link", delay_ms: 2 },
        ChainChoice { name: "50 ms a link", delay_ms: 50 },
    ];

    /// A run with the scheme and the floor, over disjoint chains.
    fn run(self, scheme: Scheme, floor: u32, work: Work) -> ChainRun {
        ChainRun { scheme, floor, is_shared: false, delay_ms: self.delay_ms, work }
    }
}

/// The transfer of this scale.
fn transfer(scale: StudyScale, loss: u32) -> Work {
    let bytes = match scale {
        StudyScale::Full => FILE,
        StudyScale::Quick => FILE / 10,
    };
    Work::Transfer { loss, bytes }
}

/// 60 MB.
const FILE: u64 = 60_000_000;

/// The floors of a window after a loss, and the panels that have them: rfc4960's is the headline's.
const FLOORS: [(u32, &str); 2] = [(4, "floor 4"), (2, "floor 2")];

/// The parameters that all figures share, for the report.
fn params(choice: ChainChoice, rest: &[(&'static str, &str)], seeds: u64) -> Vec<(&'static str, String)> {
    let mut params = vec![
        (
            "paths",
            format!("two, each of three links: 10, 1 and 10 Mbit/s, {} ms one way each", choice.delay_ms),
        ),
        ("queues", "50 packets at each link, each way".to_owned()),
        (
            "profile",
            "rfc4960, packets of 1500 bytes, 4 missing reports, CMT with delayed SACKs and DAC".to_owned(),
        ),
        ("receive buffer", "1 MB; initial ssthresh 65 536 bytes".to_owned()),
        ("retransmission", "on the same path".to_owned()),
        ("window floor", "4 MTU (rfc4960; the verdict), and 2 MTU beside it".to_owned()),
    ];
    params.extend(rest.iter().map(|(name, value)| (*name, (*value).to_owned())));
    params.push(("seeds", format!("{seeds}, the same for all schemes")));
    params
}

/// The seeds of a point.
fn seeds(scale: StudyScale) -> u64 {
    scale.seeds(10)
}
