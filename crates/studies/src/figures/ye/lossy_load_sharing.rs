//! YE-F44: what two paths carry together beside the sum of what each carries alone, with losses of 1 % on each. Data lost on
//! one path is retransmitted on the other.

use super::super::claim::{Claim, Expression, NOWHERE, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::load_sharing::{EXCESS, IDEAL, IPCC, LARGEST, RATIOS, SUMS, WAITS, panels, params};
use super::{CurvePoints, IpccChoice, at, claim, everywhere, two_path_seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F44",
    aliases: &[],
    about: "Load sharing beside the sum of the paths, with losses on both",
    panels: &[PanelEntry {
        id: "YE-F44",
        title: "load sharing with losses of 1 % on each path",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, IpccChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([IpccChoice::SHORT_QUEUES, IpccChoice::EACH_PACKET]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// The record.
fn record(scale: StudyScale, choice: IpccChoice) -> Figure {
    let seeds = two_path_seeds(scale);
    Figure {
        id: "YE-F44",
        title: "load sharing with 1 % of losses on each path",
        params: params("1 % on L2 and on L5, forward", choice, seeds),
        panels: panels(0.01, scale, choice, seeds),
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    let excess = |ratio, sum| at(EXCESS, ratio, sum);
    let throughput = |panel, series| at((panel, Metric::Throughput), series, LARGEST);
    let [(equal, ..), .., (most, ..)] = RATIOS;
    let rising = |ratio: &'static str| {
        SUMS.windows(2).map(move |pair| Expression::Number {
            number: Number::Difference(excess(ratio, pair[1]), excess(ratio, pair[0])),
            range: (-2.0, f64::INFINITY),
            direction: NOWHERE,
        })
    };
    vec![
        claim(
            "C1",
            Weight::Core,
            "IPCC exceeds the ideal at the largest sum, whatever the delays",
            Expression::All(
                RATIOS.map(|(ratio, ..)| Expression::More(mean(excess(ratio, LARGEST)), 0.0)).into(),
            ),
        ),
        claim(
            "C2",
            Weight::Core,
            "by more with 1:8 than with 1:1",
            Expression::More(Number::Difference(excess(most, LARGEST), excess(equal, LARGEST)), 0.0),
        ),
        claim(
            "C3",
            Weight::Side,
            "by more as the sum grows (2 percent points)",
            Expression::All(RATIOS.iter().flat_map(|(ratio, ..)| rising(ratio)).collect()),
        ),
        claim(
            "C4",
            Weight::Side,
            "never less than the ideal by 3 %",
            Expression::All(
                RATIOS
                    .map(|(panel, ..)| {
                        everywhere(PointTest::Le(IDEAL, IPCC, 0.03), (panel, Metric::Throughput), &SUMS)
                    })
                    .into(),
            ),
        ),
        claim(
            "A1",
            Weight::Sanity,
            "(ours) without the adjustment less is carried at the largest sum, with 1:8",
            Expression::More(Number::Difference(throughput(most, IPCC), throughput(most, WAITS)), 0.0),
        ),
    ]
}

fn mean(of: CurvePoints) -> Number {
    Number::Mean(vec![of])
}
