//! The map of a mesh: the positions of its stations at the start, their ranges, and the pairs in range.

use anabranch_base::Distance;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Node;
use anabranch_wireless::config::Movement;

/// The map of the radios of one channel, in metres.
#[derive(Debug)]
pub(super) struct StationMap {
    /// The name of the radio, where there are several.
    pub radio: Option<String>,
    /// Left, top, width and height.
    pub view: [f64; 4],
    /// The stations.
    pub stations: Vec<PlacedStation>,
    /// The positions of pairs that receive each other.
    pub edges: Vec<[f64; 4]>,
    /// The reception range.
    pub range: f64,
    /// The carrier-sensing range, where it is longer.
    pub sensed: Option<f64>,
    /// True if stations move during the run.
    pub moves: bool,
}

/// A station on the map.
#[derive(Debug)]
pub(super) struct PlacedStation {
    /// The name.
    pub name: String,
    /// Metres to the east.
    pub x: f64,
    /// Metres to the south: north is at the top.
    pub y: f64,
}

/// The maps of the scenario's radios; radios with the same ranges share one.
pub(crate) fn maps(scenario: &Scenario) -> Vec<StationMap> {
    if scenario.nodes.is_empty() {
        return Vec::new();
    }
    let ranges = |index: usize| {
        let config = &scenario.radios[index].config;
        (config.range, config.carrier_sense)
    };
    let are_alike = (1..scenario.radios.len()).all(|index| ranges(index) == ranges(0));
    let shown = if are_alike { 1 } else { scenario.radios.len() };
    (0..shown).map(|radio| map(scenario, radio, !are_alike)).collect()
}

fn map(scenario: &Scenario, radio: usize, is_named: bool) -> StationMap {
    let radio = &scenario.radios[radio];
    let stations: Vec<PlacedStation> = scenario.nodes.iter().map(placed).collect();
    let [range, sensed] = [radio.config.range, radio.config.carrier_sense].map(Distance::metres);
    let hears = |[a, b]: [&PlacedStation; 2]| (a.x - b.x).hypot(a.y - b.y) <= range;
    let pairs =
        stations.iter().enumerate().flat_map(|(index, a)| stations[index + 1..].iter().map(move |b| [a, b]));
    let edges =
        pairs.filter(|pair| hears(*pair)).take(MOST_EDGES).map(|[a, b]| [a.x, a.y, b.x, b.y]).collect();
    StationMap {
        radio: is_named.then(|| radio.name.clone()),
        view: view(&stations, range.max(sensed)),
        edges,
        range,
        sensed: (sensed > range).then_some(sensed),
        moves: scenario.nodes.iter().any(|node| node.config.movement != Movement::Still),
        stations,
    }
}

impl StationMap {
    /// The font size that fits the width of the map.
    pub(super) fn letter(&self) -> f64 {
        self.view[2] / 38.0
    }
}

fn placed(node: &Node) -> PlacedStation {
    let position = node.config.position;
    PlacedStation { name: node.name.clone(), x: position.x.metres(), y: -position.y.metres() }
}

/// The stations with a margin of at most their range: more would make a long chain too small to read.
fn view(stations: &[PlacedStation], range: f64) -> [f64; 4] {
    let extent = |of: fn(&PlacedStation) -> f64| {
        let values = || stations.iter().map(of);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (top, bottom)) = (extent(|station| station.x), extent(|station| station.y));
    let margin = range.max(1.0) * 1.05;
    [left - margin, top - margin, right - left + 2.0 * margin, bottom - top + 2.0 * margin]
}

/// More edges would cover the map.
const MOST_EDGES: usize = 5_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_map_has_all_stations_and_joins_those_in_range() {
        let maps = maps(&testing::mesh());
        let [map] = maps.as_slice() else { panic!("{} maps", maps.len()) };
        assert_eq!((map.stations.len(), map.edges.len(), map.range), (3, 2, 300.0));
        assert_eq!(map.view, [-315.0, -315.0, 1130.0, 630.0]);
        assert!(super::maps(&testing::scenario()).is_empty(), "a scenario of links has no map");
    }
}
