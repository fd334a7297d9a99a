//! The sets of networks, shipped or drawn from a seed.

use clap::ValueEnum;

use super::TournamentError;
use super::draw::{self, NETWORKS};
use super::network::Network;
use super::published::{self, PUBLISHED_16};

/// The sets that are shipped, in `tests/oracle/tournament`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShippedSet {
    /// Fifty-four networks made by thought.
    Core,
    /// Forty drawn at random.
    #[value(name = "drawn-2026")]
    Drawn2026,
    /// Sixteen pairs of links that another bond published, with 20 and 200 MiB.
    #[value(name = "published-16")]
    Published16,
}

/// A set, shipped or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetName {
    /// A shipped one, by its name.
    Shipped(ShippedSet),
    /// One that is drawn from a seed: `drawn:SEED`.
    Drawn(u64),
}

/// Networks that are judged together.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSet {
    /// The name, with which the networks' ids begin.
    pub name: String,
    /// The networks.
    pub networks: Vec<Network>,
}

impl ShippedSet {
    /// The networks.
    ///
    /// # Errors
    /// The file is not a list of networks.
    pub fn read(self) -> Result<NetworkSet, TournamentError> {
        let (name, json) = match self {
            ShippedSet::Core => ("core", include_str!("../../data/tournament/core.json")),
            ShippedSet::Drawn2026 => (DRAWN_2026, include_str!("../../data/tournament/drawn-2026.json")),
            ShippedSet::Published16 => {
                return Ok(NetworkSet { name: PUBLISHED_16.to_owned(), networks: published::networks()? });
            }
        };
        Ok(NetworkSet { name: name.to_owned(), networks: serde_json::from_str(json)? })
    }
}

impl SetName {
    /// `core`, `drawn-2026`, `published-16` or `drawn:SEED`.
    ///
    /// # Errors
    /// No set has this name; in words.
    pub fn parse(text: &str) -> Result<SetName, String> {
        if let Some(seed) = text.strip_prefix("drawn:") {
            return seed.parse().map(SetName::Drawn).map_err(|_| format!("{seed:?} is not a seed"));
        }
        let expected = || "expected core, drawn-2026, published-16 or drawn:SEED".to_owned();
        ShippedSet::from_str(text, false).map(SetName::Shipped).map_err(|_| expected())
    }

    /// The networks.
    ///
    /// # Errors
    /// As those of [`ShippedSet::read`] and [`NetworkSet::drawn`].
    pub fn read(self) -> Result<NetworkSet, TournamentError> {
        match self {
            SetName::Shipped(set) => set.read(),
            SetName::Drawn(seed) => NetworkSet::drawn(seed),
        }
    }
}

impl NetworkSet {
    /// The set that is drawn from `seed`.
    ///
    /// # Errors
    /// The seed whose name is that of the shipped set, which another generator drew.
    pub fn drawn(seed: u64) -> Result<NetworkSet, TournamentError> {
        let name = format!("drawn-{seed}");
        if name == DRAWN_2026 {
            return Err(TournamentError::ShippedSeed { seed });
        }
        let networks = (0..NETWORKS).map(|number| draw::network(seed, number)).collect();
        Ok(NetworkSet { name, networks })
    }
}

impl Network {
    /// The network with this id, shipped or drawn anew.
    ///
    /// # Errors
    /// There is none.
    pub fn find(id: &str) -> Result<Network, TournamentError> {
        for set in ShippedSet::value_variants() {
            if let Some(network) = set.read()?.networks.into_iter().find(|network| network.id == id) {
                return Ok(network);
            }
        }
        let unknown = || TournamentError::UnknownNetwork { id: id.to_owned() };
        let (seed, number) =
            id.strip_prefix("drawn-").and_then(|id| id.split_once('-')).ok_or_else(unknown)?;
        let set = NetworkSet::drawn(seed.parse().map_err(|_| unknown())?).map_err(|_| unknown())?;
        let number: usize = number.parse().map_err(|_| unknown())?;
        set.networks.into_iter().nth(number).filter(|network| network.id == id).ok_or_else(unknown)
    }
}

const DRAWN_2026: &str = "drawn-2026";

#[cfg(test)]
mod tests {
    use anabranch_link::config::{Delay, Rate};
    use anabranch_scenario::model::Link;

    use super::super::bound::{BufferedPath, bound, ceiling};
    use anabranch_planner::live;

    use super::super::network::parse;
    use super::super::policy::{PROFILES, Policy};
    use super::*;

