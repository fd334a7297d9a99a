//! The figures at quick scale: a tenth of the data, five seeds, tolerances twice as wide. They judge no paper; their
//! verdicts are kept as a table, so that a change of behaviour shows.
//!
//! After a change that is wanted: `INSTA_UPDATE=always cargo test -p anabranch-studies --test figures`, and the commit
//! says why.

use std::fmt::Write;

use anabranch_studies::figures::by_seed::BySeed;
use anabranch_studies::figures::figure::{Metric, Results};
use anabranch_studies::figures::{Name, Outcome, judge_default};
use anabranch_studies::scale::Scale;

fn outcome(name: Name) -> Outcome {
    judge_default(name, Scale::Quick, None).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_verdicts_at_quick_scale_are_those_that_they_were_before() {
    let mut table = String::new();
    for name in [Name::IyF4, Name::IyF5, Name::IyF6] {
        let outcome = outcome(name);
        for (claim, finding) in outcome.figure.claims.iter().zip(&outcome.findings) {
            let name = format!("{} {} {}", outcome.figure.id, claim.panel, claim.id);
            let _ = writeln!(table, "{name:<18} {}", finding.verdict.word());
        }
    }
    insta::assert_snapshot!(table);
}

/// With the standard's rules alone, CMT over one path and AppStripe over one path are the same association.
#[test]
fn plain_striping_over_one_path_is_standard_sctp_to_the_nanosecond() {
    let results = outcome(Name::IyA1).results;
    let times = |series: &'static str, x| times(&results, "one", series, x);
    for loss in [1.0, 20.0, 50.0, 100.0] {
        assert_eq!(times("plain striping", loss), times("AppStripe", loss), "{loss} of 1000 lost");
    }
    assert_ne!(times("CMT", 100.0), times("AppStripe", 100.0));
}

#[test]
fn without_losses_equal_paths_share_every_sack_and_one_path_none() {
    let results = outcome(Name::IyF4).results;
    let share = |x| results.point("delayed", "CMT", Metric::SharedSacks, x).map(BySeed::mean);
    assert_eq!(share(40.0), Some(0.0));
    assert!(share(0.0) > Some(0.95), "{:?}", share(0.0));
}

fn times(results: &Results, panel: &'static str, series: &'static str, x: f64) -> Vec<f64> {
    results.point(panel, series, Metric::Time, x).map(|sample| sample.values().to_vec()).unwrap_or_default()
}
