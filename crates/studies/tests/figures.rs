//! The figures at quick scale: a tenth of the data, five seeds, tolerances twice as wide. Their verdicts do not judge
//! the papers; they are kept as a table, so that a change of behaviour shows.
//!
//! After an intended change: `INSTA_UPDATE=always cargo test -p anabranch-studies --test figures`, and the commit says
//! why.

use std::fmt::Write;
use std::fs;

use anabranch_studies::figures::by_seed::BySeed;
use anabranch_studies::figures::claim::{Verdict, Weight};
use anabranch_studies::figures::figure::Figure;
use anabranch_studies::figures::results::{Metric, Results};
use anabranch_studies::figures::{
    FIGURES, FigureEntry, FigureResult, RunOptions, judge, judge_default, report, sensitivity,
};
use anabranch_studies::kept_runs::KeptRuns;
use anabranch_studies::scale::StudyScale;

fn named(name: &str) -> &'static FigureEntry {
    FigureEntry::named(name).unwrap_or_else(|| panic!("{name}"))
}

fn record(name: &str) -> Figure {
    named(name).record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"))
}

fn outcome(name: &str) -> FigureResult {
    judge_default(named(name), &mut quick(None)).unwrap_or_else(|error| panic!("{error}"))
}

/// The quick scale, with as many seeds a point at most.
fn quick(at_most: Option<u64>) -> RunOptions {
    RunOptions { at_most, ..RunOptions::of_scale(StudyScale::Quick) }
}

#[test]
fn the_verdicts_at_quick_scale_are_those_that_they_were_before() {
    let mut table = String::new();
    for name in ["IY-F4", "IY-F5", "IY-F6"] {
        table.push_str(&verdicts(&outcome(name)));
    }
    insta::assert_snapshot!(table);
}

/// With the standard's rules alone, CMT over one path and AppStripe over one path are the same association.
#[test]
fn plain_striping_over_one_path_is_standard_sctp_to_the_nanosecond() {
    let results = outcome("IY-A1").results;
    let times = |series: &'static str, x| times(&results, "one", series, x);
    for loss in [1.0, 20.0, 50.0, 100.0] {
        assert_eq!(times("plain striping", loss), times("AppStripe", loss), "{loss} of 1000 lost");
    }
    assert_ne!(times("CMT", 100.0), times("AppStripe", 100.0));
}

#[test]
fn without_losses_equal_paths_share_every_sack_and_a_single_path_shares_none() {
    let results = outcome("IY-F4").results;
    let share = |x| results.point("delayed", "CMT", Metric::SharedSacks, x).map(BySeed::mean);
    assert_eq!(share(40.0), Some(0.0));
    assert!(share(0.0) > Some(0.95), "{:?}", share(0.0));
}

#[test]
fn an_interrupted_study_gives_the_page_of_one_that_was_not() {
    let folder = tempfile::tempdir().expect("there is room");
    let page = |kept| {
        let mut options = RunOptions { kept, ..quick(None) };
        let outcome = judge_default(named("IY-F4"), &mut options).unwrap_or_else(|error| panic!("{error}"));
        (report::figure(&outcome, StudyScale::Quick) + &report::csv(&outcome), options.kept.counts())
    };
    let (whole, first) = page(KeptRuns::in_folder(folder.path(), "as-recorded").expect("it can be written"));
    assert!(first.taken == 0 && first.made > 20, "{first:?}");
    let file = folder.path().join("runs.csv");
    let rows = fs::read(&file).expect("it is there");
    fs::write(&file, &rows[..rows.len() / 2]).expect("it can be written");
    let (continued, counts) =
        page(KeptRuns::in_folder(folder.path(), "as-recorded").expect("it can be read"));
    assert_eq!(continued, whole);
    assert!(counts.taken > 0 && counts.made > 0 && counts.damaged <= 1, "{counts:?}");
    assert_eq!(counts.taken + counts.made, first.made);
}

#[test]
fn verdicts_of_fewer_seeds_or_smaller_runs_say_so() {
    let provisional = |scale, at_most| {
        let mut figure = record("IY-F6");
        figure.panels.retain(|panel| panel.name == "a");
        figure.claims.retain(|claim| claim.panel == "a");
        let mut options = RunOptions { scale, ..quick(at_most) };
        let outcome = judge(figure, "default", &mut options).unwrap_or_else(|error| panic!("{error}"));
        let [of_core, of_side] = &outcome.findings[..] else { panic!("two claims: {:?}", outcome.findings) };
        assert_eq!(of_core.provisional, of_side.provisional);
        assert_eq!(outcome.standing("").map(|standing| standing.provisional), Some(of_core.provisional));
        let page = report::figure(&outcome, scale);
        assert_eq!(page.contains("(provisional, "), of_core.provisional.is_some(), "{page}");
        of_core.provisional
    };
    // The record has five seeds, which count as all of them where its scale counts as the full one.
    assert_eq!(provisional(StudyScale::Full, None), None);
    assert_eq!(provisional(StudyScale::Full, Some(9)), None);
    assert_eq!(provisional(StudyScale::Full, Some(2)), Some(2));
    assert_eq!(provisional(StudyScale::Quick, None), Some(5));
}

