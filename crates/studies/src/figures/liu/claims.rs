//! The claims of the figures, C1 to C4, with their tolerances.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::results::{CurvePoints, Metric};
use super::{Buffer, FORMULA, LARGE, MODEL, SIMULATION, SMALL, SubflowSweep, Swept};
use crate::scale::StudyScale;

impl SubflowSweep {
    pub(super) fn claims(&self, scale: StudyScale) -> Vec<Claim> {
        let claims = match self.swept {
            Swept::First => self.claims_of_buffers(scale),
            Swept::RoundTrips | Swept::Losses => self.claims_of_equal_subflows(scale),
        };
        let claim =
            |(id, weight, stated, expression)| Claim { id, panel: self.name, weight, stated, expression };
        claims.into_iter().map(claim).collect()
    }

    fn claims_of_equal_subflows(&self, scale: StudyScale) -> Vec<Said> {
        let size_gap = Number::SizeGap(self.error(MODEL), self.error(FORMULA));
        let mut claims = vec![
            (
                "C1",
                Weight::Core,
                "the model is within 8 % of the simulation on average (15 %: in part)",
                self.within(|buffer| buffer.model, 0.08, 0.15, scale),
            ),
            (
                "C2",
                Weight::Core,
                "it is nearer than formula (1), on average",
                Expression::Less(size_gap, 0.0),
            ),
            ("C3", Weight::Side, self.over_prediction_in_words(), self.over_prediction()),
        ];
        if self.name == "F4a" {
            let number = Number::SizeRatio(self.error(FORMULA), self.error(MODEL));
            claims.push((
                "C4",
                Weight::Side,
                "formula (1)'s error is ten times the model's (five: in part)",
                Expression::Number { number, range: (10.0, f64::INFINITY), direction: (5.0, f64::INFINITY) },
            ));
        }
        claims.extend(self.beside_c1(0.08, 0.15, scale));
        claims
    }

    fn claims_of_buffers(&self, scale: StudyScale) -> Vec<Said> {
        let less = |small, large| {
            let test = PointTest::Le(small, large, 0.0);
            let (panel, metric) = (self.name, Metric::Throughput);
            Expression::Points { test, panel, metric, x: self.at.to_vec(), share: 1.0 }
        };
        let blocked = |series| {
            let number =
                Number::Ratio(self.throughput(series, &[2_000.0]), self.throughput(series, &[200.0]));
            Expression::Number { number, range: (0.0, 0.6), direction: (0.0, 1.0) }
        };
        let mut claims = vec![
            (
                "C1",
                Weight::Core,
                "the model is within 10 % of the simulation on average, with 100 packets; with 50 (20 %: in part)",
                self.within(|buffer| buffer.model, 0.1, 0.2, scale),
            ),
            (
                "C2",
                Weight::Side,
                "50 packets carry no more than 100",
                less(SMALL.simulation, LARGE.simulation),
            ),
            (
                "C3",
                Weight::Side,
                "with 50 packets, 2 s carry 60 % of 200 ms at most",
                blocked(SMALL.simulation),
            ),
        ];
        claims.extend(self.beside_c1(0.1, 0.2, scale));
        claims.extend([
            (
                "C2'",
                Weight::Sanity,
                "so says the model: 50 packets carry no more than 100",
                less(SMALL.model, LARGE.model),
            ),
            (
                "C3'",
                Weight::Sanity,
                "so says the model: 2 s carry 60 % of 200 ms at most",
                blocked(SMALL.model),
            ),
        ]);
        claims
    }

    /// C1 for what the paper does not have.
    fn beside_c1(&self, most: f64, partly: f64, scale: StudyScale) -> [Said; 2] {
        [
            (
                "C1 as measured",
                Weight::Sanity,
                "(ours) likewise, of the model with each subflow's measured RTT and loss",
                self.within(|buffer| buffer.measured, most, partly, scale),
            ),
            (
                "C1 coupled",
                Weight::Sanity,
                "(ours) likewise, of the coupled fixed point",
                self.within(|buffer| buffer.coupled, most, partly, scale),
            ),
        ]
    }

    /// A column is within `most` of the simulation on average; within `partly`, in part. For each buffer.
    fn within(
        &self,
        column: fn(&Buffer) -> &'static str,
        most: f64,
        partly: f64,
        scale: StudyScale,
    ) -> Expression {
        let of_buffer = |buffer: &Buffer| {
            let number = Number::Deviation(
                self.throughput(column(buffer), self.at),
                self.throughput(buffer.simulation, self.at),
            );
            let [range, direction] = [most, partly].map(|bound| (0.0, scale.tolerance(bound)));
            Expression::Number { number, range, direction }
        };
        Expression::All(self.buffers().iter().map(of_buffer).collect())
    }

    /// Formula (1) is above the simulation everywhere, and ever less so (F4), or ever more (F5).
    fn over_prediction(&self) -> Expression {
        let test = PointTest::Lt(SIMULATION, FORMULA);
        let (panel, metric) = (self.name, Metric::Throughput);
        let everywhere = Expression::Points { test, panel, metric, x: self.at.to_vec(), share: 1.0 };
        let step = |pair: &[f64]| {
            let at = |x| CurvePoints { x: vec![x], ..self.error(FORMULA) };
            let step = Number::Difference(at(pair[1]), at(pair[0]));
            match self.swept {
                Swept::Losses => Expression::More(step, 0.0),
                Swept::RoundTrips | Swept::First => Expression::Less(step, 0.0),
            }
        };
        Expression::All(std::iter::once(everywhere).chain(self.at.windows(2).map(step)).collect())
    }

    fn over_prediction_in_words(&self) -> &'static str {
        match self.swept {
            Swept::Losses => {
                "formula (1) says too much at every point, and the more the greater p (steps of its error in %)"
            }
            Swept::RoundTrips | Swept::First => {
                "formula (1) says too much at every point, and the less the longer the RTT (steps of its error in %)"
            }
        }
    }

    fn throughput(&self, series: &'static str, x: &[f64]) -> CurvePoints {
        CurvePoints { panel: self.name, series, metric: Metric::Throughput, x: x.to_vec() }
    }

    /// The amount a column exceeds the simulation, at all points.
    fn error(&self, series: &'static str) -> CurvePoints {
        CurvePoints { panel: self.errors, series, metric: Metric::Gain, x: self.at.to_vec() }
    }
}

/// A claim's name, its weight, what is stated, and when it holds.
type Said = (&'static str, Weight, &'static str, Expression);
