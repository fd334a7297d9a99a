//! Where a station is at each time. A trajectory is a function of its seed alone, so that the same station takes the
//! same way on several channels.

use anabranch_base::{Duration, Seed, Time};
use anabranch_link::Random;

use crate::config::{Movement, Position, StationConfig};

/// A place in metres.
pub(crate) type Place = (f64, f64);

/// The way of one station.
#[derive(Debug)]
pub(crate) enum Trajectory {
    Still(Place),
    Waypoint(Box<Waypoint>),
}

/// Random waypoint: straight legs, with a pause at the end of each.
#[derive(Debug)]
pub(crate) struct Waypoint {
    home: Place,
    area: Place,
    /// Metres per second.
    slowest: f64,
    fastest: f64,
    pause: Duration,
    seed: Seed,
    random: Random,
    leg: Leg,
}

/// From `start` to `arrival` the station moves from one place to another; it waits there until `end`.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: Place,
    to: Place,
    start: Time,
    arrival: Time,
    end: Time,
}

impl Trajectory {
    pub(crate) fn new(station: &StationConfig, seed: &Seed) -> Trajectory {
        let home = metres(station.position);
        let Movement::RandomWaypoint { area, slowest, fastest, pause } = station.movement else {
            return Trajectory::Still(home);
        };
        let mut waypoint = Waypoint {
            home,
            area: metres(area),
            slowest: slowest.metres_per_second().max(LEAST_SPEED),
            fastest: fastest.metres_per_second().max(slowest.metres_per_second()).max(LEAST_SPEED),
            pause,
            seed: seed.clone(),
            random: Random::new(seed),
            leg: Leg { from: home, to: home, start: Time::ZERO, arrival: Time::ZERO, end: Time::ZERO },
        };
        waypoint.advance(Time::ZERO);
        Trajectory::Waypoint(Box::new(waypoint))
    }

    /// Where the station is at `now`, which is never before an earlier call's.
    pub(crate) fn advance(&mut self, now: Time) -> Place {
        match self {
            Trajectory::Still(place) => *place,
            Trajectory::Waypoint(waypoint) => {
                waypoint.advance(now);
                waypoint.leg.at(now)
            }
        }
    }

    /// Where the station is at any time.
    pub(crate) fn at(&self, now: Time) -> Place {
        match self {
            Trajectory::Still(place) => *place,
            Trajectory::Waypoint(waypoint) => waypoint.at(now),
        }
    }

    /// The largest speed in metres per second.
    pub(crate) fn fastest(&self) -> f64 {
        match self {
            Trajectory::Still(_) => 0.0,
            Trajectory::Waypoint(waypoint) => waypoint.fastest,
        }
    }
}

impl Waypoint {
    fn advance(&mut self, now: Time) {
        while self.leg.end <= now && self.leg.end < END {
            self.leg = self.draw();
        }
    }

    fn at(&self, now: Time) -> Place {
        if (self.leg.start..self.leg.end).contains(&now) {
            return self.leg.at(now);
        }
        let mut other = Waypoint {
            random: Random::new(&self.seed),
            seed: self.seed.clone(),
            leg: Leg {
                from: self.home,
                to: self.home,
                start: Time::ZERO,
                arrival: Time::ZERO,
                end: Time::ZERO,
            },
            ..*self
        };
        other.advance(now);
        other.leg.at(now)
    }

    fn draw(&mut self) -> Leg {
        let (from, start) = (self.leg.to, self.leg.end);
        let to = (self.random.unit() * self.area.0, self.random.unit() * self.area.1);
        let speed = self.slowest + self.random.unit() * (self.fastest - self.slowest);
        let seconds = distance(from, to) / speed;
        let span = Duration::from_nanos((seconds * 1e9) as u64);
        let arrival = start + span.max(SHORTEST_LEG);
        Leg { from, to, start, arrival, end: arrival + self.pause }
    }
}

impl Leg {
    fn at(&self, now: Time) -> Place {
        if now >= self.arrival {
            return self.to;
        }
        let part = now.since(self.start).as_nanos() as f64 / self.arrival.since(self.start).as_nanos() as f64;
        let between = |from: f64, to: f64| from + (to - from) * part;
        (between(self.from.0, self.to.0), between(self.from.1, self.to.1))
    }
}

/// The distance between two places in metres.
pub(crate) fn distance(from: Place, to: Place) -> f64 {
    let [x, y] = [from.0 - to.0, from.1 - to.1];
    (x * x + y * y).sqrt()
}

fn metres(position: Position) -> Place {
    (position.x.metres(), position.y.metres())
}

/// One millimetre per second: a configuration that passes its check has no slower station.
const LEAST_SPEED: f64 = 1e-3;
/// Even a leg that leads nowhere takes time, so that each moment has finitely many legs before it.
const SHORTEST_LEG: Duration = Duration::from_millis(1);
/// The last moment there is.
const END: Time = Time::from_nanos(u64::MAX);

#[cfg(test)]
mod tests {
    use anabranch_base::{Distance, Speed};

    use super::*;

    fn walker(seed: u64) -> Trajectory {
        let corner = Position { x: Distance::from_metres(500), y: Distance::from_metres(200) };
        let movement = Movement::RandomWaypoint {
            area: corner,
            slowest: Speed::from_millimetres_per_second(1_000),
            fastest: Speed::from_millimetres_per_second(20_000),
            pause: Duration::from_secs(2),
        };
        Trajectory::new(&StationConfig { position: corner, movement }, &Seed::from_number(seed))
    }

    #[test]
    fn a_station_stays_in_its_area_and_is_never_faster_than_it_can_be() {
        let mut walker = walker(1);
        let mut before = walker.advance(Time::ZERO);
        let mut rests = 0;
        for tenth in 1..10_000 {
            let place = walker.advance(Time::ZERO + Duration::from_millis(100) * tenth);
            assert!((0.0..=500.0).contains(&place.0) && (0.0..=200.0).contains(&place.1), "{place:?}");
            assert!(distance(before, place) <= 2.0 + 1e-9, "20 m/s");
            rests += usize::from(before == place);
            before = place;
        }
        assert!(rests > 100, "it pauses");
    }

    #[test]
    fn a_place_depends_on_the_time_and_the_seed_alone() {
        let mut walked = walker(1);
        let asked = walker(1);
        for second in 0..300 {
            let now = Time::ZERO + Duration::from_secs(second);
            assert_eq!(walked.advance(now), asked.at(now));
        }
        let early = Time::ZERO + Duration::from_secs(7);
        assert_eq!(walked.at(early), asked.at(early), "the past stays what it was");
        assert_ne!(walker(2).at(early), asked.at(early));
    }
}
