//! The routes that a station knows: whole paths, which begin at it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::header::Route;

/// Paths from one station, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct RouteCache {
    paths: VecDeque<Vec<u16>>,
    /// The route that was learned last, so that each packet of a flow costs one comparison.
    last: Option<Route>,
    /// Routes that were asked for since the paths last changed, by target.
    found: BTreeMap<u16, Route>,
}

impl RouteCache {
    /// A packet with this `route` passes the station at place `here`: it learns the way to both ends, since links are
    /// symmetric.
    pub(crate) fn learn(&mut self, route: &Route, here: usize) {
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, route)) {
            return;
        }
        self.last = Some(route.clone());
        self.add(route[here..].to_vec());
        self.add(route[..=here].iter().rev().copied().collect());
    }

    /// Adds a path from the station.
    pub(crate) fn add(&mut self, path: Vec<u16>) {
        if path.len() < 2 || self.paths.iter().any(|known| known.starts_with(&path)) {
            return;
        }
        self.found.clear();
        self.paths.retain(|known| !path.starts_with(known));
        if self.paths.len() == CAPACITY {
            self.paths.pop_front();
        }
        self.paths.push_back(path);
    }

    /// The shortest known route to `target`, of several the one known for longest.
    pub(crate) fn find(&mut self, target: u16) -> Option<Route> {
        if let Some(route) = self.found.get(&target) {
            return Some(Arc::clone(route));
        }
        let length = |path: &Vec<u16>| path.iter().position(|station| *station == target);
        let known = self.paths.iter().filter_map(|path| Some((length(path)?, path)));
        let (length, path) = known.min_by_key(|(length, _)| *length)?;
        let route: Route = path[..=length].into();
        self.found.insert(target, Arc::clone(&route));
        Some(route)
    }

    /// A link broke, in both directions: paths end before it.
    pub(crate) fn forget(&mut self, link: [u16; 2]) {
        self.found.clear();
        for path in &mut self.paths {
            let breaks = |hop: &[u16]| *hop == link || *hop == [link[1], link[0]];
            if let Some(place) = path.windows(2).position(breaks) {
                path.truncate(place + 1);
            }
        }
        self.paths.retain(|path| path.len() > 1);
    }
}

/// Paths a station keeps.
const CAPACITY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn route(path: &[u16]) -> Route {
        path.into()
    }

    #[test]
    fn a_forwarder_learns_the_way_to_both_ends() {
        let mut cache = RouteCache::default();
        cache.learn(&route(&[0, 1, 2, 3]), 1);
        assert_eq!(cache.find(3), Some(route(&[1, 2, 3])));
        assert_eq!(cache.find(2), Some(route(&[1, 2])));
        assert_eq!(cache.find(0), Some(route(&[1, 0])));
        assert_eq!(cache.find(4), None);
    }

    #[test]
    fn the_shortest_path_is_used_and_a_broken_link_ends_paths_in_both_directions() {
        let mut cache = RouteCache::default();
        cache.add(vec![0, 4, 5, 3]);
        cache.add(vec![0, 1, 3]);
        assert_eq!(cache.find(3), Some(route(&[0, 1, 3])));
        cache.forget([3, 1]);
        assert_eq!(cache.find(3), Some(route(&[0, 4, 5, 3])));
        assert_eq!(cache.find(1), Some(route(&[0, 1])));
        cache.forget([0, 1]);
        assert_eq!(cache.find(1), None);
    }

    #[test]
    fn the_oldest_path_makes_room() {
        let mut cache = RouteCache::default();
        for other in 1..=65 {
            cache.add(vec![0, other]);
        }
        assert_eq!((cache.find(1), cache.find(2).is_some()), (None, true));
    }
}
