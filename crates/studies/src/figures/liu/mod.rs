//! The figures of LIU, a model of multipath TCP in a shared receive buffer: the columns that need no simulation.
//!
//! Their simulation needs coupled congestion control, which is not built yet, so that claims about it cannot be judged.

use anabranch_models::Mptcp;
use anabranch_models::mptcp::{Coupling, Subflow};
use anabranch_models::square_root::{SquareRoot, SquareRootParameters};

use super::FigureError;
use super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::results::{CurvePoints, Metric};

/// RTO = max(0.2 s, 3 RTT), the atlas's default.
pub const LEAST_TIMEOUT: f64 = 0.2;

/// The series' names.
const MODEL: &str = "model";
const COUPLED: &str = "coupled fixed point";
const FORMULA: &str = "formula (1)";
const SMALL: &str = "model, 50 packets";
const COUPLED_SMALL: &str = "coupled fixed point, 50 packets";

/// What is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swept {
    /// All round trips, in ms.
    RoundTrips,
    /// All losses, in percent.
    Losses,
    /// The first subflow's round trip, in ms.
    First,
}

/// A figure: how many subflows, what is swept, and where.
#[derive(Clone, Copy, Debug)]
struct SubflowSweep {
    name: &'static str,
    subflows: usize,
    swept: Swept,
    at: &'static [f64],
}

const ROUND_TRIPS: &[f64] = &[12.0, 20.0, 40.0, 60.0, 80.0];
const LOSSES: &[f64] = &[0.5, 1.0, 2.0, 4.0, 8.0, 15.0];
const FIRST: &[f64] = &[20.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0];

const SWEEPS: [SubflowSweep; 6] = [
    SubflowSweep { name: "F4a", subflows: 2, swept: Swept::RoundTrips, at: ROUND_TRIPS },
    SubflowSweep { name: "F4b", subflows: 3, swept: Swept::RoundTrips, at: ROUND_TRIPS },
    SubflowSweep { name: "F5a", subflows: 2, swept: Swept::Losses, at: LOSSES },
    SubflowSweep { name: "F5b", subflows: 3, swept: Swept::Losses, at: LOSSES },
    SubflowSweep { name: "F6a", subflows: 2, swept: Swept::First, at: FIRST },
    SubflowSweep { name: "F6b", subflows: 3, swept: Swept::First, at: FIRST },
];

/// The record, with time-outs of three round trips and of `least` seconds at least.
///
/// # Errors
/// A model without an answer.
pub fn columns(least: f64) -> Result<Figure, FigureError> {
    Ok(Figure {
        id: "LIU-F4–F6",
        title: "multipath TCP in a shared receive buffer: the models' columns",
        params: params(least),
        panels: SWEEPS.iter().map(|sweep| sweep.panel(least)).collect::<Result<_, FigureError>>()?,
        claims: SWEEPS.iter().flat_map(SubflowSweep::claims).collect(),
    })
}

impl SubflowSweep {
    fn panel(&self, least: f64) -> Result<Panel, FigureError> {
        let model = |coupling, buffer| Mptcp { coupling, buffer, ..Mptcp::default() };
        let of_model =
            |name, model: Mptcp| self.curve(name, |x| Ok(megabits(model.solve(&self.at(x, least))?.total)));
        // Where all round trips are equal, a buffer of 100 packets takes 1 % at most, and the atlas leaves it out.
        let buffer = (self.swept == Swept::First).then_some(100);
        let mut series = vec![
            of_model(MODEL, model(Coupling::ClosedForm, buffer))?,
            of_model(COUPLED, model(Coupling::FixedPoint, buffer))?,
        ];
        if self.swept == Swept::First {
            series.push(of_model(SMALL, model(Coupling::ClosedForm, Some(50)))?);
            series.push(of_model(COUPLED_SMALL, model(Coupling::FixedPoint, Some(50)))?);
        } else {
            series.push(self.curve(FORMULA, |x| Ok(megabits(self.formula(x)?)))?);
        }
        let (label, spacing) = match self.swept {
            Swept::RoundTrips => ("RTT in ms", Spacing::Even),
            Swept::Losses => ("p in %", Spacing::Logarithmic),
            Swept::First => ("RTT of the first subflow in ms", Spacing::Logarithmic),
        };
        Ok(Panel {
            name: self.name,
            title: format!("{} subflows", self.subflows),
            axis: Axis { label, spacing },
            metric: Metric::Throughput,
            series,
            seeds: 1,
            beside: &[],
        })
    }