/// WS-F6 with two seeds: the models and ns-2 are where they belong beside the simulator.
#[test]
fn one_path_by_its_rate_is_judged_as_it_was_before() {
    let mut figure = record("WS-F5-F8");
    figure.panels.retain(|panel| panel.name.starts_with("F6"));
    figure.claims.retain(|claim| claim.panel == "F6");
    let outcome = judge(figure, "default", &mut quick(Some(2))).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(verdicts(&outcome));
    let difference = |x| {
        let sample = outcome.results.point("F6 differences", "Markov, independent losses", Metric::Gain, x);
        sample.map(BySeed::mean)
    };
    // The chain has no time-out of 1 s, no delivery in order, and 2 runs of 57 s have an error of their own.
    assert!(difference(10.0).is_some_and(|percent| percent.abs() < 5.0), "{:?}", difference(10.0));
}

/// WS-F9 at three places: limits that take losses into account, and ranks that do not.
#[test]
fn planned_limits_and_ranks_compare_as_they_did_before() {
    let mut figure = record("WS-F9-F12");
    figure.panels.retain(|panel| panel.name.starts_with("F9"));
    figure.claims.clear();
    let (series_kept, places) = ("b₂ = 20 Mbit/s", [1e-4, 5.62e-3, 1e-1]);
    for series in figure.panels.iter_mut().flat_map(|panel| &mut panel.series) {
        let is_kept = series.name == series_kept;
        series.points.retain(|(x, _)| is_kept && places.contains(x));
    }
    let outcome = judge(figure, "default", &mut quick(Some(3))).unwrap_or_else(|error| panic!("{error}"));
    let mut table = String::new();
    for x in places {
        let value = |panel, metric| {
            let sample = outcome.results.point(panel, series_kept, metric, x).expect("it was measured");
            sample.interval().to_string()
        };
        let (gain, limit) = (value("F9", Metric::Gain), value("F9 limits", Metric::Limit));
        let _ = writeln!(table, "p₁ = {x}: first path {limit} packets, gain {gain} %");
    }
    insta::assert_snapshot!(table);
}

#[test]
fn what_needs_no_simulation_is_judged_as_it_was_before() {
    let of_models = outcome("YE-F30");
    assert!(of_models.findings.iter().all(|finding| finding.provisional.is_none()), "no seeds, no scale");
    let mut table = verdicts(&of_models);
    let mut figure = record("WS-F13-F14");
    // A measured time is not a golden value.
    figure.panels.retain(|panel| panel.metric != Metric::SolveTime);
    figure.claims.retain(|claim| claim.panel != "F14");
    let outcome = judge(figure, "default", &mut quick(None)).unwrap_or_else(|error| panic!("{error}"));
    table.push_str(&verdicts(&outcome));
    insta::assert_snapshot!(table);
}

/// LIU-F4a at two places and LIU-F6a at one, with two seeds: the simulation beside the columns.
#[test]
fn multipath_tcp_and_its_model_compare_as_they_did_before() {
    let mut figure = record("LIU-F4-F6");
    let kept = [("F4a", &[12.0, 80.0][..]), ("F6a", &[1_000.0])];
    figure.panels.retain(|panel| kept.iter().any(|(name, _)| panel.name == *name));
    figure.claims.clear();
    for panel in &mut figure.panels {
        let places = kept.iter().find(|(name, _)| panel.name == *name).map_or(&[][..], |(_, places)| *places);
        panel.series.iter_mut().for_each(|series| series.points.retain(|(x, _)| places.contains(x)));
    }
    let outcome = judge(figure, "default", &mut quick(Some(2))).unwrap_or_else(|error| panic!("{error}"));
    let mut table = String::new();
    for panel in &outcome.figure.panels {
        for series in &panel.series {
            for (x, _) in &series.points {
                let sample = outcome.results.point(panel.name, series.name, panel.metric, *x);
                let interval = sample.expect("it was measured").interval();
                let _ = writeln!(table, "{} at {x}, {}: {interval} Mbit/s", panel.name, series.name);
            }
        }
    }
    insta::assert_snapshot!(table);
}

