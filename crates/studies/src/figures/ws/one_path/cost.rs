//! The cost of the Markov model when its chain is solved state by state (WS-F8's text, with the sizes that were not solved
//! there).

use anabranch_models::markov::dense::Chain;
use anabranch_models::{Halving, Markov, RoundLoss};

use super::super::super::FigureError;
use super::super::super::claim::{Claim, Expression, Number, Weight};
use super::super::super::figure::{Axis, FigureCurve, Origin, Panel, Spacing, ValueSource, WorkItem};
use super::super::super::results::{CurvePoints, Metric};
use super::CENTRE;
use crate::scale::StudyScale;

/// ω_max of the chains whose states are counted.
const COUNTED: [f64; 6] = [16.0, 32.0, 48.0, 64.0, 87.0, 120.0];

/// ω_max of those that are solved: at 64 packets there are 2,104 states, and their matrix takes 35 MB.
fn solved(scale: StudyScale) -> Vec<u32> {
    match scale {
        StudyScale::Full => vec![24, 32, 48, 64],
        StudyScale::Quick => vec![8, 12, 16, 24],
    }
}

/// The number of states, and how long a dense solve takes.
///
/// # Errors
/// A chain that cannot be built.
pub(super) fn panels(scale: StudyScale) -> Result<[Panel; 2], FigureError> {
    let states = |limit: u32| Ok::<_, FigureError>(chain(limit)?.states().len() as f64);
    let counted = COUNTED
        .iter()
        .map(|limit| Ok((*limit, ValueSource::Given(Origin::Model, vec![states(*limit as u32)?]))));
    let half_square =
        COUNTED.iter().map(|limit| (*limit, ValueSource::Given(Origin::Model, vec![limit * limit / 2.0])));
    let timed = solved(scale).into_iter().map(|limit| {
        Ok((states(limit)?, ValueSource::Timed(WorkItem { run: solve, with: vec![f64::from(limit)] })))
    });
    let series = |name, points| FigureCurve { name, points };
    let panel = |name, title: &str, label, metric, series| Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label, spacing: Spacing::Logarithmic },
        metric,
        series,
        seeds: 1,
        beside: &[],
    };
    let counts = vec![
        series(CHAIN, counted.collect::<Result<_, FigureError>>()?),
        series("ω²/2", half_square.collect()),
    ];
    let times = vec![series(CHAIN, timed.collect::<Result<_, FigureError>>()?)];
    Ok([
        panel("states", "states of the chain", "ω_max", Metric::States, counts),
        panel("solve", "a dense solve of one limit", "states", Metric::SolveTime, times),
    ])
}

/// The claim about it.
pub(super) fn claims(scale: StudyScale) -> [Claim; 1] {
    let nowhere = (f64::INFINITY, f64::NEG_INFINITY);
    let exponent = |panel, metric, x, range| Expression::Number {
        number: Number::Exponent(CurvePoints { panel, series: CHAIN, metric, x }),
        range,
        direction: nowhere,
    };
    let sizes = solved(scale).into_iter().filter_map(|limit| Some(chain(limit).ok()?.states().len() as f64));
    [Claim {
        id: "C5",
        panel: "",
        weight: Weight::Side,
        stated: "states grow as ω_max² (exponent 1.8 to 2.2), a dense solve as states³ (2.3 to 3.3)",
        expression: Expression::All(vec![
            exponent("states", Metric::States, COUNTED.to_vec(), (1.8, 2.2)),
            exponent("solve", Metric::SolveTime, sizes.collect(), (2.3, 3.3)),
        ]),
    }]
}

const CHAIN: &str = "Markov chain";

fn solve(with: &[f64]) -> Result<f64, FigureError> {
    Ok(chain(with.first().map_or(0, |limit| *limit as u32))?.rates()?.delivered)
}

fn chain(limit: u32) -> Result<Chain, FigureError> {
    let markov = Markov { loss: RoundLoss::Correlated, halving: Halving::Ceil };
    Ok(Chain::new(&markov, &CENTRE.path.parameters(0.0), limit)?)
}
