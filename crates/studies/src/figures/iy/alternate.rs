//! IY-X1: the remark that retransmission over the other path does worse than over the same.

use super::super::claim::{Claim, Expression, Number, Weight};
use super::super::entry::FigureEntry;
use super::super::figure::Figure;
use super::super::results::{CurvePoints, Metric};
use super::{APP, Acknowledge, CMT, DEFAULT, Experiment, OpenChoice, RULES_OF_PEERS, both, interior, params};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "IY-X1",
    aliases: &[],
    about: "Retransmissions over the other path",
    panels: &[],
    build: |scale| Ok(record(scale, DEFAULT)),
    sensitivity: |scale| Ok(RULES_OF_PEERS.map(|choice| (choice.name, record(scale, choice))).into()),
    ns2: None,
};

/// IY-F5b with `same` and with `alternate`, for both schemes.
fn record(scale: StudyScale, setting: OpenChoice) -> Figure {
    let panel = |retransmission: &'static str| {
        let experiment = Experiment::new(scale, setting, 0.02, Acknowledge::Delayed);
        let title = format!("2 % of the packets lost, retransmission \"{retransmission}\"");
        both(retransmission, title, Experiment { retransmission, ..experiment }, scale.seeds(30))
    };
    let slower = |series| {
        let at = |panel| CurvePoints { panel, series, metric: Metric::Time, x: interior() };
        Expression::More(Number::Ratio(at("alternate"), at("same")), 1.0)
    };
    Figure {
        id: "IY-X1",
        title: "IY-F5b with retransmissions over the other path (report only)",
        params: params(setting, "30 a point (quick: 5), the same for both policies"),
        panels: vec![panel("same"), panel("alternate")],
        claims: vec![
            Claim {
                id: "C1",
                panel: "alternate",
                weight: Weight::Side,
                stated: "CMT is slower with `alternate` than with `same`, over all splits of two paths",
                expression: slower(CMT),
            },
            Claim {
                id: "C1'",
                panel: "alternate",
                weight: Weight::Side,
                stated: "so is AppStripe (whose associations have one path each: there is no other)",
                expression: slower(APP),
            },
        ],
    }
}
