//! The stations within range of one another. A grid finds the stations around a transmitter, so that a transmission
//! costs as much as there are stations near it, not as much as there are stations.

use anabranch_base::{Duration, Seed, Time};

use crate::config::{RadioConfig, StationConfig};
use crate::movement::{Place, Trajectory, distance};

/// The places of the stations.
#[derive(Debug)]
pub(crate) struct Places {
    /// Metres.
    range: f64,
    sense: f64,
    ways: Vec<Trajectory>,
    /// Where nothing moves: the neighbours of each station, found when it first sends.
    known: Vec<Option<Vec<Neighbour>>>,
    grid: Grid,
    /// The largest distance that a station may have moved since the grid was made, in metres.
    margin: f64,
    /// The largest speed of all stations in metres per second; zero if none moves.
    fastest: f64,
    /// Stations that were compared with a transmitter so far.
    compared: u64,
}

/// A station that senses another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neighbour {
    pub(crate) station: u16,
    /// The distance in metres.
    pub(crate) metres: f64,
    /// True if it is near enough to receive frames.
    pub(crate) receives: bool,
}

/// The stations in the order of their cells, and until when this is near enough to the truth.
#[derive(Debug, Default)]
struct Grid {
    cell: f64,
    entries: Vec<(i64, i64, u16)>,
    until: Option<Time>,
}

impl Places {
    pub(crate) fn new(config: &RadioConfig, stations: &[StationConfig], movement: &Seed) -> Places {
        let route = |(number, station)| Trajectory::new(station, &movement.child(&usize::to_string(&number)));
        let ways: Vec<Trajectory> = stations.iter().enumerate().map(route).collect();
        let sense = config.carrier_sense.max(config.range).metres();
        Places {
            range: config.range.metres(),
            sense,
            known: vec![None; ways.len()],
            grid: Grid::default(),
            margin: (sense / 4.0).max(1.0),
            fastest: ways.iter().map(Trajectory::fastest).fold(0.0, f64::max),
            compared: 0,
            ways,
        }
    }

    /// Replaces `found` by the stations that sense `station` at `now`, in the order of their numbers.
    pub(crate) fn neighbours(&mut self, now: Time, station: u16, found: &mut Vec<Neighbour>) {
        found.clear();
        if self.fastest > 0.0 {
            return self.search(now, station, found);
        }
        if let Some(known) = &self.known[usize::from(station)] {
            return found.extend_from_slice(known);
        }
        self.search(now, station, found);
        self.known[usize::from(station)] = Some(found.clone());
    }

    /// Where `station` is at any time, in metres.
    pub(crate) fn at(&self, at: Time, station: u16) -> Place {
        self.ways[usize::from(station)].at(at)
    }

    /// Stations that were compared with a transmitter so far: the work of the searches.
    pub(crate) fn compared(&self) -> u64 {
        self.compared
    }

    fn search(&mut self, now: Time, station: u16, found: &mut Vec<Neighbour>) {
        if self.grid.until.is_none_or(|until| until < now) {
            self.rebuild(now);
        }
        let here = self.ways[usize::from(station)].advance(now);
        let (column, row) = self.grid.cell_of(here);
        for x in column.saturating_sub(1)..=column.saturating_add(1) {
            let (first, last) = (row.saturating_sub(1), row.saturating_add(1));
            let start = self.grid.entries.partition_point(|(at, y, _)| (*at, *y) < (x, first));
            let near = self.grid.entries[start..].iter().take_while(|(at, y, _)| (*at, *y) <= (x, last));
            for (_, _, other) in near.filter(|(_, _, other)| *other != station) {
                self.compared += 1;
                let metres = distance(here, self.ways[usize::from(*other)].advance(now));
                if metres <= self.sense {
                    found.push(Neighbour { station: *other, metres, receives: metres <= self.range });
                }
            }
        }
        found.sort_unstable_by_key(|neighbour| neighbour.station);
    }

    fn rebuild(&mut self, now: Time) {
        self.grid.cell = self.sense + self.margin;
        self.grid.entries.clear();
        for (number, route) in self.ways.iter_mut().enumerate() {
            let (x, y) = self.grid.cell_of(route.advance(now));
            self.grid.entries.push((x, y, number as u16));
        }
        self.grid.entries.sort_unstable();
        let seconds = if self.fastest > 0.0 { self.margin / self.fastest } else { f64::INFINITY };
        self.grid.until = Some(now + Duration::from_nanos((seconds * 1e9) as u64));
    }
}

impl Grid {
    fn cell_of(&self, place: Place) -> (i64, i64) {
        ((place.0 / self.cell).floor() as i64, (place.1 / self.cell).floor() as i64)
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{Distance, Speed};

    use super::*;
    use crate::config::{Movement, Position};

    fn at(x: u64, y: u64, movement: Movement) -> StationConfig {
        let position = Position { x: Distance::from_metres(x), y: Distance::from_metres(y) };
        StationConfig { position, movement }
    }

    fn hear(places: &mut Places, now: Time, station: u16) -> Vec<u16> {
        let mut found = Vec::new();
        places.neighbours(now, station, &mut found);
        found.iter().map(|neighbour| neighbour.station).collect()
    }

    #[test]
    fn only_neighbours_of_a_string_hear_each_other() {
        let string: Vec<StationConfig> = (0..4).map(|n| at(n * 250, 0, Movement::Still)).collect();
        let mut places = Places::new(&RadioConfig::default(), &string, &Seed::from_number(1));
        let heard: Vec<_> = (0..4).map(|station| hear(&mut places, Time::ZERO, station)).collect();
        assert_eq!(heard, [vec![1], vec![0, 2], vec![1, 3], vec![2]]);
    }

    #[test]
    fn the_grid_finds_what_a_plain_search_finds_while_stations_move() {
        let area = Position { x: Distance::from_metres(2_000), y: Distance::from_metres(1_500) };
        let movement = Movement::RandomWaypoint {
            area,
            slowest: Speed::from_millimetres_per_second(5_000),
            fastest: Speed::from_millimetres_per_second(50_000),
            pause: Duration::from_millis(300),
        };
        let stations: Vec<StationConfig> = (0..60).map(|n| at(n * 31, n * 17, movement)).collect();
        let mut places = Places::new(&RadioConfig::default(), &stations, &Seed::from_number(4));
        let mut pairs = 0;
        for step in 0..200_u64 {
            let now = Time::ZERO + Duration::from_millis(137) * step;
            let station = (step * 7 % 60) as u16;
            let here = places.at(now, station);
            let plain = (0..60).filter(|n| *n != station && distance(here, places.at(now, *n)) <= 300.0);
            let plain: Vec<u16> = plain.collect();
            pairs += plain.len();
            assert_eq!(hear(&mut places, now, station), plain);
        }
        assert!(pairs > 200, "the test sees neighbours: {pairs}");
    }
}
