//! One thing changed in the settings of an association or the use of its paths.

use anabranch_scenario::model::Protocol;
use anabranch_scenario::{Assignment, Scenario, ScenarioError, tools};
use anabranch_sctp::config::Encapsulation;
use anabranch_sctp::wire::PathRole;
use serde::Serialize;

use crate::settings_text::beside_profile;
use crate::twin::association;

/// One thing changed. Sizes are texts of settings such as `64MiB`, paths those of the twin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Another congestion control.
    CongestionControl(String),
    /// Another reaction to losses.
    LossResponse(String),
    /// Paths of one bottleneck are coupled, or not.
    Coupling(String),
    /// Another receive buffer, or range of it.
    ReceiveBuffer(String),
    /// Another send buffer.
    SendBuffer(String),
    /// Both buffers.
    Buffers {
        /// The receive buffer.
        receive: String,
        /// The send buffer.
        send: String,
    },
    /// Another scheduler.
    Scheduler(String),
    /// Another size of packets, in bytes.
    Mtu(u64),
    /// Packets spread over the round trip, or not.
    Pacing(bool),
    /// Another profile; what was set beside it stays.
    Profile(String),
    /// A path is left out.
    WithoutPath(String),
    /// A path carries new data only while the others are full.
    Secondary(String),
}

/// The end whose settings a change is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangedEnd {
    /// The end that sends the data.
    Sender,
    /// The end that receives it.
    Receiver,
    /// Both ends.
    Both,
}

impl Change {
    /// The settings, each `sctp.KEY=VALUE` as `--set` and settings files take them; none for the use of a path.
    pub fn settings(&self) -> Vec<String> {
        let receive = |size: &String| format!("sctp.receive_buffer={size}");
        let send = |size: &String| format!("sctp.send_buffer={size}");
        match self {
            Change::CongestionControl(name) => vec![format!("sctp.congestion_control={name}")],
            Change::LossResponse(name) => vec![format!("sctp.loss_response={name}")],
            Change::Coupling(word) => vec![format!("sctp.coupled={word}")],
            Change::ReceiveBuffer(size) => vec![receive(size)],
            Change::SendBuffer(size) => vec![send(size)],
            Change::Buffers { receive: one, send: other } => vec![receive(one), send(other)],
            Change::Scheduler(name) => vec![format!("sctp.scheduler={name}")],
            Change::Mtu(bytes) => vec![format!("sctp.mtu={bytes}B")],
            Change::Pacing(is_on) => vec![format!("sctp.pacing={is_on}")],
            Change::Profile(name) => vec![format!("sctp.profile={name}")],
            Change::WithoutPath(_) | Change::Secondary(_) => Vec::new(),
        }
    }

    /// The words of the command line: `--set sctp.congestion_control=bbr`, `--via wwan0=secondary`, `no --via wwan0`.
    pub fn arguments(&self) -> String {
        match self {
            Change::WithoutPath(path) => format!("no --via {path}"),
            Change::Secondary(path) => format!("--via {path}=secondary"),
            _ => {
                self.settings().iter().map(|setting| format!("--set {setting}")).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// The end that makes the change.
    pub fn end(&self) -> ChangedEnd {
        match self {
            Change::ReceiveBuffer(_) => ChangedEnd::Receiver,
            Change::Buffers { .. } | Change::Profile(_) => ChangedEnd::Both,
            _ => ChangedEnd::Sender,
        }
    }

    /// `scenario` with the change at both ends; `None` if nothing differs.
    ///
    /// # Errors
    /// The settings do not allow it.
    pub(crate) fn applied(&self, scenario: &Scenario) -> Result<Option<Scenario>, ScenarioError> {
        let mut changed = scenario.clone();
        match self {
            Change::WithoutPath(name) => {
                let paths = &scenario.paths;
                for flow in &mut changed.flows {
                    flow.paths.retain(|path| paths.get(*path).is_some_and(|path| path.name != *name));
                }
            }
            Change::Secondary(name) => {
                let path = changed.paths.iter_mut().find(|path| path.name == *name);
                path.into_iter().for_each(|path| path.role = PathRole::Secondary);
            }
            _ => self.set(&mut changed)?,
        }
        let is_usable = changed.flows.iter().all(|flow| !flow.paths.is_empty());
        Ok((is_usable && changed != *scenario).then_some(changed))
    }

    fn set(&self, changed: &mut Scenario) -> Result<(), ScenarioError> {
        let Some(sctp) = association(changed) else { return Ok(()) };
        let mut settings: Vec<Assignment> =
            self.settings().iter().map(|setting| Assignment::parse(setting)).collect::<Result<_, _>>()?;
        if let Change::Profile(_) = self {
            settings.extend(beside_profile(&sctp.config, &changed.registry)?);
        }
        let mut config = tools::configure(sctp.config.clone(), &settings, &changed.registry)?;
        config.encapsulation = Encapsulation::Sealed;
        for flow in &mut changed.flows {
            if let Protocol::Sctp(sctp) = &mut flow.protocol {
                sctp.config.clone_from(&config);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_said_as_the_command_line_takes_it() {
        let control = Change::CongestionControl("bbr".to_owned());
        assert_eq!(control.arguments(), "--set sctp.congestion_control=bbr");
        let both = Change::Buffers { receive: "1MiB..64MiB".to_owned(), send: "64MiB".to_owned() };
        assert_eq!(both.arguments(), "--set sctp.receive_buffer=1MiB..64MiB --set sctp.send_buffer=64MiB");
        assert_eq!(Change::Secondary("lte".to_owned()).arguments(), "--via lte=secondary");
        assert_eq!((both.end(), control.end()), (ChangedEnd::Both, ChangedEnd::Sender));
    }
}
