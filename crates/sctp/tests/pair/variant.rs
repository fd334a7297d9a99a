//! Policies and settings with which a test of random events is run.

use anabranch_sctp::config::Config;
use anabranch_sctp::policy::Registry;

/// The variant that tests of random events run with: its policies, and its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    pub(crate) registry: fn() -> Registry,
    pub(crate) prepare: fn(&mut Config),
    /// A loss on a path lets a packet pass the window of that path alone.
    pub(crate) exempts_by_path: bool,
}

impl Variant {
    /// The policies of the core, and the settings as they are.
    pub(crate) const STANDARD: Variant =
        Variant { registry: Registry::standard, prepare: |_| {}, exempts_by_path: false };
}
