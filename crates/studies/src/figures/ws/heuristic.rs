//! WS-F13 and F14: what a thinned search for the limits loses, and what it costs.

use anabranch_models::{Halving, LimitedPath, Markov, RoundLoss, ThroughputModel};
use anabranch_planner::{Problem, StepSet, combinations, exact, step};

use super::super::FigureError;
use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Origin, Panel, Spacing, ValueSource, WorkItem};
use super::super::results::{CurvePoints, Metric};
use super::super::verdict::Verdict;
use super::{WsPath, megabits, packets};

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "WS-F13-F14",
    aliases: &["WS-F13", "WS-F14"],
    about: "Limits by a thinned search, and what that costs",
    panels: &[
        PanelEntry {
            id: "WS-F13",
            title: "throughput of limits that are found in steps",
            decided_by: DecidedBy::Panel("F13"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "WS-F14",
            title: "the time that finding them takes",
            decided_by: DecidedBy::Panel("F14"),
            verdict: Verdict::Reproduced,
        },
    ],
    build: |_| record(1e-4),
    sensitivity: |_| Ok(vec![("p = 0.001", record(1e-3)?)]),
    ns2: None,
};

/// b₁ in Mbit/s.
const RATES: [f64; 8] = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0];

/// k, with the name of its curve.
const STEPS: [(u32, &str); 4] = [(1, "k = 1"), (2, "k = 2"), (4, "k = 4"), (8, "k = 8")];

/// KiB.
const BUFFER: f64 = 128.0;

/// The record, with losses of this probability on both paths. The scale does not matter: nothing is simulated.
///
/// # Errors
/// A plan that cannot be made.
fn record(loss: f64) -> Result<Figure, FigureError> {
    let (mut carried, mut lost, mut tried, mut timed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (k, name) in STEPS {
        let curve = |value: &dyn Fn(f64) -> Result<f64, FigureError>| -> Result<FigureCurve, FigureError> {
            let point = |rate: &f64| Ok((*rate, ValueSource::Given(Origin::Model, vec![value(*rate)?])));
            Ok(FigureCurve { name, points: RATES.iter().map(point).collect::<Result<_, FigureError>>()? })
        };
        carried.push(curve(&|rate| of_step(rate, loss, k))?);
        lost.push(curve(&|rate| Ok(of_step(rate, loss, 1)? - of_step(rate, loss, k)?))?);
        tried.push(curve(&|rate| Ok(combinations(&problem(rate, loss)?, k, StepSet::Printed)?))?);
        let work = |rate| WorkItem { run: search_without_memory, with: vec![rate, loss, f64::from(k)] };
        let points = RATES.iter().map(|rate| (*rate, ValueSource::Timed(work(*rate)))).collect();
        timed.push(FigureCurve { name, points });
    }
    let best =
        RATES.iter().map(|rate| Ok((*rate, ValueSource::Given(Origin::Model, vec![best(*rate, loss)?]))));
    carried.push(FigureCurve { name: "exact", points: best.collect::<Result<_, FigureError>>()? });
    let panel = |name, title: &str, metric, series| Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label: "b₁ in Mbit/s", spacing: Spacing::Even },
        metric,
        series,
        seeds: 1,
        beside: &[],
    };
    Ok(Figure {
        id: "WS-F13–F14",
        title: "every k-th limit tried: what is lost, and what it takes",
        params: params(loss),
        panels: vec![
            panel("F13", "both paths with the best limits tried", Metric::Throughput, carried),
            panel("F13 lost", "what that is less than with k = 1", Metric::Throughput, lost),
            panel("iterations", "limits tried together", Metric::Combinations, tried),
            panel("F14", "the search, each η computed again", Metric::SolveTime, timed),
        ],
        claims: claims(),
    })
}

fn paths(rate: f64, loss: f64) -> [WsPath; 2] {
    [WsPath { rate, delay: 25.0, loss }, WsPath { rate: 10.0, delay: 50.0, loss }]
}

const MODEL: Markov = Markov { loss: RoundLoss::Independent, halving: Halving::Ceil };

fn problem(rate: f64, loss: f64) -> Result<Problem, FigureError> {
    let paths = paths(rate, loss).map(|path| path.parameters(0.0));
    Ok(Problem::new(&paths, packets(BUFFER), &MODEL)?)
}

fn of_step(rate: f64, loss: f64, k: u32) -> Result<f64, FigureError> {
    Ok(megabits(step(&problem(rate, loss)?, k, StepSet::Printed)?.throughput))
}

fn best(rate: f64, loss: f64) -> Result<f64, FigureError> {
    Ok(megabits(exact(&problem(rate, loss)?)?.throughput))
}

