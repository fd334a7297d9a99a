//! The routes that a station knows: one to each destination.

use std::collections::BTreeMap;

use anabranch_link::fabric::Station;

use crate::datagram::Route;

/// Routes by their destination.
#[derive(Debug, Default)]
pub struct RouteCache {
    routes: BTreeMap<Station, Route>,
}

impl RouteCache {
    /// The route to a station.
    pub fn find(&self, to: Station) -> Option<&Route> {
        self.routes.get(&to)
    }

    /// Learns what `route`, on which `me` is, says of the routes from `me` to its two ends: links carry frames both ways.
    /// A known route is replaced by one that is not longer, because that is newer.
    pub fn learn(&mut self, me: Station, route: &[Station]) {
        let Some(at) = route.iter().position(|station| *station == me) else { return };
        self.keep(route[at..].to_vec());
        self.keep(route[..=at].iter().rev().copied().collect());
    }

    /// Forgets all routes over the link from `from` to `to`.
    pub fn remove_link(&mut self, from: Station, to: Station) {
        self.routes.retain(|_, route| !route.windows(2).any(|link| link == [from, to]));
    }

    fn keep(&mut self, route: Vec<Station>) {
        let [_, .., last] = route[..] else { return };
        if self.find(last).is_none_or(|known| route.len() <= known.len()) {
            self.routes.insert(last, route.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(numbers: &[u16]) -> Vec<Station> {
        numbers.iter().copied().map(Station::new).collect()
    }

    fn found(cache: &RouteCache, to: u16) -> Option<Vec<Station>> {
        cache.find(Station::new(to)).map(|route| route.to_vec())
    }

    #[test]
    fn a_station_on_a_route_learns_the_ways_to_both_of_its_ends() {
        let mut cache = RouteCache::default();
        cache.learn(Station::new(1), &route(&[0, 1, 2, 3]));
        assert_eq!(found(&cache, 3), Some(route(&[1, 2, 3])));
        assert_eq!(found(&cache, 0), Some(route(&[1, 0])));
        assert_eq!(found(&cache, 1), None);
        cache.learn(Station::new(9), &route(&[0, 1]));
        assert_eq!(found(&cache, 9), None, "it is not on that route");
    }

    #[test]
    fn a_longer_route_replaces_none_and_a_broken_link_removes_the_routes_over_it() {
        let mut cache = RouteCache::default();
        cache.learn(Station::new(0), &route(&[0, 1, 3]));
        cache.learn(Station::new(0), &route(&[0, 4, 5, 3]));
        assert_eq!(found(&cache, 3), Some(route(&[0, 1, 3])));
        cache.remove_link(Station::new(3), Station::new(1));
        assert!(found(&cache, 3).is_some(), "the other direction");
        cache.remove_link(Station::new(1), Station::new(3));
        assert_eq!(found(&cache, 3), None);
    }
}
