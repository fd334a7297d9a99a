//! The coupling of the windows of paths that share a bottleneck.

use anabranch_base::setting::Named;

/// The windows that grow together under a congestion control that treats each path by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coupling {
    /// None.
    Off,
    /// The windows of paths that are detected to share a bottleneck.
    Auto,
}

impl Named for Coupling {
    const WHAT: &'static str = "coupling";
    const NAMES: &'static [(&'static str, Coupling)] = &[("off", Coupling::Off), ("auto", Coupling::Auto)];
}