    fn curve(
        &self,
        name: &'static str,
        value: impl Fn(f64) -> Result<f64, FigureError>,
    ) -> Result<FigureCurve, FigureError> {
        let point = |x: &f64| Ok((*x, ValueSource::Given(vec![value(*x)?])));
        Ok(FigureCurve { name, points: self.at.iter().map(point).collect::<Result<_, FigureError>>()? })
    }

    /// The subflows at a place of the axis.
    fn at(&self, x: f64, least: f64) -> Vec<Subflow> {
        let subflow =
            |loss, round_trip: f64| Subflow { loss, round_trip, timeout: least.max(3.0 * round_trip) };
        let of_index = |index: usize| match (self.swept, index) {
            (Swept::RoundTrips, _) | (Swept::First, 0) => subflow(0.04, x / 1e3),
            (Swept::Losses, _) => subflow(x / 100.0, 0.02),
            (Swept::First, _) => subflow(0.04, 0.02),
        };
        (0..self.subflows).map(of_index).collect()
    }

    fn formula(&self, x: f64) -> Result<f64, FigureError> {
        let subflows = self.at(x, LEAST_TIMEOUT);
        let path =
            |subflow: &Subflow| SquareRootParameters { loss: subflow.loss, round_trip: subflow.round_trip };
        Ok(SquareRoot::default().connection(&subflows.iter().map(path).collect::<Vec<_>>())?)
    }

    fn claims(&self) -> Vec<Claim> {
        let of = |id, weight, stated, expression| Claim { id, panel: self.name, weight, stated, expression };
        let unsimulated = || Expression::NotBuilt("needs a simulation with coupled congestion control");
        let mut claims = match self.swept {
            Swept::RoundTrips | Swept::Losses => vec![
                of(
                    "C1",
                    Weight::Core,
                    "the model is within 8 % of the simulation in the mean",
                    unsimulated(),
                ),
                of("C2", Weight::Core, "it is nearer than formula (1)", unsimulated()),
                of("C3", Weight::Side, "formula (1) says too much at every point", unsimulated()),
            ],
            Swept::First => vec![
                of(
                    "C1",
                    Weight::Core,
                    "the model is within 10 % of the simulation in the mean",
                    unsimulated(),
                ),
                of("C2", Weight::Side, "50 packets carry no more than 100", unsimulated()),
                of("C3", Weight::Side, "with 50 packets, 2 s carry 60 % of 200 ms at most", unsimulated()),
            ],
        };
        if self.swept == Swept::First {
            let (panel, metric) = (self.name, Metric::Throughput);
            let test = PointTest::Le(SMALL, MODEL, 0.0);
            let less = Expression::Points { test, panel, metric, x: self.at.to_vec(), share: 1.0 };
            let at = |x| CurvePoints { panel, series: SMALL, metric, x: vec![x] };
            let number = Number::Ratio(at(2_000.0), at(200.0));
            let blocked = Expression::Number { number, range: (0.0, 0.6), direction: (0.0, 1.0) };
            claims.push(of(
                "C2'",
                Weight::Sanity,
                "so says the model: 50 packets carry no more than 100",
                less,
            ));
            claims.push(of(
                "C3'",
                Weight::Sanity,
                "so says the model: 2 s carry 60 % of 200 ms at most",
                blocked,
            ));
        } else if self.name == "F4a" {
            let stated = "its error is a tenth of formula (1)'s";
            claims.push(of("C4", Weight::Side, stated, unsimulated()));
        }
        claims
    }
}

