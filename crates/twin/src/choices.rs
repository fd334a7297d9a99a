//! The caller's choices: the settings in use, and the form of the file.

use anabranch_base::Duration;
use anabranch_scenario::model::Direction;
use anabranch_scenario::{Registry, registry};
use anabranch_sctp::config::Config;
use anabranch_sctp::wire::PathRole;

/// The settings in use, and the form of the file.
#[derive(Clone, Debug)]
pub struct TwinChoices {
    /// The settings of the association; its packets are always sealed. The receive buffer is that of the receiving end.
    pub config: Config,
    /// The policies that `config` names.
    pub registry: Registry,
    /// The roles of lanes by their names; others are ordinary.
    pub roles: Vec<(String, PathRole)>,
    /// The direction of the data.
    pub direction: Direction,
    /// The time after the warm-up.
    pub time: Duration,
    /// The time at the start that goodput leaves out.
    pub warmup: Duration,
    /// The beginning of the names of trace files, such as the name of the file without its ending.
    pub stem: String,
}

impl TwinChoices {
    /// The choices for an association with these settings that sends forward.
    pub fn new(config: Config) -> TwinChoices {
        TwinChoices {
            config,
            registry: registry(),
            roles: Vec::new(),
            direction: Direction::Forward,
            time: Duration::from_secs(20),
            warmup: Duration::from_secs(5),
            stem: "network".to_owned(),
        }
    }

    /// The role of the lane called `lane`.
    pub(crate) fn role(&self, lane: &str) -> PathRole {
        self.roles.iter().find(|(name, _)| name == lane).map_or(PathRole::Ordinary, |(_, role)| *role)
    }
}
