//! The names of the flows, paths and links of a scenario.

use anabranch_scenario::Scenario;

/// The names of a scenario, by index.
#[derive(Clone, Debug)]
pub struct Names {
    flows: Vec<String>,
    paths: Vec<String>,
    links: Vec<String>,
}

impl Names {
    /// Those of `scenario`.
    pub fn of(scenario: &Scenario) -> Names {
        Names {
            flows: scenario.flows.iter().map(|flow| flow.name.clone()).collect(),
            paths: scenario.paths.iter().map(|path| path.name.clone()).collect(),
            links: scenario.links.iter().map(|link| link.name.clone()).collect(),
        }
    }

    /// The name of a flow; `?`, here and below, for one that the scenario does not have.
    pub fn flow(&self, index: usize) -> &str {
        self.flows.get(index).map_or("?", String::as_str)
    }

    /// The name of a path.
    pub fn path(&self, index: usize) -> &str {
        self.paths.get(index).map_or("?", String::as_str)
    }

    /// The name of a link.
    pub fn link(&self, index: usize) -> &str {
        self.links.get(index).map_or("?", String::as_str)
    }
}
