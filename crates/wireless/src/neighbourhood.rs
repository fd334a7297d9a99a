//! Who hears whom: for each station the others within its carrier-sense range. A grid of cells as large as that range
//! keeps the search to the cells around a station, so that it costs what its neighbours cost, however many stations there
//! are.

use std::collections::BTreeMap;
use std::sync::Arc;

use anabranch_base::{Duration, Seed, Time};
use anabranch_link::fabric::Station;

use crate::config::{Movement, RadioConfig, StationConfig};
use crate::movement::{Place, Trajectory};

/// A station in carrier-sense range of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Which.
    pub station: Station,
    /// Whether it is in range, so that it can receive frames.
    pub receives: bool,
    /// The power at which it hears the other, in decibels; only differences have a meaning.
    pub power: f64,
}

/// The places of all stations.
#[derive(Debug)]
pub struct Neighbourhood {
    range: f64,
    sense: f64,
    ways: Vec<Trajectory>,
    /// The neighbours of each station, for good if nothing moves.
    fixed: Option<Vec<Arc<[Neighbour]>>>,
    grid: Grid,
    /// When the grid was made.
    made: Time,
    is_fresh: bool,
}

impl Neighbourhood {
    /// The stations at the beginning; `seed` is that of the movements.
    pub fn new(config: &RadioConfig, stations: &[StationConfig], seed: &Seed) -> Neighbourhood {
        let way = |(index, station): (usize, &StationConfig)| {
            Trajectory::new(station, &seed.child(&index.to_string()))
        };
        let sense = config.carrier_sense.metres();
        // Until the grid is made anew, two stations may come nearer to each other by twice the largest speed.
        let fastest = stations.iter().map(|station| speed(station.movement)).fold(0.0, f64::max);
        let mut all = Neighbourhood {
            range: config.range.metres(),
            sense,
            ways: stations.iter().enumerate().map(way).collect(),
            fixed: None,
            grid: Grid::new(sense + 2.0 * fastest * KEEP.as_secs_f64()),
            made: Time::ZERO,
            is_fresh: false,
        };
        if fastest == 0.0 {
            let lists = (0..stations.len()).map(|index| all.search(Time::ZERO, station(index)).into());
            all.fixed = Some(lists.collect());
        }
        all
    }

    /// Where a station is.
    pub fn place(&mut self, now: Time, of: Station) -> Option<Place> {
        self.ways.get_mut(of.index()).map(|way| way.place(now))
    }

    /// The neighbours of a station at `now`, in the order of their numbers.
    pub fn around(&mut self, now: Time, of: Station) -> Arc<[Neighbour]> {
        match &self.fixed {
            Some(lists) => lists[of.index()].clone(),
            None => self.search(now, of).into(),
        }
    }

    fn search(&mut self, now: Time, of: Station) -> Vec<Neighbour> {
        if !self.is_fresh || now >= self.made + KEEP {
            self.grid.clear();
            for (index, way) in self.ways.iter_mut().enumerate() {
                self.grid.add(way.place(now), station(index));
            }
            (self.made, self.is_fresh) = (now, true);
        }
        let here = self.ways[of.index()].place(now);
        let mut found = Vec::new();
        for other in self.grid.near(here).filter(|other| *other != of) {
            let distance = here.metres_to(self.ways[other.index()].place(now));
            if distance <= self.sense {
                found.push(Neighbour {
                    station: other,
                    receives: distance <= self.range,
                    power: power(distance),
                });
            }
        }
        found.sort_by_key(|neighbour| neighbour.station);
        found
    }
}

/// How long a grid of stations that move is used.
const KEEP: Duration = Duration::from_secs(1);

/// Stations by the cells that they are in.
#[derive(Debug)]
struct Grid {
    cell: f64,
    cells: BTreeMap<(i64, i64), Vec<Station>>,
}

impl Grid {
    fn new(cell: f64) -> Grid {
        Grid { cell: cell.max(1.0), cells: BTreeMap::new() }
    }

    fn clear(&mut self) {
        self.cells.clear();
    }

    fn add(&mut self, place: Place, station: Station) {
        self.cells.entry(self.cell_of(place)).or_default().push(station);
    }

    fn near(&self, place: Place) -> impl Iterator<Item = Station> {
        let (x, y) = self.cell_of(place);
        let cells = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| (x, y)));
        cells.filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }

    fn cell_of(&self, place: Place) -> (i64, i64) {
        ((place.x / self.cell).floor() as i64, (place.y / self.cell).floor() as i64)
    }
}

/// The largest speed, in metres per second.
fn speed(movement: Movement) -> f64 {
    match movement {
        Movement::Still => 0.0,
        Movement::RandomWaypoint { fastest, .. } => fastest.metres_per_second(),
    }
}

/// Two-ray ground: power falls by the fourth power of the distance.
fn power(metres: f64) -> f64 {
    -40.0 * libm::log10(metres.max(1.0))
}

fn station(index: usize) -> Station {
    Station::new(u16::try_from(index).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use anabranch_base::{Distance, Speed};

    use super::*;
    use crate::config::Position;

    fn at(x: u64, y: u64) -> StationConfig {
        let position = Position { x: Distance::from_metres(x), y: Distance::from_metres(y) };
        StationConfig { position, movement: Movement::Still }
    }

    fn numbers(list: &[Neighbour]) -> Vec<usize> {
        list.iter().map(|neighbour| neighbour.station.index()).collect()
    }

    #[test]
    fn in_a_string_only_neighbours_hear_each_other() {
        let stations: Vec<StationConfig> = (0..4).map(|index| at(250 * index, 0)).collect();
        let mut all = Neighbourhood::new(&RadioConfig::default(), &stations, &Seed::from_number(1));
        let found: Vec<Vec<usize>> =
            (0..4).map(|index| numbers(&all.around(Time::ZERO, station(index)))).collect();
        assert_eq!(found, [vec![1], vec![0, 2], vec![1, 3], vec![2]]);
    }

    #[test]
    fn a_station_between_range_and_carrier_sense_hears_and_receives_nothing() {
        let config = RadioConfig { carrier_sense: Distance::from_metres(550), ..RadioConfig::default() };
        let mut all = Neighbourhood::new(&config, &[at(0, 0), at(400, 0)], &Seed::from_number(1));
        let around = all.around(Time::ZERO, station(0));
        assert!(around.len() == 1 && !around[0].receives);
    }

    /// Compared with a search through all stations, while they move.
    #[test]
    fn the_grid_finds_whom_a_search_through_all_would_find() {
        let speed = Speed::from_millimetres_per_second;
        let area = Position { x: Distance::from_metres(1_500), y: Distance::from_metres(900) };
        let (slowest, fastest, pause) = (speed(1_000), speed(40_000), Duration::from_secs(1));
        let movement = Movement::RandomWaypoint { area, slowest, fastest, pause };
        let stations: Vec<StationConfig> =
            (0..60).map(|index| StationConfig { movement, ..at(25 * index, 15 * index) }).collect();
        let mut all = Neighbourhood::new(&RadioConfig::default(), &stations, &Seed::from_number(2));
        for tenth in 0..300 {
            let now = Time::ZERO + Duration::from_millis(100) * tenth;
            let of = station(tenth as usize % 60);
            let found = numbers(&all.around(now, of));
            let here = all.place(now, of).expect("a place");
            let plain: Vec<usize> = (0..60)
                .filter(|other| {
                    let there = all.place(now, station(*other)).expect("a place");
                    *other != of.index() && here.metres_to(there) <= 300.0
                })
                .collect();
            assert_eq!(found, plain, "{of:?} at {now:?}");
        }
    }
}
