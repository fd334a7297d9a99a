//! A mesh of radio stations: its channels, its stations, and the paths of flows across it.

use anabranch_base::Time;
use anabranch_wireless::config::{RadioConfig, Routing, StationConfig};

/// The radios of one channel: every node has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    /// The name.
    pub name: String,
    /// The settings.
    pub config: RadioConfig,
}

/// A station.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name.
    pub name: String,
    /// Where it is, and how it moves.
    pub config: StationConfig,
}

/// A station disappears, on all its radios, or is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeEvent {
    /// When.
    pub at: Time,
    /// Index into [`Scenario::nodes`](super::Scenario::nodes).
    pub node: usize,
    /// True if it is there from then on.
    pub is_present: bool,
}

/// A path across a mesh, whose hops are the mesh's own matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Air {
    /// Index into [`Scenario::radios`](super::Scenario::radios).
    pub radio: usize,
    /// Index into [`Scenario::nodes`](super::Scenario::nodes): where the first host is.
    pub from: usize,
    /// Where the second host is.
    pub to: usize,
    /// How packets find their way.
    pub routing: Routing,
}
