//! The claims about WS-F5 to F8.

use super::super::super::claim::{Claim, Expression, NOWHERE, Number, PointTest, Weight};
use super::super::super::results::Metric;
use super::{Falls, MARKOV, RENEWAL, RUNS, SWEEPS, Sweep};
use crate::scale::StudyScale;

/// The claims except those about the models' cost.
pub(super) fn claims(scale: StudyScale) -> Vec<Claim> {
    let mut claims: Vec<Claim> = SWEEPS.iter().flat_map(|sweep| of_sweep(sweep, scale)).collect();
    let [_, by_rate, by_delay, _] = &SWEEPS;
    claims.push(Claim {
        id: "C3",
        panel: "",
        weight: Weight::Side,
        stated: "renewal says too much: in F6 and F7 by 8 % to 20 % where it is most (stated: 14.7 %)",
        expression: Expression::Number {
            number: Number::Greatest(vec![by_rate.difference(RENEWAL), by_delay.difference(RENEWAL)]),
            range: (8.0, 20.0),
            direction: (0.0, f64::INFINITY),
        },
    });
    claims
}

fn of_sweep(sweep: &Sweep, scale: StudyScale) -> Vec<Claim> {
    let (panel, t) = (sweep.name, scale.tolerance(1.0));
    let near = |percent: f64| {
        Box::new(Expression::Points {
            test: PointTest::Within(MARKOV, -percent * t, percent * t),
            panel: sweep.errors,
            metric: Metric::Gain,
            x: sweep.at.to_vec(),
            share: 0.9,
        })
    };
    let (goes, stated) = match sweep.falls {
        Falls::Down => (PointTest::Down(RUNS, 0.02 * t), "the simulated curve falls (2 %)"),
        Falls::Up => (PointTest::Up(RUNS, 0.02 * t), "the simulated curve rises (2 %)"),
    };
    vec![
        Claim {
            id: "C1",
            panel,
            weight: Weight::Core,
            stated: "Markov is nearer to the simulation than renewal, on average over the points (points of %)",
            expression: Expression::Number {
                number: Number::SizeGap(sweep.difference(MARKOV), sweep.difference(RENEWAL)),
                range: (f64::NEG_INFINITY, 0.0),
                direction: NOWHERE,
            },
        },
        Claim {
            id: "C2",
            panel,
            weight: Weight::Core,
            stated: "Markov is within 5 % at 90 % of the points (stated: 1.1 %; within 10 %: in part)",
            expression: Expression::OrPartly(near(5.0), near(10.0)),
        },
        Claim {
            id: "C4",
            panel,
            weight: Weight::Sanity,
            stated,
            expression: Expression::Points {
                test: goes,
                panel,
                metric: Metric::Throughput,
                x: sweep.at.to_vec(),
                share: 1.0,
            },
        },
    ]
}
