//! The answer to `--set help`: the settings of a command with their present values, in full or those that match.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anabranch_base::setting::Kind;
use anabranch_lab::Purpose;
use anabranch_lab::load::load;
use anabranch_scenario::resolved::{ResolvedTable, ResolvedValue};
use anabranch_scenario::{Scenario, reference, tools};
use anabranch_sctp::config::Config;

use crate::arguments::{self, Command, SettingChanges, SettingGroup, SettingsRequest};
use crate::failure::Failure;
use crate::policies;
use crate::report::{Outcome, WIDTH};
use crate::settings;

/// One setting as it is listed.
struct ListedSetting {
    key: String,
    value: String,
    /// The meaning, and the values.
    meaning: String,
}

/// The list that was asked for.
///
/// # Errors
/// Another setting of the command line is wrong, or nothing matches.
pub(crate) fn list(request: &SettingsRequest) -> Result<Outcome, Failure> {
    let (all, values) = match request.group {
        SettingGroup::Tools => (of_associations(settings::for_tools(), &request.others)?, "now"),
        SettingGroup::Forward => (of_associations(settings::for_forward(), &request.others)?, "now"),
        SettingGroup::Scenarios => match scenario_of(&request.others)? {
            Some(scenario) => (of_scenarios(Some(&scenario)), "in the scenario"),
            None => (of_scenarios(None), "by default"),
        },
    };
    let found: Vec<&ListedSetting> =
        all.iter().filter(|one| request.patterns.iter().all(|pattern| one.contains(pattern))).collect();
    if found.is_empty() {
        let patterns = request.patterns.join(" ");
        return Err(Failure::Arguments(format!(
            "no setting has {patterns:?} in its key, its values or its meaning; --set help lists all"
        )));
    }
    let head = format!("setting, and its value {values}; below it what it is: what it may be\n");
    let summary = head + &found.into_iter().map(ListedSetting::shown).collect::<String>();
    Ok(Outcome { summary, ..Outcome::default() })
}

impl ListedSetting {
    fn new(key: String, value: &str, doc: &str, kind: &Kind) -> ListedSetting {
        let values = reference::values(kind, &policies::registry());
        let [value, values] = [value, &values].map(|text| text.replace(['`', '"'], ""));
        ListedSetting { key, value, meaning: format!("{doc}: {values}") }
    }

    fn contains(&self, pattern: &str) -> bool {
        let pattern = pattern.to_lowercase();
        [&self.key, &self.value, &self.meaning].iter().any(|text| text.to_lowercase().contains(&pattern))
    }

    fn shown(&self) -> String {
        let options = textwrap::Options::new(WIDTH)
            .initial_indent(INDENT)
            .subsequent_indent(INDENT)
            .break_words(false)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        format!("  {}  {}\n{}\n", self.key, self.value, textwrap::fill(&self.meaning, options))
    }
}

/// The settings of an association with this profile, with what the other `--set` of the command line make of them.
fn of_associations(profile: Config, others: &[String]) -> Result<Vec<ListedSetting>, Failure> {
    let wanted = SettingChanges {
        settings: values_of("--set", others),
        settings_file: values_of("--settings", others).pop().map(PathBuf::from),
    };
    let config = settings::changed(profile, &wanted)?;
    let registry = policies::registry();
    let listed = tools::known(&registry).map(|setting| {
        let value = setting.get(&config).map_or_else(String::new, |value| text(&value.into()));
        ListedSetting::new(format!("sctp.{}", setting.key()), &value, setting.doc(), &setting.kind())
    });
    Ok(listed.collect())
}

/// The settings of scenarios, with their values in `scenario` or else their defaults: NAME is that of a link, a path or a
/// flow, N the number of an event.
fn of_scenarios(scenario: Option<&Scenario>) -> Vec<ListedSetting> {
    let resolved = scenario.map(Scenario::resolved);
    let listed = reference::known(&policies::registry()).into_iter().map(|known| {
        let parts: Vec<&str> = known.key.split('.').collect();
        let present = resolved.as_ref().map_or(Vec::new(), |resolved| values_at(resolved, &parts));
        let value = if present.is_empty() { known.default.clone() } else { present.join(" | ") };
        ListedSetting::new(known.key, &value, known.doc, &known.kind)
    });
    listed.collect()
}