/// Packets/s of 592 bytes as Mbit/s.
fn megabits(packets_per_second: f64) -> f64 {
    packets_per_second * 592.0 * 8.0 / 1e6
}

fn params(least: f64) -> Vec<(&'static str, String)> {
    let own = |text: &str| text.to_owned();
    let timeout = match least {
        0.0 => own("3 RTT"),
        least => format!("3 RTT, {least} s at least"),
    };
    vec![
        ("subflows", own("two (a) or three (b), p = 4 % and 20 ms where nothing else is said")),
        (
            "receive buffer",
            own(
                "F6: 100 packets of 592 bytes, shared, and 50; F4 and F5: endless, as the atlas computes them",
            ),
        ),
        ("RTO", timeout),
        (
            "model",
            own(
                "LIU's as corrected (L-1 to L-9), a send rate; beside it its windows truly coupled (models, 4.1)",
            ),
        ),
        ("formula (1)", own("√(2/p)/RTT of the best subflow")),
        ("simulation", own("none yet: their connection has coupled congestion control")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In kbit/s, as the atlas prints them: panel, series, values.
    const PRINTED: [(&str, &str, &[f64]); 17] = [
        ("F4a", MODEL, &[999.0, 753.0, 466.0, 338.0, 258.0]),
        ("F4a", COUPLED, &[999.0, 753.0, 466.0, 338.0, 258.0]),
        ("F4a", FORMULA, &[2791.0, 1674.0, 837.0, 558.0, 419.0]),
        ("F4b", MODEL, &[1498.0, 1129.0, 699.0, 506.0, 386.0]),
        ("F4b", COUPLED, &[1004.0, 748.0, 457.0, 329.0, 251.0]),
        ("F5a", MODEL, &[3480.0, 2214.0, 1333.0, 753.0, 414.0, 262.0]),
        ("F5a", COUPLED, &[3480.0, 2214.0, 1333.0, 753.0, 414.0, 262.0]),
        ("F5a", FORMULA, &[4736.0, 3349.0, 2368.0, 1674.0, 1184.0, 865.0]),
        ("F5b", MODEL, &[5220.0, 3321.0, 2000.0, 1129.0, 620.0, 393.0]),
        ("F5b", COUPLED, &[3390.0, 2137.0, 1269.0, 748.0, 458.0, 297.0]),
        ("F6a", MODEL, &[753.0, 483.0, 430.0, 390.0, 376.0, 216.0]),
        ("F6a", COUPLED, &[753.0, 879.0, 865.0, 844.0, 450.0, 225.0]),
        ("F6a", SMALL, &[753.0, 482.0, 424.0, 387.0, 221.0, 111.0]),
        ("F6a", COUPLED_SMALL, &[753.0, 873.0, 854.0, 472.0, 236.0, 118.0]),
        ("F6b", MODEL, &[1129.0, 858.0, 794.0, 752.0, 429.0, 212.0]),
        ("F6b", SMALL, &[1106.0, 845.0, 782.0, 437.0, 217.0, 108.0]),
        ("F6b", COUPLED_SMALL, &[748.0, 758.0, 740.0, 437.0, 217.0, 108.0]),
    ];

    #[test]
    fn the_columns_are_those_that_the_atlas_prints() {
        let record = columns(LEAST_TIMEOUT).expect("the models have answers");
        for (panel, series, printed) in PRINTED {
            let panel = record.panels.iter().find(|found| found.name == panel).expect("it is a panel");
            let curve = panel.series.iter().find(|found| found.name == series).expect("it is a curve");
            assert_eq!(curve.points.len(), printed.len());
            for ((x, source), printed) in curve.points.iter().zip(printed) {
                let ValueSource::Given(values) = source else { panic!("{source:?}") };
                let near = (values[0] * 1e3 - printed).abs() < 0.01 * printed;
                assert!(near, "{} {series} at {x}: {values:?}, {printed}", panel.name);
            }
        }
    }
}
