//! The settings in use as `[flow.sctp]`: a profile, and what differs from it.

use anabranch_scenario::model::{Protocol, Scenario};
use anabranch_scenario::resolved::{ResolvedTable, ResolvedValue};
use anabranch_scenario::{Assignment, NoFiles, Registry, ScenarioError, Source, tools};
use anabranch_sctp::config::{Config, Encapsulation};

use crate::choices::TwinChoices;

/// The table of the settings in use.
///
/// # Errors
/// Their profile is unknown.
pub(crate) fn settings_text(choices: &TwinChoices) -> Result<String, ScenarioError> {
    let profile = choices.config.profile;
    let text = format!(
        "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[flow.sctp]\nprofile = \"{profile}\"\n"
    );
    let mut scenario = Scenario::parse(&Source::new("profile", text), &NoFiles, &[], &choices.registry)?;
    let usual = of_association(&scenario);
    let config = Config { encapsulation: Encapsulation::Sealed, ..choices.config.clone() };
    for flow in &mut scenario.flows {
        if let Protocol::Sctp(sctp) = &mut flow.protocol {
            sctp.config.clone_from(&config);
        }
    }
    let differs = |setting: &(String, ResolvedValue)| !usual.contains(setting) && is_own(&config, &setting.0);
    let mut text = format!("[flow.sctp]\nprofile = \"{profile}\"\n");
    for (key, value) in of_association(&scenario).into_iter().filter(differs) {
        text += &format!("{key} = {}\n", value.to_toml());
    }
    Ok(text)
}

/// The settings of `config` that differ from its profile's, each `sctp.KEY=VALUE`, for the same with another profile.
///
/// # Errors
/// The profile is unknown.
pub(crate) fn beside_profile(config: &Config, registry: &Registry) -> Result<Vec<Assignment>, ScenarioError> {
    let profile = Assignment::new("sctp.profile", config.profile);
    let mut usual = tools::configure(config.clone(), &[profile], registry)?;
    usual.encapsulation = config.encapsulation;
    let of = |config: &Config| {
        let mut all = Vec::new();
        flatten("", &tools::resolved(config, registry), &mut all);
        all
    };
    let usual = of(&usual);
    let differing =
        of(config).into_iter().filter(|setting| !usual.contains(setting) && is_own(config, &setting.0));
    Ok(differing.map(|(key, value)| Assignment::new(&format!("sctp.{key}"), &value.to_toml())).collect())
}

/// Returns true for a value that is set, rather than made from others.
fn is_own(config: &Config, key: &str) -> bool {
    match key {
        "profile" => false,
        "payload" => config.payload.is_some(),
        _ => true,
    }
}

/// The settings of the association of the first flow, each under its whole key.
fn of_association(scenario: &Scenario) -> Vec<(String, ResolvedValue)> {
    let resolved = scenario.resolved();
    let first = match resolved.find("flow") {
        Some(ResolvedValue::List(flows)) => flows.first(),
        _ => None,
    };
    let mut all = Vec::new();
    if let Some(ResolvedValue::Table(flow)) = first
        && let Some(ResolvedValue::Table(sctp)) = flow.find("sctp")
    {
        flatten("", sctp, &mut all);
    }
    all
}

fn flatten(prefix: &str, table: &ResolvedTable, all: &mut Vec<(String, ResolvedValue)>) {
    for (key, value) in table.entries() {
        match value {
            ResolvedValue::Table(inner) => flatten(&format!("{prefix}{key}."), inner, all),
            _ => all.push((format!("{prefix}{key}"), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};

    use super::*;

    fn text(change: impl FnOnce(&mut Config)) -> String {
        let mut config = Config::tuned_2();
        change(&mut config);
        settings_text(&TwinChoices::new(config)).expect("known settings")
    }

    #[test]
    fn only_what_differs_from_the_profile_is_written() {
        assert_eq!(text(|_| ()), "[flow.sctp]\nprofile = \"tuned-2\"\nencapsulation = \"sealed\"\n");
        let other = text(|config| {
            config.congestion_control = "bbr".to_owned();
            config.rto.min = Duration::from_millis(300);
            config.receive_buffer = ByteCount::from_kib(64);
            config.receive_growth = None;
        });
        let lines: Vec<&str> = other.lines().skip(2).collect();
        let expected = [
            "encapsulation = \"sealed\"",
            "congestion_control = \"bbr\"",
            "receive_buffer = \"64 KiB\"",
            "rto.min = \"300 ms\"",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn another_profile_keeps_what_was_set_beside_it() {
        let config =
            Config { receive_buffer: ByteCount::from_kib(64), receive_growth: None, ..Config::tuned_2() };
        let beside = beside_profile(&config, &anabranch_scenario::registry()).expect("a profile");
        let texts: Vec<&str> = beside.iter().map(Assignment::text).collect();
        assert_eq!(texts, ["sctp.receive_buffer=\"64 KiB\""]);
    }
}