/// The different values of a key in all tables that have it.
fn values_at(table: &ResolvedTable, parts: &[&str]) -> Vec<String> {
    let Some((first, rest)) = parts.split_first() else { return Vec::new() };
    let mut values = Vec::new();
    match table.find(first) {
        None => {}
        Some(value) if rest.is_empty() => values.push(text(value)),
        Some(ResolvedValue::Table(inner)) => values = values_at(inner, rest),
        Some(ResolvedValue::List(tables)) => {
            let rest = if PLACES.contains(&rest[0]) { &rest[1..] } else { rest };
            for table in tables {
                let ResolvedValue::Table(table) = table else { continue };
                for value in values_at(table, rest) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
        }
        Some(_) => {}
    }
    values
}

fn text(value: &ResolvedValue) -> String {
    match value {
        ResolvedValue::Text(text) => text.clone(),
        other => other.to_toml(),
    }
}

/// The scenario of a command line, with its settings, if there is one that can be read a second time.
fn scenario_of(others: &[String]) -> Result<Option<Scenario>, Failure> {
    let words: Vec<OsString> = others.iter().map(OsString::from).collect();
    let Ok(arguments) = arguments::parse(&words) else { return Ok(None) };
    let is_file = |file: &Path| file.as_os_str() != "-";
    let (file, changes) = match &arguments.command {
        Command::Sim(sim) => (&sim.scenario, sim.changes()),
        Command::Predict(predict) => (&predict.scenario, predict.settings.clone()),
        #[cfg(feature = "full")]
        Command::Plan(plan) => (&plan.scenario, plan.settings.clone()),
        Command::Compare(compare) => (&compare.scenario, compare.settings.clone()),
        #[cfg(feature = "full")]
        // Those of a sweep have several values each.
        Command::Sweep(sweep) => (&sweep.scenario, Vec::new()),
        Command::Emulate(emulate) => {
            return if is_file(&emulate.scenario) {
                Ok(Some(
                    load(&emulate.scenario, &emulate.settings, Purpose::Links, &policies::registry())?
                        .scenario,
                ))
            } else {
                Ok(None)
            };
        }
        _ => return Ok(None),
    };
    if is_file(file) {
        Ok(Some(load(file, &changes, Purpose::Flows, &policies::registry())?.scenario))
    } else {
        Ok(None)
    }
}

/// The values of `option` among these words.
fn values_of(option: &str, words: &[String]) -> Vec<String> {
    let behind = words.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1].clone());
    let value = |word: &String| Some(word.strip_prefix(option)?.strip_prefix('=')?.to_owned());
    behind.chain(words.iter().filter_map(value)).collect()
}

/// The indent below a setting.
const INDENT: &str = "      ";
/// The placeholders for names and numbers in the keys of the reference.
const PLACES: [&str; 2] = ["NAME", "N"];

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(line: &str) -> Result<String, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let request = arguments::settings_request(&words).expect("a question");
        list(&request).map(|outcome| outcome.summary).map_err(|failure| failure.to_string())
    }

    #[test]
    fn every_setting_is_listed_in_lines_of_80_columns() {
        let of_tools = listed("anabranch send --set help").expect("a list");
        for setting in tools::known(&policies::registry()) {
            assert!(of_tools.contains(&format!("  sctp.{}  ", setting.key())), "{}", setting.key());
        }
        assert!(of_tools.contains("lowest-rtt") && of_tools.contains("live"), "policies by their names");
        let of_scenarios = listed("anabranch sim --set help").expect("a list");
        for key in [
            "run.time",
            "link.NAME.private",
            "flow.NAME.stagger",
            "flow.NAME.sctp.rto.min",
            "flow.NAME.tcp.window",
        ] {
            assert!(of_scenarios.contains(&format!("  {key}  ")), "{key}");
        }
        let wide = of_tools.lines().chain(of_scenarios.lines()).find(|line| line.chars().count() > 80);
        assert_eq!(wide, None);
    }

    #[test]
    fn the_values_of_forward_are_those_of_its_own_profile() {
        let forward = listed("anabranch forward --serve --set help").expect("a list");
        for line in [
            "sctp.interleaving  true",
            "sctp.stream_credits  true",
            "sctp.partial_reliability  true",
            "sctp.rto.max  4 s",
        ] {
            assert!(forward.contains(&format!("  {line}\n")), "{line}");
        }
        let changed = listed("anabranch forward --serve --set sctp.rto.max=9s --set help rto.max");
        assert!(changed.expect("a list").contains("  sctp.rto.max  9 s\n"));
        assert!(
            listed("anabranch send --set help").expect("a list").contains("  sctp.interleaving  false\n")
        );
    }

    #[test]
    fn a_pattern_chooses_by_key_value_and_meaning() {
        let bbr = listed("anabranch bench --set help bbr").expect("a list");
        assert!(bbr.contains("  sctp.congestion_control  westwood\n"), "{bbr}");
        assert!(!bbr.contains("sctp.sack.every"), "{bbr}");
        let rto = listed("anabranch sim --set help=rto").expect("a list");
        assert!(rto.contains("flow.NAME.sctp.rto.min  1 s") && !rto.contains("link.NAME"), "{rto}");
        let none = listed("anabranch send --set help nothing-like-it").expect_err("nothing matches");
        assert!(none.contains("no setting has \"nothing-like-it\""), "{none}");
    }

    #[test]
    fn values_are_those_of_the_command_line() {
        let tuned = listed("anabranch send --set sctp.congestion_control=bbr --set help congestion_control");
        assert!(tuned.expect("a list").contains("  sctp.congestion_control  bbr\n"));
        let shipped = format!("{}/../../scenarios/phone.toml", env!("CARGO_MANIFEST_DIR"));
        let phone = listed(&format!("anabranch sim {shipped} --set sctp.rto.max=7s --set help sctp"))
            .expect("a list");
        assert!(phone.contains("flow.NAME.sctp.profile  tuned-2\n"), "{phone}");
        assert!(phone.contains("flow.NAME.sctp.rto.max  7 s\n"), "{phone}");
        let rates = listed(&format!("anabranch sim {shipped} --set help link.name.rate")).expect("a list");
        assert!(rates.contains("link.NAME.rate  21 Mbit/s | 10 Mbit/s\n"), "{rates}");
        let wrong = listed("anabranch send --set sctp.mtu=big --set help").expect_err("a wrong value");
        assert!(wrong.contains("is not a size"), "{wrong}");
    }
}
