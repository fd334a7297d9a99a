//! A network on which policies compete: a scenario file, the checks of a policy there, and bounds on the goodput of any sender.

use anabranch_link::config::LossKind;
use anabranch_planner::live;
use anabranch_scenario::{NoFiles, Scenario, Source};
use serde::Deserialize;

use super::TournamentError;
use super::course::{Bounds, Class, Course};
use super::gate::Gate;
use super::least_p99::least_p99_ms;
use super::scenario_text::{only_link, with_settings};

/// A network. Rates are in Mbit/s of user data.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Network {
    /// The set and its number in it.
    pub id: String,
    /// The title, in a few words.
    pub title: String,
    /// The checks of a policy.
    pub gates: Vec<Gate>,
    /// The receive buffer.
    pub buffer_bytes: u64,
    /// The share of the ceiling that is sent at a constant rate; `None` for a bulk transfer.
    pub cbr_share: Option<f64>,
    /// The goodput of full packets over all paths without events, losses not counted.
    pub ceiling_mbps: f64,
    /// The same through this receive buffer ([`bound`](super::bound)).
    pub bound_mbps: f64,
    /// The scenario's text; a policy replaces keys of its `[flow.sctp]`.
    pub toml: String,
    /// The results that another bond published.
    #[serde(default)]
    pub published: Option<Published>,
}

/// The published results of a pair of links, in Mbit/s.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Published {
    /// Each link alone.
    pub alone: Vec<f64>,
    /// The best of all configurations of the bond.
    pub bond: f64,
    /// The size of our transfer in MiB.
    #[serde(skip)]
    pub transfer_mib: u32,
}

/// The facts of a network's scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFacts {
    /// The links' names.
    pub links: Vec<String>,
    /// The greatest delay of a link, one way, in milliseconds; as the run begins.
    pub longest_delay_ms: f64,
    /// True if a link loses packets at random.
    pub has_losses: bool,
    /// The bounds on the goodput of any sender.
    pub bounds: Bounds,
    /// The class.
    pub class: Class,
    /// With messages at a constant rate, the least p99 of their delay, in milliseconds.
    pub least_p99_ms: Option<f64>,
}

impl Published {
    /// The best of the links alone and of the bond.
    pub fn best(&self) -> f64 {
        self.alone.iter().copied().fold(self.bond, f64::max)
    }
}

impl Network {
    /// The name of its set.
    pub fn set(&self) -> &str {
        self.id.rsplit_once('-').map_or(&self.id, |(set, _)| set)
    }

    /// The same network with these keys of `[flow.sctp]`, as strings.
    pub fn with(&self, keys: &[(String, String)]) -> Network {
        let keys: Vec<(&str, &str)> =
            keys.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        Network { toml: with_settings(&self.toml, &keys), ..self.clone() }
    }

    /// The scenario with these settings of the association.
    pub fn scenario(&self, settings: &[(&str, &str)]) -> String {
        with_settings(&self.toml, settings)
    }

    /// The scenario of one of its links alone: its events, the same buffers and traffic, and one path.
    pub fn alone(&self, link: &str, profile: &str) -> String {
        only_link(&with_settings(&self.toml, &[("profile", profile), ("multipath", "off")]), link)
    }

    /// Reads the facts of its scenario.
    ///
    /// # Errors
    /// Its text is not a scenario.
    pub fn facts(&self) -> Result<NetworkFacts, TournamentError> {
        let scenario = parse(&self.toml)?;
        let delays = scenario.links.iter().map(|link| link.forward.delay.at_start().as_secs_f64());
        let has_losses = scenario.links.iter().any(|link| match link.forward.loss.kind {
            LossKind::None => false,
            LossKind::Bernoulli { probability } => probability > 0.0,
            _ => true,
        });
        let course = Course::of(&scenario)?;
        Ok(NetworkFacts {
            bounds: course.bounds(),
            least_p99_ms: self.cbr_share.map(|share| least_p99_ms(&course, share * self.ceiling_mbps)),
            class: if self.cbr_share.is_some() { Class::Messages } else { course.class() },
            longest_delay_ms: 1e3 * delays.fold(0.0, f64::max),
            has_losses,
            links: scenario.links.into_iter().map(|link| link.name).collect(),
        })
    }
}

/// Reads a scenario with every policy that there is.
///
/// # Errors
/// The text is not a scenario.
pub fn parse(text: &str) -> Result<Scenario, TournamentError> {
    let source = Source::new("tournament.toml", text);
    Ok(Scenario::parse(&source, &NoFiles, &[], &live::registry())?)
}
