//! The names of the flows, paths, links, radios and nodes of a scenario.

use anabranch_scenario::Scenario;
use anabranch_sim::observe::LossSite;

/// The names of a scenario, by index.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    flows: Vec<String>,
    paths: Vec<String>,
    links: Vec<String>,
    radios: Vec<String>,
    nodes: Vec<String>,
}

impl Names {
    /// The names of `scenario`.
    pub(crate) fn of(scenario: &Scenario) -> Names {
        Names {
            flows: scenario.flows.iter().map(|flow| flow.name.clone()).collect(),
            paths: scenario.paths.iter().map(|path| path.name.clone()).collect(),
            links: scenario.links.iter().map(|link| link.name.clone()).collect(),
            radios: scenario.radios.iter().map(|radio| radio.name.clone()).collect(),
            nodes: scenario.nodes.iter().map(|node| node.name.clone()).collect(),
        }
    }

    /// The name of a flow; `?`, here and below, for an unknown index.
    pub(crate) fn flow(&self, index: usize) -> &str {
        self.flows.get(index).map_or("?", String::as_str)
    }

    /// The name of a path.
    pub(crate) fn path(&self, index: usize) -> &str {
        self.paths.get(index).map_or("?", String::as_str)
    }

    /// The name of a link.
    pub(crate) fn link(&self, index: usize) -> &str {
        self.links.get(index).map_or("?", String::as_str)
    }

    /// The name of a radio.
    pub(crate) fn radio(&self, index: usize) -> &str {
        self.radios.get(index).map_or("?", String::as_str)
    }

    /// The name of a node.
    pub(crate) fn node(&self, index: usize) -> &str {
        self.nodes.get(index).map_or("?", String::as_str)
    }

    /// The name of the link or the radio where a packet was lost.
    pub(crate) fn site(&self, site: LossSite) -> &str {
        match site {
            LossSite::Link(link) => self.link(link),
            LossSite::Radio(radio) => self.radio(radio),
        }
    }
}
