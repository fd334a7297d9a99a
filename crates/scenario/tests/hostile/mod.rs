//! The body of this crate's fuzz target: the invariants of any bytes read as a scenario. `hostile_files.rs` runs it on
//! its own inputs, without a fuzzer.
#![allow(dead_code, reason = "each test uses a part")]

use anabranch_scenario::{Assignment, Location, Registry, Scenario, ScenarioError, Source, Style};
use anabranch_sctp::policy::window::none::Unlimited;

/// The bytes are a file and settings, separated by zeros. Reading them does not panic; a scenario reads back unchanged
/// when written again; an error has a place.
pub(crate) fn scenario(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == 0);
    let source = match Source::from_bytes("any.toml", parts.next().unwrap_or_default()) {
        Ok(source) => source,
        Err(error) => return check_error(&error, bytes.len()),
    };
    let settings =
        parts.map(|part| Assignment::parse(&String::from_utf8_lossy(part))).collect::<Result<Vec<_>, _>>();
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return check_error(&error, bytes.len()),
    };
    match Scenario::parse(&source, &trace, &settings, &registry()) {
        Ok(scenario) => check_scenario(&scenario),
        Err(error) => check_error(&error, bytes.len()),
    }
}

/// The shipped policies, and one that stands for the planner's, of which only the name is read.
pub(crate) fn registry() -> Registry {
    let mut registry = anabranch_scenario::registry();
    registry.window_limits.add("live", |_| Box::new(Unlimited));
    registry
}

/// The scenario reads back unchanged when written again, and its indices are valid.
pub(crate) fn check_scenario(scenario: &Scenario) {
    assert!(!scenario.links.is_empty() && !scenario.paths.is_empty() && !scenario.flows.is_empty());
    let is_link = |link: &usize| *link < scenario.links.len();
    assert!(scenario.paths.iter().all(|path| !path.links.is_empty() && path.links.iter().all(is_link)));
    assert!(scenario.events.iter().all(|event| is_link(&event.link)));
    assert!(scenario.events.is_sorted_by_key(|event| event.at));
    let is_path = |path: &usize| *path < scenario.paths.len();
    assert!(scenario.flows.iter().all(|flow| !flow.paths.is_empty() && flow.paths.iter().all(is_path)));
    let parts = scenario.links.len() + scenario.paths.len() + scenario.events.len() + scenario.flows.len();
    if parts > 300 {
        return;
    }
    let text = scenario.resolved().to_toml();
    let source = Source::new("resolved.toml", text.as_str());
    let again = Scenario::parse(&source, &trace, &[], &scenario.registry);
    let again = again.unwrap_or_else(|error| panic!("{error}\n\n{text}"));
    assert_eq!(again, *scenario, "{text}");
    assert_eq!(again.resolved(), scenario.resolved());
}

/// The error has a place in the text, is short, and sends nothing to a terminal but text.
fn check_error(error: &ScenarioError, length: usize) {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    assert!(
        first.contains(error.message().trim_matches(char::is_control)) || first.contains('\u{fffd}'),
        "{text}"
    );
    match error.place() {
        Location::File { name, line, column } => {
            assert!(first.starts_with(&format!("{name}:{line}:{column}: ")), "{text}");
            assert!((1..=length + 2).contains(line) && (1..=length + 1).contains(column), "{text}");
        }
        Location::Setting(_) => assert!(first.starts_with("--set "), "{text}"),
    }
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert!(text.lines().all(|line| line.chars().count() < 2_000) && text.lines().count() < 10, "{text}");
    assert!(error.show(Style::Coloured).len() > text.len());
}

/// A valid trace for any name but some.
pub(crate) fn trace(name: &str) -> Result<String, String> {
    match name.len() % 4 {
        0 => Ok("0\n3\n3\n12\n".to_owned()),
        1 => Err("there is no such file".to_owned()),
        2 => Ok(name.to_owned()),
        _ => Ok("1\n2\n".to_owned()),
    }
}
