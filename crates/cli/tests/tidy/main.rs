//! Reads the sources of the workspace and refuses what breaks the project's rules: an arrow that points back, a circle of
//! imports, a dependency without a reason, a clock where time is passed in, a field of a closed part that other files
//! reach, words and names that say nothing, a tag without an entry, a link that leads nowhere, a page that is too long.
//! `ANABRANCH_TREE` names another tree to read, to compare.
//! ARCHITECTURE.md draws the arrows; CONTRIBUTING.md has the style.

mod circles;
mod code;
mod crates;
mod evidence;
mod imports;
mod manifest;
mod mechanisms;
mod modules;
mod pages;
mod parts;
mod policies;
mod programs;
mod prose;
mod public;
mod references;
mod words;
mod workspace;

use workspace::{File, Workspace};

/// Fails with every complaint at once.
fn refuse(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n\n{}\n\n", complaints.join("\n"));
}

/// Asks `rule` about every file.
fn every_file(rule: fn(&File) -> Vec<String>) {
    refuse(&Workspace::read().files().iter().flat_map(rule).collect::<Vec<_>>());
}

#[test]
fn the_walk_finds_the_sources_and_not_what_was_built() {
    let workspace = Workspace::read();
    let has = |path: &str| workspace.files().iter().any(|file| file.path == path);
    assert!(has("Cargo.toml") && has(".ci/run") && has("crates/sctp/src/wire.rs"));
    assert!(!workspace.files().iter().any(|file| file.path.contains("/deps/")));
}

#[test]
fn no_crate_depends_on_a_crate_above_it() {
    every_file(crates::arrows_back);
}

#[test]
fn no_module_of_sctp_uses_a_module_above_it() {
    every_file(modules::arrows_back);
}

#[test]
fn no_part_of_an_association_sees_another() {
    every_file(modules::doors_forced);
}

#[test]
fn no_imports_of_a_crate_run_in_a_circle() {
    refuse(&circles::circles(Workspace::read().files()));
}

#[test]
fn no_import_runs_up_the_layers_of_a_crate() {
    refuse(&circles::upward(Workspace::read().files()));
}

#[test]
fn no_public_item_lacks_a_user_outside_its_crate() {
    refuse(&public::unused(Workspace::read().files()));
}

#[test]
fn no_closed_part_of_sctp_shows_a_field() {
    refuse(&parts::open_fields(Workspace::read().files()));
}

#[test]
fn no_code_compares_the_name_of_a_policy() {
    every_file(policies::compared);
}

#[test]
fn every_dependency_has_its_reason_in_the_architecture() {
    let workspace = Workspace::read();
    let architecture = workspace.text("ARCHITECTURE.md");
    let missing = workspace.files().iter().flat_map(|file| manifest::without_reason(file, architecture));
    refuse(&missing.collect::<Vec<_>>());
}

#[test]
fn every_file_of_tests_belongs_to_a_test_program() {
    refuse(&programs::without_program(&Workspace::read()));
}

#[test]
fn time_is_passed_in_where_no_clock_belongs() {
    every_file(words::clocks);
}

#[test]
fn nothing_is_left_undone() {
    every_file(words::left_undone);
}

#[test]
fn names_say_what_a_thing_is() {
    every_file(words::empty_names);
}

#[test]
fn every_source_begins_with_what_it_does() {
    every_file(words::missing_head);
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    every_file(words::machine_paths);
}

#[test]
fn no_phrase_stops_a_reader() {
    every_file(words::habits);
}

#[test]
fn no_doc_comment_begins_with_a_question() {
    every_file(prose::questions);
}

#[test]
fn no_identifier_is_a_picture() {
    every_file(prose::pictures);
}

#[test]
fn every_link_leads_somewhere() {
    refuse(&references::broken_links(&Workspace::read()));
}

#[test]
fn no_reference_is_dead() {
    refuse(&references::dead(&Workspace::read()));
}

#[test]
fn the_pages_that_all_read_are_short() {
    refuse(&pages::too_long(&Workspace::read()));
}

#[test]
fn no_line_is_wider_than_a_wide_screen() {
    every_file(words::long_lines);
}

#[test]
fn every_line_on_what_an_attacker_can_do_has_a_test_that_exists() {
    refuse(&evidence::missing(&Workspace::read(), "docs/security.md"));
}

#[test]
fn every_tag_of_a_mechanism_has_an_entry() {
    refuse(&mechanisms::tags_without_entry(&Workspace::read()));
}

#[test]
fn every_entry_of_a_mechanism_names_code_and_tests_that_exist() {
    refuse(&mechanisms::broken_entries(&Workspace::read()));
}
