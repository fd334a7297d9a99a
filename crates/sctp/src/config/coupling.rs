//! Whether windows of paths that share a bottleneck grow together.

use anabranch_base::setting::Named;

/// Which windows grow together under a congestion control that treats each path by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coupling {
    /// None.
    Off,
    /// Those of paths that are found to share a bottleneck.
    Auto,
}

impl Named for Coupling {
    const WHAT: &'static str = "coupling";
    const NAMES: &'static [(&'static str, Coupling)] = &[("off", Coupling::Off), ("auto", Coupling::Auto)];
}
