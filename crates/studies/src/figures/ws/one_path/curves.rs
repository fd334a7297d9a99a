//! The curves of WS-F5 to F8: runs, models, and ns-2, and how far they are apart.

use anabranch_comparisons::ns2::OnePathPoint;
use anabranch_models::{Halving, LimitedPath, Markov, PathParameters, Renewal, RoundLoss, ThroughputModel};

use super::super::super::FigureError;
use super::super::super::figure::{FigureCurve, Origin, Panel, SideColumn, ValueSource};
use super::super::super::results::{CurvePoints, Metric};
use super::super::{LeastTimeout, Sacks, megabits, packets, sctp};
use super::{
    MARKOV, MARKOV_INDEPENDENT, MARKOV_WAITS, NS2, NS2_INDEPENDENT, RENEWAL, RUNS, RUNS_INDEPENDENT, Sweep,
    SweepPoint,
};
use crate::scale::StudyScale;

impl Sweep {
    /// The figure's curves, and how far they are from the simulated one.
    pub(super) fn panels(
        &self,
        scale: StudyScale,
        (sacks, timeout): (Sacks, LeastTimeout),
        [bursts, independent]: &[Vec<OnePathPoint>; 2],
    ) -> Result<[Panel; 2], FigureError> {
        let theirs = |points: &[OnePathPoint]| -> Vec<(f64, ValueSource)> {
            let of_figure = points.iter().filter(|point| point.figure == self.ns2);
            of_figure
                .map(|point| {
                    ((self.of_ns2)(point), ValueSource::Given(Origin::Ns2, point.throughput.clone()))
                })
                .collect()
        };
        let (bursts, independent) = (theirs(bursts), theirs(independent));
        let mut places: Vec<f64> = self.at.to_vec();
        places.extend(bursts.iter().chain(&independent).map(|(x, _)| *x));
        places.sort_by(f64::total_cmp);
        places.dedup();
        let runs = |losses: &str| -> Vec<(f64, ValueSource)> {
            let run =
                |x: &f64| (*x, ValueSource::Run((self.place)(*x).scenario(scale, (sacks, timeout), losses)));
            places.iter().map(run).collect()
        };
        let mut series = vec![
            FigureCurve { name: RUNS, points: runs("correlated") },
            FigureCurve { name: RUNS_INDEPENDENT, points: runs("bernoulli") },
        ];
        for (name, model, least) in models() {
            let points =
                places.iter().map(|x| (self.place)(*x).computed(&*model, least).map(|point| (*x, point)));
            series.push(FigureCurve { name, points: points.collect::<Result<_, FigureError>>()? });
        }
        series.push(FigureCurve { name: NS2, points: bursts });
        series.push(FigureCurve { name: NS2_INDEPENDENT, points: independent });
        let seeds = scale.seeds(10);
        let curves = Panel {
            name: self.name,
            title: format!("throughput of one path by {}", self.axis.label),
            axis: self.axis,
            metric: Metric::Throughput,
            series,
            seeds,
            beside: &[SideColumn::Timeouts],
        };
        let errors = Panel {
            name: self.errors,
            title: "how much more than the simulation with the same losses".to_owned(),
            axis: self.axis,
            metric: Metric::Gain,
            series: self.differences(&curves),
            seeds,
            beside: &[],
        };
        Ok([curves, errors])
    }

    fn differences(&self, curves: &Panel) -> Vec<FigureCurve> {
        let difference = |series: &FigureCurve| {
            let over = match series.name {
                MARKOV_INDEPENDENT | NS2_INDEPENDENT => RUNS_INDEPENDENT,
                _ => RUNS,
            };
            let gain = ValueSource::Gain { of: (self.name, series.name), over: (self.name, over) };
            FigureCurve {
                name: series.name,
                points: series.points.iter().map(|(x, _)| (*x, gain.clone())).collect(),
            }
        };
        let is_compared = |series: &&FigureCurve| ![RUNS, RUNS_INDEPENDENT].contains(&series.name);
        curves.series.iter().filter(is_compared).map(difference).collect()
    }