    fn shipped() -> Vec<Network> {
        let sets = ShippedSet::value_variants().iter();
        sets.flat_map(|set| set.read().expect("it is shipped").networks).collect()
    }

    #[test]
    fn the_shipped_sets_have_the_checks_that_are_said_of_them() {
        let checks = |set: ShippedSet| {
            let networks = set.read().expect("it is shipped").networks;
            (networks.len(), networks.iter().map(|network| network.gates.len()).sum::<usize>())
        };
        assert_eq!(checks(ShippedSet::Core), (54, 104));
        assert_eq!(checks(ShippedSet::Drawn2026), (40, 80));
        assert_eq!(checks(ShippedSet::Published16), (32, 48));
    }

    #[test]
    fn a_set_is_known_by_its_name_or_its_seed() {
        assert_eq!(SetName::parse("published-16"), Ok(SetName::Shipped(ShippedSet::Published16)));
        assert_eq!(SetName::parse("drawn:77"), Ok(SetName::Drawn(77)));
        let set = SetName::Drawn(77).read().expect("it can be drawn");
        assert_eq!(set.networks[5].id, "drawn-77-05");
        assert!(SetName::parse("drawn:x").is_err() && SetName::parse("drawn-77").is_err());
        assert!(SetName::Drawn(2026).read().is_err(), "it is shipped");
    }

    #[test]
    fn every_network_is_a_scenario_with_every_policy_and_alone() {
        let registry = live::registry();
        let profiles: Vec<&str> =
            PROFILES.into_iter().filter(|profile| Policy::is_profile(profile)).collect();
        for network in shipped().into_iter().chain((0..NETWORKS).map(|number| draw::network(1, number))) {
            let facts = network.facts().unwrap_or_else(|error| panic!("{}: {error}", network.id));
            for profile in &profiles {
                for policy in Policy::ALL.iter().filter(|policy| policy.missing(&registry).is_none()) {
                    let text = network.scenario(&policy.settings(profile));
                    let scenario = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", network.id));
                    assert_eq!(scenario.paths.len(), facts.links.len(), "{}", network.id);
                }
                for link in &facts.links {
                    let scenario =
                        parse(&network.alone(link, profile)).unwrap_or_else(|error| panic!("{error}"));
                    let names: Vec<&str> = scenario.links.iter().map(|link| link.name.as_str()).collect();
                    assert_eq!(names, [link], "{}", network.id);
                }
            }
        }
    }

    #[test]
    fn the_bounds_of_the_shipped_networks_are_those_that_littles_law_gives() {
        for network in shipped() {
            let paths = paths_of(&network);
            assert!((ceiling(&paths) - network.ceiling_mbps).abs() < 1e-3, "{}", network.id);
            let found = bound(&paths, network.buffer_bytes as f64);
            assert!((found - network.bound_mbps).abs() < 1e-3, "{}: {found}", network.id);
        }
    }

    fn paths_of(network: &Network) -> Vec<BufferedPath> {
        let path = |link: &Link| {
            let (Rate::Fixed(rate), Delay::Fixed(delay)) = (&link.forward.rate, &link.forward.delay) else {
                panic!("{}: its rates and delays are numbers", network.id)
            };
            let rate_mbps = rate.bits_per_second() as f64 / 1e6;
            BufferedPath::new(rate_mbps, 1e3 * delay.as_secs_f64())
        };
        parse(&network.toml).expect("it is a scenario").links.iter().map(path).collect()
    }

    #[test]
    fn a_network_is_found_by_its_id() {
        for id in ["core-00", "core-53", "drawn-2026-39", "published-16-31", "drawn-77-05"] {
            let network = Network::find(id).expect("there is one");
            assert_eq!((network.id.as_str(), network.set()), (id, &id[..id.len() - 3]));
        }
        for id in ["core-54", "core", "drawn-2026-40", "drawn-77-40", "drawn-77-5", "drawn-x-00", "drawn-77"]
        {
            assert!(Network::find(id).is_err(), "{id}");
        }
        assert!(NetworkSet::drawn(2026).is_err() && NetworkSet::drawn(2027).is_ok());
    }

    #[test]
    fn losses_and_the_longest_delay_are_read_from_the_scenario() {
        let facts = |id| Network::find(id).expect("there is one").facts().expect("it is a scenario");
        assert_eq!(facts("core-35").longest_delay_ms, 50.0);
        assert!(facts("core-35").has_losses && !facts("core-30").has_losses);
        assert_eq!(facts("drawn-2026-01").links, ["p0", "p1", "p2", "p3"]);
    }
}
