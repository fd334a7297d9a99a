//! The shipped scenarios: each is valid, short, and unchanged when written as resolved and read again.

use std::fs;
use std::path::{Path, PathBuf};

use anabranch_scenario::resolved::{ResolvedTable, ResolvedValue};
use anabranch_scenario::{Scenario, Source, registry};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn read(name: &str) -> Result<String, String> {
    fs::read_to_string(folder().join(name)).map_err(|error| error.to_string())
}

fn shipped() -> Vec<(String, Source)> {
    let names = fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().expect("a plain name")).collect();
    names.retain(|name| name.ends_with(".toml"));
    names.sort();
    let source = |name: String| {
        let text = read(&name).expect("a text");
        (name.clone(), Source::new(name, text))
    };
    names.into_iter().map(source).collect()
}

fn parse(source: &Source) -> Scenario {
    Scenario::parse(source, &read, &[], &registry()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_shipped_file_is_sound_and_has_a_title() {
    let shipped = shipped();
    assert!(shipped.len() >= 10, "{} files", shipped.len());
    for (name, source) in shipped {
        assert!(!parse(&source).title.is_empty(), "{name}");
    }
}

#[test]
fn every_shipped_file_fits_a_screen() {
    for (name, source) in shipped() {
        let lines = source.text.lines().count();
        assert!(lines < 30, "{name} has {lines} lines");
        assert!(source.text.starts_with('#'), "{name} does not begin with what it is for");
    }
}

#[test]
fn the_example_of_the_documentation_is_sound() {
    let text = include_str!("../../../docs/scenarios.md");
    let (_, example) = text.split_once("```toml\n").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    assert_eq!(parse(&Source::new("docs/scenarios.md", example)).events.len(), 1);
}

#[test]
fn every_key_is_in_the_documentation() {
    let text = include_str!("../../../docs/scenarios.md");
    let (_, source) = shipped().into_iter().find(|(name, _)| name == "background.toml").expect("the file");
    let resolved = parse(&source).resolved();
    let missing: Vec<_> = keys(&resolved).into_iter().filter(|key| !text.contains(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn keys(table: &ResolvedTable) -> Vec<&'static str> {
    table.entries().flat_map(|(key, value)| [vec![key], keys_within(value)].concat()).collect()
}

fn keys_within(value: &ResolvedValue) -> Vec<&'static str> {
    match value {
        ResolvedValue::Table(table) => keys(table),
        ResolvedValue::List(values) => values.iter().flat_map(keys_within).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn what_was_used_says_the_same_scenario_again() {
    for (name, source) in shipped() {
        let scenario = parse(&source);
        let resolved = scenario.resolved().to_toml();
        assert_eq!(parse(&Source::new("resolved", resolved.as_str())), scenario, "{name}\n{resolved}");
    }
}

#[test]
fn the_dumbbell_copies_what_is_private_and_shares_the_rest() {
    let (_, source) = shipped().into_iter().find(|(name, _)| name == "dumbbell.toml").expect("the file");
    let scenario = parse(&source);
    assert_eq!((scenario.links.len(), scenario.paths.len(), scenario.flows.len()), (21, 20, 20));
    assert_eq!(scenario.links[20].name, "bottleneck");
    for (index, (path, flow)) in scenario.paths.iter().zip(&scenario.flows).enumerate() {
        assert_eq!((path.name.clone(), &path.links[..]), (format!("pair-{}", index + 1), &[index, 20][..]));
        assert_eq!((flow.name.clone(), &flow.paths[..]), (format!("main-{}", index + 1), &[index][..]));
        assert_eq!(flow.start.as_nanos(), index as u64 * 500_000_000);
    }
}

#[test]
fn every_setting_is_reported_as_it_was_used() {
    let text = "run.time = \"9 s\"\n[[link]]\nname = \"wifi\"\nrate = \"21 Mbit/s\"\nloss = 0.0005\n";
    let scenario = parse(&Source::new("a.toml", text));
    insta::assert_snapshot!(scenario.resolved().to_toml());
}