/// The search as WS did it: for each pair of limits that fits, η of both paths from the beginning.
fn search_without_memory(with: &[f64]) -> Result<f64, FigureError> {
    let &[rate, loss, k] = with else { return Ok(0.0) };
    let paths = paths(rate, loss).map(|path| path.parameters(0.0));
    let buffer = packets(BUFFER);
    let candidates = |cap: u32| (1..=cap.min(buffer) / k as u32).map(|times| times * k as u32);
    let mut most = 0.0_f64;
    for first in candidates(paths[0].cap()) {
        for second in candidates(paths[1].cap()).filter(|second| first + second <= buffer) {
            let limited = [first, second].into_iter().zip(paths);
            let limited: Vec<LimitedPath> =
                limited.map(|(limit, path)| LimitedPath { path, limit }).collect();
            most = most.max(MODEL.throughput(&limited)?.iter().sum());
        }
    }
    Ok(most)
}

fn claims() -> Vec<Claim> {
    let of = |id, panel, weight, stated, expression| Claim { id, panel, weight, stated, expression };
    let points =
        |test, panel, metric| Expression::Points { test, panel, metric, x: RATES.to_vec(), share: 1.0 };
    let no_more = |panel, metric, tolerance: f64| {
        let pairs = STEPS.windows(2).map(|pair| PointTest::Le(pair[1].1, pair[0].1, tolerance));
        Expression::All(pairs.map(|test| points(test, panel, metric)).collect())
    };
    let grows = |(_, series): &(u32, &'static str)| {
        let at = |x| CurvePoints { panel: "F13 lost", series, metric: Metric::Throughput, x: vec![x] };
        Expression::More(Number::Difference(at(RATES[7]), at(RATES[0])), 0.0)
    };
    vec![
        of(
            "C1",
            "F13",
            Weight::Core,
            "a step that another divides carries no more (k = 2 than 1, 4 than 2, 8 than 4)",
            no_more("F13", Metric::Throughput, 1e-12),
        ),
        of(
            "C2",
            "F13",
            Weight::Core,
            "what is lost is more at b₁ = 40 than at 5 Mbit/s (k = 2, 4, 8); that it grows with k is C1",
            Expression::All(STEPS[1..].iter().map(grows).collect()),
        ),
        of(
            "C3",
            "F13",
            Weight::Side,
            "the numbers of combinations are those of the paper",
            Expression::Tested("the_combinations_are_those_of_the_atlas"),
        ),
        of(
            "C4",
            "F14",
            Weight::Core,
            "with nothing remembered, time falls with k and rises with b₁ for k = 1 (5 % for the clock)",
            Expression::All(vec![
                no_more("F14", Metric::SolveTime, 0.05),
                points(PointTest::Up("k = 1", 0.05), "F14", Metric::SolveTime),
            ]),
        ),
    ]
}

fn params(loss: f64) -> Vec<(&'static str, String)> {
    vec![
        ("paths", "two; 25 ms there and back and b₁, 50 ms and 10 Mbit/s".to_owned()),
        ("losses", format!("independent, p = {loss} on both (not given in the paper)")),
        ("receive buffer", "128 KiB, 87 packets of 1,500 bytes".to_owned()),
        ("model", "Markov, no least time-out, 60 s at most".to_owned()),
        (
            "limits tried",
            "k, 2k, … up to min(r, ⌈b d + 1⌉) of each path (WS (61)); pairs beyond the buffer count as tried"
                .to_owned(),
        ),
        ("time", "processor time of one core, the least of three tries or more".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_combinations_are_those_of_the_atlas() {
        let tried = |rate| {
            STEPS.map(|(k, _)| {
                let problem = problem(rate, 1e-4).expect("there is one");
                combinations(&problem, k, StepSet::Printed).expect("there are limits to try")
            })
        };
        assert_eq!(tried(5.0), [516.0, 126.0, 30.0, 5.0]);
        assert_eq!(tried(10.0), [946.0, 231.0, 50.0, 10.0]);
        assert_eq!(tried(20.0), [1849.0, 441.0, 100.0, 25.0]);
        assert_eq!(tried(40.0), [3655.0, 882.0, 210.0, 50.0]);
    }

    #[test]
    fn a_search_that_remembers_nothing_finds_what_one_that_does_finds() {
        for (k, _) in &STEPS[1..] {
            let found = search_without_memory(&[20.0, 1e-4, f64::from(*k)]).expect("there is an answer");
            let expected = of_step(20.0, 1e-4, *k).expect("there is an answer");
            assert!((megabits(found) / expected - 1.0).abs() < 1e-12, "{found} and {expected}");
        }
    }
}
