//! The meshes of a scenario in its network: one medium for each radio, on which all nodes have a station.

use anabranch_base::Seed;
use anabranch_link::fabric::{Hop, RouteId, Station};
use anabranch_link::{Fabric, NodeIndex};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Air;
use anabranch_wireless::Mesh;
use anabranch_wireless::config::{Routing, StationConfig};

use crate::load::Carried;
use crate::unfit::{BuildError, Unfit};

/// Adds a mesh for each radio to the fabric, and looks for the routes of flows whose routing is static.
///
/// # Errors
/// The ends of such a flow are not connected when the run starts.
pub(crate) fn add_meshes(
    scenario: &Scenario,
    root: &Seed,
    fabric: &mut Fabric<Carried>,
) -> Result<(), BuildError> {
    let stations: Vec<StationConfig> = scenario.nodes.iter().map(|node| node.config.clone()).collect();
    for (index, radio) in scenario.radios.iter().enumerate() {
        let seed = root.child("radio").child(&radio.name);
        let movement = root.child("movement");
        let mut mesh: Mesh<Carried> = Mesh::with_movement(&radio.config, &stations, &seed, &movement);
        let airs = scenario.paths.iter().filter_map(|path| path.air);
        for air in airs.filter(|air| air.radio == index && air.routing == Routing::Static) {
            if !mesh.route_statically(station(air.from), station(air.to)) {
                return Err(not_connected(scenario, air));
            }
        }
        fabric.add_medium(Box::new(mesh));
    }
    Ok(())
}

/// Adds both routes of a path across a mesh: forward, then reverse.
pub(crate) fn add_path(fabric: &mut Fabric<Carried>, air: Air) -> [RouteId; 2] {
    let mesh = node_of(fabric.links(), air.radio);
    let hop = |from, to| vec![Hop::medium(mesh, station(from), station(to))];
    [fabric.add_route(hop(air.from, air.to)), fabric.add_route(hop(air.to, air.from))]
}

/// The fabric's node that is the mesh of this radio; the meshes are the first media of a fabric with so many links.
pub(crate) fn node_of(links: usize, radio: usize) -> NodeIndex {
    (2 * links + radio) as NodeIndex
}

/// The station of a node.
pub(crate) fn station(node: usize) -> Station {
    Station::new(u16::try_from(node).unwrap_or(u16::MAX))
}

fn not_connected(scenario: &Scenario, air: Air) -> BuildError {
    let is_of = |path: &usize| scenario.paths[*path].air == Some(air);
    let flow = scenario.flows.iter().find(|flow| flow.paths.iter().any(is_of));
    let name = |node: usize| scenario.nodes[node].name.clone();
    BuildError::Flow {
        flow: flow.map_or_else(String::new, |flow| flow.name.clone()),
        why: Unfit::NotConnected { from: name(air.from), to: name(air.to) },
    }
}