    pub(super) fn difference(&self, series: &'static str) -> CurvePoints {
        CurvePoints { panel: self.errors, series, metric: Metric::Gain, x: self.at.to_vec() }
    }
}

/// The models with their names, and the minimum retransmission time-out that each is given.
fn models() -> Vec<(&'static str, Box<dyn ThroughputModel>, f64)> {
    let markov = |loss| Box::new(Markov { loss, halving: Halving::Ceil });
    vec![
        (MARKOV, markov(RoundLoss::Correlated), 0.0),
        (MARKOV_WAITS, markov(RoundLoss::Correlated), 1.0),
        (RENEWAL, Box::new(Renewal::default()), 0.0),
        (MARKOV_INDEPENDENT, markov(RoundLoss::Independent), 0.0),
    ]
}

impl SweepPoint {
    fn scenario(self, scale: StudyScale, (sacks, timeout): (Sacks, LeastTimeout), losses: &str) -> String {
        let (time, warmup) = match scale {
            StudyScale::Full => (600, 30),
            StudyScale::Quick => (60, 3),
        };
        format!(
            "[run]\ntime = \"{time} s\"\nwarmup = \"{warmup} s\"\n{}[[flow]]\n{}multipath = \"off\"\n",
            self.path.link("one", losses),
            sctp(&[self.path], self.buffer, sacks, timeout),
        )
    }

    fn computed(self, model: &dyn ThroughputModel, least: f64) -> Result<ValueSource, FigureError> {
        let path: PathParameters = self.path.parameters(least);
        let limited = LimitedPath { path, limit: packets(self.buffer) };
        let total: f64 = model.throughput(&[limited])?.iter().sum();
        Ok(ValueSource::Given(Origin::Model, vec![megabits(total)]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::SWEEPS;
    use super::*;

    /// The values of another implementation, three digits: F5 to F8, each for correlated Markov, independent Markov and renewal.
    const PRINTED: [[&[f64]; 3]; 4] = [
        [
            &[19.84, 17.30, 11.09, 5.97, 2.76, 1.23, 0.45],
            &[20.08, 17.84, 11.92, 6.87, 3.62, 1.80, 0.61],
            &[20.00, 18.27, 10.73, 5.80, 2.74, 1.23, 0.44],
        ],
        [
            &[0.95, 1.89, 4.69, 8.56, 10.46, 11.09, 11.21, 11.24],
            &[1.00, 2.00, 4.97, 9.16, 11.23, 11.92, 12.06, 12.09],
            &[0.94, 1.88, 4.69, 8.99, 10.66, 10.73, 10.77, 10.80],
        ],
        [
            &[19.84, 19.65, 18.99, 17.69, 15.95, 14.14, 11.09, 7.48, 4.50],
            &[20.96, 20.85, 20.25, 18.93, 17.11, 15.19, 11.92, 8.04, 4.84],
            &[19.76, 19.68, 19.59, 18.60, 16.62, 14.24, 10.73, 7.19, 4.33],
        ],
        [
            &[2.84, 5.62, 7.83, 9.40, 10.86, 11.09, 11.11],
            &[2.91, 5.86, 8.23, 10.00, 11.65, 11.92, 11.95],
            &[2.83, 5.61, 7.93, 9.72, 10.73, 10.73, 10.73],
        ],
    ];

    #[test]
    fn the_models_say_what_the_atlas_prints() {
        let models = models();
        for (sweep, printed) in SWEEPS.iter().zip(PRINTED) {
            for (name, printed) in [MARKOV, MARKOV_INDEPENDENT, RENEWAL].into_iter().zip(printed) {
                let (_, model, least) = models.iter().find(|(model, ..)| *model == name).expect("it is one");
                for (x, printed) in sweep.at.iter().zip(printed) {
                    let computed = (sweep.place)(*x).computed(&**model, *least).expect("it has an answer");
                    let ValueSource::Given(Origin::Model, values) = computed else { panic!("{computed:?}") };
                    // The last digit printed, and 1 %.
                    let allowed = 0.005 + 0.01 * printed;
                    assert!((values[0] - printed).abs() < allowed, "{name} at {x}: {values:?}, {printed}");
                }
            }
        }
    }
}
