//! Where stations are at a time: still, or on the way from waypoint to waypoint. The same seed gives the same way, so that
//! the radios of a station on several channels are at the same place.

use anabranch_base::{Duration, Seed, Speed, Time};
use anabranch_link::Random;

use crate::config::{Movement, Position, StationConfig};

/// A place in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// To the east.
    pub x: f64,
    /// To the north.
    pub y: f64,
}

impl Place {
    /// The distance to another place in metres.
    pub fn metres_to(self, other: Place) -> f64 {
        let [x, y] = [self.x - other.x, self.y - other.y];
        (x * x + y * y).sqrt()
    }
}

impl From<Position> for Place {
    fn from(position: Position) -> Place {
        Place { x: position.x.metres(), y: position.y.metres() }
    }
}

/// The way of one station. Times are asked for in order.
#[derive(Debug)]
pub struct Trajectory {
    movement: Movement,
    random: Random,
    from: Place,
    to: Place,
    leaves: Time,
    arrives: Time,
    /// When it goes on.
    goes_on: Time,
}

impl Trajectory {
    /// The way of a station whose draws come from `seed`.
    pub fn new(config: &StationConfig, seed: &Seed) -> Trajectory {
        let place = config.position.into();
        Trajectory {
            movement: config.movement,
            random: Random::new(seed),
            from: place,
            to: place,
            leaves: Time::ZERO,
            arrives: Time::ZERO,
            goes_on: Time::ZERO,
        }
    }

    /// Where it is at `now`, which is not before the last time that was asked for.
    pub fn place(&mut self, now: Time) -> Place {
        if let Movement::RandomWaypoint { .. } = self.movement {
            while self.goes_on <= now && self.next_leg() {}
        }
        let leg = self.arrives.since(self.leaves).as_secs_f64();
        let gone = now.since(self.leaves).as_secs_f64();
        let part = if leg > 0.0 { (gone / leg).clamp(0.0, 1.0) } else { 1.0 };
        Place {
            x: self.from.x + part * (self.to.x - self.from.x),
            y: self.from.y + part * (self.to.y - self.from.y),
        }
    }

    /// Begins the next leg; `false` if the station never moves again, because legs take no time.
    fn next_leg(&mut self) -> bool {
        let Movement::RandomWaypoint { area, slowest, fastest, pause } = self.movement else { return false };
        let area = Place::from(area);
        self.from = self.to;
        self.to = Place { x: self.random.unit() * area.x, y: self.random.unit() * area.y };
        let [slowest, fastest] = [slowest, fastest].map(Speed::metres_per_second);
        let speed = slowest + self.random.unit() * (fastest - slowest);
        let took = self.from.metres_to(self.to) / speed.max(MIN_SPEED);
        self.leaves = self.goes_on;
        self.arrives = self.leaves + Duration::from_nanos((took * 1e9) as u64);
        self.goes_on = self.arrives + pause;
        self.goes_on > self.leaves
    }
}

/// A least speed, so that a leg ends: in metres per second.
const MIN_SPEED: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use anabranch_base::Distance;

    use super::*;

    fn waypoints(metres: u64, pause: Duration) -> StationConfig {
        let corner = Distance::from_metres(metres);
        let speed = Speed::from_millimetres_per_second;
        let area = Position { x: corner, y: corner };
        let movement = Movement::RandomWaypoint { area, slowest: speed(1_000), fastest: speed(2_000), pause };
        StationConfig { position: Position::default(), movement }
    }

    #[test]
    fn a_station_keeps_to_its_area_and_its_speed() {
        let seed = Seed::from_number(1);
        let mut way = Trajectory::new(&waypoints(100, Duration::from_secs(3)), &seed);
        let mut before = way.place(Time::ZERO);
        for second in 1..5_000 {
            let now = way.place(Time::ZERO + Duration::from_secs(second));
            assert!((0.0..=100.0).contains(&now.x) && (0.0..=100.0).contains(&now.y), "{now:?}");
            assert!(before.metres_to(now) <= 2.0 + 1e-9);
            before = now;
        }
    }

    #[test]
    fn an_area_without_extent_ends_the_movement() {
        let mut way = Trajectory::new(&waypoints(0, Duration::ZERO), &Seed::from_number(1));
        assert_eq!(way.place(Time::ZERO + Duration::from_secs(60)), Place::default());
    }

    #[test]
    fn the_same_seed_is_the_same_way() {
        let places = |seed| {
            let mut way = Trajectory::new(&waypoints(500, Duration::ZERO), &Seed::from_number(seed));
            [10, 100, 1_000].map(|second| way.place(Time::ZERO + Duration::from_secs(second)))
        };
        assert_eq!(places(1), places(1));
        assert_ne!(places(1), places(2));
    }
}