/// YE-F11, F13 and F15 with two seeds, and the ten hops of YE-X3.
#[test]
fn the_string_of_stations_is_judged_as_it_was_before() {
    let mut table = String::new();
    for name in ["YE-F11", "YE-F13", "YE-F15", "YE-X3"] {
        let outcome =
            judge_default(named(name), &mut quick(Some(2))).unwrap_or_else(|error| panic!("{error}"));
        table.push_str(&verdicts(&outcome));
        table.push_str(&values(&outcome));
    }
    insta::assert_snapshot!(table);
}

/// YE-F7 to F9, A1 and A2 with two seeds, at one window each.
#[test]
fn throughput_over_the_string_is_what_it_was_before() {
    let mut table = String::new();
    for (name, window, left_out) in [
        ("YE-F7-F9", 4.0, &["variation", "zero bins explained", "longest outage"][..]),
        (
            "YE-A1",
            4.0,
            &[
                "zero bins of one channel",
                "zero bins with the same window",
                "zero bins with twice the window",
            ],
        ),
        ("YE-A2", 16.0, &["zero bins"]),
    ] {
        let mut figure = record(name);
        figure.panels.retain(|panel| !left_out.contains(&panel.name));
        figure.claims.clear();
        for series in figure.panels.iter_mut().flat_map(|panel| &mut panel.series) {
            series.points.retain(|(x, _)| *x == window);
        }
        let outcome = judge(figure, "default", &mut quick(Some(2))).unwrap_or_else(|error| panic!("{error}"));
        table.push_str(&values(&outcome));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_member_of_the_sensitivity_set_says_what_it_changes() {
    let headline = outcome("YE-F30");
    let rows = |verdicts: [Verdict; 3]| {
        let mut member = FigureResult { setting: "another", ..headline.clone() };
        for (finding, verdict) in member.findings.iter_mut().zip(verdicts) {
            (finding.verdict, finding.measured) = (verdict, "7 of 8".to_owned());
        }
        let members = [member];
        let page = sensitivity::section(&headline, &members);
        let row = page.lines().find_map(|line| line.strip_prefix("| another | ")).map(str::to_owned);
        let table = sensitivity::table(&headline, &members);
        let of_member: Vec<String> =
            table.lines().filter_map(|line| line.strip_prefix("another,")).map(str::to_owned).collect();
        (row.unwrap_or_default(), of_member.join("; "))
    };
    let [same, worse] = [Verdict::Reproduced, Verdict::Inconclusive];
    let told = |row: &str, table: &str| (row.to_owned(), table.to_owned());
    assert_eq!(rows([same, same, same]), told("REPRODUCED |  |", "F30 C1,REPRODUCED,"));
    assert_eq!(
        rows([worse, same, same]),
        told("INCONCLUSIVE | F30 C1 INCONCLUSIVE |", "F30 C1,INCONCLUSIVE,7 of 8")
    );
    assert_eq!(
        rows([same, worse, same]),
        told("REPRODUCED | F30 C1' INCONCLUSIVE |", "F30 C1,REPRODUCED,; F30 C1',INCONCLUSIVE,7 of 8")
    );
}

#[test]
fn every_panel_about_which_something_is_said_has_a_verdict_of_its_own() {
    for entry in FIGURES {
        let figure = entry.record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
        let of_weight = |weight| figure.claims.iter().filter(move |claim| claim.weight == weight);
        let core: Vec<&str> = of_weight(Weight::Core).map(|claim| claim.panel).collect();
        let side = of_weight(Weight::Side).map(|claim| claim.panel);
        let without: Vec<&str> = side.filter(|panel| !panel.is_empty() && !core.contains(panel)).collect();
        // IY-X1 and BERP-T1 are remarks of the papers, without a figure.
        let is_remark = ["IY-X1", "BERP-T1"].contains(&entry.id);
        assert!(is_remark || without.is_empty(), "{}: {without:?}", figure.id);
    }
}

fn verdicts(outcome: &FigureResult) -> String {
    let mut table = String::new();
    for (claim, finding) in outcome.figure.claims.iter().zip(&outcome.findings) {
        let name = format!("{} {} {}", outcome.figure.id, claim.panel, claim.id);
        let _ = writeln!(table, "{name:<18} {}", finding.verdict.word());
    }
    table
}

/// Every point of a figure, with its interval.
fn values(outcome: &FigureResult) -> String {
    let mut table = String::new();
    for panel in &outcome.figure.panels {
        for series in &panel.series {
            for (x, _) in &series.points {
                let sample = outcome.results.point(panel.name, series.name, panel.metric, *x);
                let interval = sample.expect("it was measured").interval();
                let _ = writeln!(
                    table,
                    "{} {}, {} at {x}: {interval}",
                    outcome.figure.id, panel.name, series.name
                );
            }
        }
    }
    table
}

fn times(results: &Results, panel: &'static str, series: &'static str, x: f64) -> Vec<f64> {
    results.point(panel, series, Metric::Time, x).map(|sample| sample.values().to_vec()).unwrap_or_default()
}
