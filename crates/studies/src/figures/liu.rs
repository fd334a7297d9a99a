//! The figures of LIU, a model of multipath TCP in a shared receive buffer: simulations, the models' columns, and formula (1).

mod choice;
mod claims;
mod columns;

pub(crate) use choice::LiuChoice;

use super::FigureError;
use super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::results::Metric;
use super::verdict::Verdict;
use crate::scale::StudyScale;
use choice::{AccessLosses, SubflowLink, SubflowRun};

/// The figure's entry.
pub(super) static ENTRY: FigureEntry = FigureEntry {
    id: "LIU-F4-F6",
    aliases: &["LIU-F4", "LIU-F5", "LIU-F6"],
    about: "Multipath TCP beside its model",
    panels: &[
        PanelEntry {
            id: "LIU-F4a",
            title: "multipath TCP and its model by the round trip, two subflows",
            decided_by: DecidedBy::Panel("F4a"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "LIU-F4b",
            title: "the same, three subflows",
            decided_by: DecidedBy::Panel("F4b"),
            verdict: Verdict::Partial,
        },
        PanelEntry {
            id: "LIU-F5a",
            title: "the same by losses, two subflows",
            decided_by: DecidedBy::Panel("F5a"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "LIU-F5b",
            title: "the same, three subflows",
            decided_by: DecidedBy::Panel("F5b"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "LIU-F6a",
            title: "the same by one subflow's round trip and by the buffer, two subflows",
            decided_by: DecidedBy::Panel("F6a"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "LIU-F6b",
            title: "the same, three subflows",
            decided_by: DecidedBy::Panel("F6b"),
            verdict: Verdict::NotReproduced,
        },
    ],
    build: |scale| record(scale, LiuChoice::DEFAULT),
    sensitivity: |scale| {
        let members = LiuChoice::SENSITIVITY.into_iter();
        members.map(|choice| Ok((choice.name, record(scale, choice)?))).collect()
    },
    ns2: None,
};

/// The series' names.
const SIMULATION: &str = "simulation";
const MODEL: &str = "model";
const COUPLED: &str = "coupled fixed point";
const FORMULA: &str = "formula (1)";
const MEASURED: &str = "model, as measured";
const SMALL: Buffer = Buffer {
    packets: 50,
    simulation: "simulation, 50 packets",
    model: "model, 50 packets",
    coupled: "coupled fixed point, 50 packets",
    measured: "model, 50 packets, as measured",
};
const LARGE: Buffer =
    Buffer { packets: 100, simulation: SIMULATION, model: MODEL, coupled: COUPLED, measured: MEASURED };

/// A receive buffer in packets, and the names of the curves that have it.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    packets: u32,
    simulation: &'static str,
    model: &'static str,
    coupled: &'static str,
    measured: &'static str,
}

/// The parameter on the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swept {
    /// The round trips, in ms.
    RoundTrips,
    /// The losses, in percent.
    Losses,
    /// The first subflow's round trip, in ms.
    First,
}

/// A figure: how many subflows, what is swept, and where.
#[derive(Clone, Copy, Debug)]
struct SubflowSweep {
    name: &'static str,
    /// The panel of the differences to the simulation.
    errors: &'static str,
    subflows: usize,
    swept: Swept,
    at: &'static [f64],
}

const ROUND_TRIPS: &[f64] = &[12.0, 20.0, 40.0, 60.0, 80.0];
const LOSSES: &[f64] = &[0.5, 1.0, 2.0, 4.0, 8.0, 15.0];
const FIRST: &[f64] = &[20.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0];

const SWEEPS: [SubflowSweep; 6] = [
    SubflowSweep {
        name: "F4a",
        errors: "F4a errors",
        subflows: 2,
        swept: Swept::RoundTrips,
        at: ROUND_TRIPS,
    },
    SubflowSweep {
        name: "F4b",
        errors: "F4b errors",
        subflows: 3,
        swept: Swept::RoundTrips,
        at: ROUND_TRIPS,
    },
    SubflowSweep { name: "F5a", errors: "F5a errors", subflows: 2, swept: Swept::Losses, at: LOSSES },
    SubflowSweep { name: "F5b", errors: "F5b errors", subflows: 3, swept: Swept::Losses, at: LOSSES },
    SubflowSweep { name: "F6a", errors: "F6a errors", subflows: 2, swept: Swept::First, at: FIRST },
    SubflowSweep { name: "F6b", errors: "F6b errors", subflows: 3, swept: Swept::First, at: FIRST },
];

/// The record: a simulation beside the models.
///
/// # Errors
/// A model without an answer.
fn record(scale: StudyScale, choice: LiuChoice) -> Result<Figure, FigureError> {
    let mut panels = Vec::new();
    for sweep in SWEEPS {
        panels.push(sweep.panel(scale, choice)?);
        panels.push(sweep.error_panel(scale));
    }
    Ok(Figure {
        id: "LIU-F4–F6",
        title: "multipath TCP in a shared receive buffer",
        params: params(scale, choice),
        panels,
        claims: SWEEPS.iter().flat_map(|sweep| sweep.claims(scale)).collect(),
    })
}

impl SubflowSweep {
    fn panel(&self, scale: StudyScale, choice: LiuChoice) -> Result<Panel, FigureError> {
        let mut series = Vec::new();
        for buffer in self.buffers() {
            series.push(self.curve(buffer.simulation, |x| {
                Ok(columns::simulated(self.scenario(x, *buffer, scale, choice)))
            })?);
            series.extend(self.models(*buffer, scale, choice)?);
        }
        if self.swept != Swept::First {
            series.push(self.curve(FORMULA, |x| columns::formula(&self.at(x)))?);
        }
        Ok(Panel {
            name: self.name,
            title: format!("{} subflows", self.subflows),
            axis: self.axis(),
            metric: Metric::Throughput,
            series,
            seeds: scale.seeds(10),
            beside: &[],
        })
    }

    /// The model by the nominal values and by the measured ones. Where all round trips are equal, a buffer of 100 packets
    /// takes 1 % at most, and the model leaves it out.
    fn models(
        &self,
        buffer: Buffer,
        scale: StudyScale,
        choice: LiuChoice,
    ) -> Result<[FigureCurve; 3], FigureError> {
        let packets = (self.swept == Swept::First).then_some(buffer.packets);
        let nominal =
            |is_coupled| move |x| columns::nominal(&self.at(x), choice.least_timeout, packets, is_coupled);
        let measured = |x| {
            let scenario = self.scenario(x, buffer, scale, choice);
            Ok(columns::as_measured(scenario, self.subflows, choice.least_timeout, packets))
        };
        Ok([
            self.curve(buffer.model, nominal(false))?,
            self.curve(buffer.coupled, nominal(true))?,
            self.curve(buffer.measured, measured)?,
        ])
    }

    /// The amount each column exceeds the simulation.
    fn error_panel(&self, scale: StudyScale) -> Panel {
        let curve = |name, simulation| {
            let gain = ValueSource::Gain { of: (self.name, name), over: (self.name, simulation) };
            FigureCurve { name, points: self.at.iter().map(|x| (*x, gain.clone())).collect() }
        };
        let of_buffer = |buffer: &Buffer| {
            [buffer.model, buffer.coupled, buffer.measured].map(|name| curve(name, buffer.simulation))
        };
        let mut series: Vec<FigureCurve> = self.buffers().iter().flat_map(of_buffer).collect();
        if self.swept != Swept::First {
            series.push(curve(FORMULA, SIMULATION));
        }
        Panel {
            name: self.errors,
            title: "what each column says beyond the simulation".to_owned(),
            axis: self.axis(),
            metric: Metric::Gain,
            series,
            seeds: scale.seeds(10),
            beside: &[],
        }
    }

    fn curve(
        &self,
        name: &'static str,
        value: impl Fn(f64) -> Result<ValueSource, FigureError>,
    ) -> Result<FigureCurve, FigureError> {
        let point = |x: &f64| Ok((*x, value(*x)?));
        Ok(FigureCurve { name, points: self.at.iter().map(point).collect::<Result<_, FigureError>>()? })
    }

    fn axis(&self) -> Axis {
        let (label, spacing) = match self.swept {
            Swept::RoundTrips => ("RTT in ms", Spacing::Even),
            Swept::Losses => ("p in %", Spacing::Logarithmic),
            Swept::First => ("RTT of the first subflow in ms", Spacing::Logarithmic),
        };
        Axis { label, spacing }
    }

    fn buffers(&self) -> &'static [Buffer] {
        match self.swept {
            Swept::First => &[LARGE, SMALL],
            Swept::RoundTrips | Swept::Losses => &[LARGE],
        }
    }

    /// The subflows at a place of the axis.
    fn at(&self, x: f64) -> Vec<SubflowLink> {
        let subflow = |loss, round_trip_ms| SubflowLink { loss, round_trip_ms };
        let of_index = |index: usize| match (self.swept, index) {
            (Swept::RoundTrips, _) | (Swept::First, 0) => subflow(0.04, x),
            (Swept::Losses, _) => subflow(x / 100.0, ROUND_TRIP_MS),
            (Swept::First, _) => subflow(0.04, ROUND_TRIP_MS),
        };
        (0..self.subflows).map(of_index).collect()
    }

    /// F6 has what the first subflow's round trip exceeds 20 ms by at its bottleneck.
    fn scenario(&self, x: f64, buffer: Buffer, scale: StudyScale, choice: LiuChoice) -> String {
        let access_ms = if self.swept == Swept::RoundTrips { x } else { ROUND_TRIP_MS };
        SubflowRun { choice, subflows: self.at(x), buffer: buffer.packets, scale }.scenario(access_ms)
    }
}

/// The round trip where nothing else is said.
const ROUND_TRIP_MS: f64 = 20.0;

fn params(scale: StudyScale, choice: LiuChoice) -> Vec<(&'static str, String)> {
    let own = |text: &str| text.to_owned();
    let least = match choice.least_timeout {
        0.0 => own("without a minimum"),
        least => format!("{least} s at least"),
    };
    let losses = match choice.losses {
        AccessLosses::Independent => "independent",
        AccessLosses::Correlated => "the first in a round takes the rest of it",
    };
    vec![
        ("subflows", own("two (a) or three (b), p = 4 % and 20 ms where nothing else is said")),
        (
            "topology",
            own(
                "LIU-F3: an access link of 100 Mbit/s for each subflow, with its delay and its losses, and a bottleneck of \
                 20 Mbit/s, drop-tail, 100 packets; in F6 the first bottleneck has the delay beyond 20 ms",
            ),
        ),
        ("losses", format!("on data alone, at the access link's entry, {losses}")),
        (
            "beside subflows 1 and 2",
            format!("a TCP each, of {} packets, 20 ms, and losses in the queue alone", choice.background),
        ),
        ("packets", own("592 bytes, 540 of them user data; an acknowledgement for each")),
        (
            "connection",
            own("LIA, SACK, round robin; what times out leaves again on its subflow and on another one"),
        ),
        (
            "receive buffer",
            own(
                "100 packets of 592 bytes, shared; F6: also 50; in the models of F4 and F5 endless, as the paper computes them",
            ),
        ),
        ("RTO", format!("models: 3 RTT, {least}; simulation: RFC 6298, {least}")),
        ("model", own("LIU's as corrected (L-1 to L-9), a send rate; beside it its windows truly coupled")),
        (
            "as measured",
            own(
                "the model with the mean RTT and the loss that each subflow of the run had, in place of the nominal ones",
            ),
        ),
        ("formula (1)", own("√(2/p)/RTT of the best subflow")),
        ("run", own("300 s, measured without the first 20; data in order, in whole packets of 592 bytes")),
        ("seeds", scale.seeds(10).to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::figure::Origin;
    use super::*;

    /// In kbit/s, as printed: panel, series, values.
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
        ("F6a", SMALL.model, &[753.0, 482.0, 424.0, 387.0, 221.0, 111.0]),
        ("F6a", SMALL.coupled, &[753.0, 873.0, 854.0, 472.0, 236.0, 118.0]),
        ("F6b", MODEL, &[1129.0, 858.0, 794.0, 752.0, 429.0, 212.0]),
        ("F6b", SMALL.model, &[1106.0, 845.0, 782.0, 437.0, 217.0, 108.0]),
        ("F6b", SMALL.coupled, &[748.0, 758.0, 740.0, 437.0, 217.0, 108.0]),
    ];

    #[test]
    fn the_columns_are_those_that_the_atlas_prints() {
        let record = record(StudyScale::Full, LiuChoice::DEFAULT).expect("the models have answers");
        for (panel, series, printed) in PRINTED {
            let panel = record.panels.iter().find(|found| found.name == panel).expect("it is a panel");
            let curve = panel.series.iter().find(|found| found.name == series).expect("it is a curve");
            assert_eq!(curve.points.len(), printed.len());
            for ((x, source), printed) in curve.points.iter().zip(printed) {
                let ValueSource::Given(Origin::Model, values) = source else { panic!("{source:?}") };
                let near = (values[0] * 1e3 - printed).abs() < 0.01 * printed;
                assert!(near, "{} {series} at {x}: {values:?}, {printed}", panel.name);
            }
        }
    }
}
