//! YE-T2: goodput over lossy radio links by what is resent at once and by the back-off.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Figure, FigureCurve, Origin, ValueSource};
use super::super::verdict::Verdict;
use super::radio::{RadioResponse, RadioRun};
use super::radio_goodput::{GOODPUT, seconds};
use super::{RadioChoice, at, claim, everywhere, panel, radio_params, seeds, steps, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-T2",
    aliases: &[],
    about: "Goodput by what is resent at once and by the back-off",
    panels: &[PanelEntry {
        id: "YE-T2",
        title: "goodput by what is resent at once and by the back-off",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, RadioChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([RadioChoice::EACH_PACKET, RadioChoice::QUICK, RadioChoice::BLIND]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// The schemes, and their goodput in Mbit/s with 1 % to 6 % of losses.
const SCHEMES: [(&str, &str, &str, &str, [f64; 6]); 4] = [
    (
        "AMAP exponential",
        "amap",
        "exponential",
        "AMAP exponential stated",
        [1.53359, 1.39398, 1.28014, 1.18369, 1.10331, 1.03228],
    ),
    (
        "AMAP limited",
        "amap",
        "limited",
        "AMAP limited stated",
        [1.53358, 1.39427, 1.28065, 1.18555, 1.10643, 1.03773],
    ),
    (
        "one per RTT exponential",
        "one-per-rtt",
        "exponential",
        "one per RTT exponential stated",
        [1.53341, 1.39315, 1.27858, 1.18025, 1.09774, 1.02358],
    ),
    (
        "one per RTT limited",
        "one-per-rtt",
        "limited",
        "one per RTT limited stated",
        [1.53356, 1.39407, 1.28033, 1.18467, 1.10488, 1.03515],
    ),
];

const PERCENTS: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

/// The record.
fn record(scale: StudyScale, choice: RadioChoice) -> Figure {
    let simulated = SCHEMES.map(|(name, resend, backoff, ..)| {
        let response = RadioResponse::Aware { resend, backoff, after_timeout: choice.after_timeout };
        let seconds = seconds(scale, 3_600);
        let point =
            |percent: &f64| (*percent, RadioRun { response, loss: percent / 100.0, seconds, ..choice.run() });
        (name, PERCENTS.iter().map(point).collect())
    });
    let mut goodput =
        panel(GOODPUT.0, "goodput of whole packets", "random losses, %", GOODPUT.1, simulated.into(), scale);
    goodput.series.extend(SCHEMES.map(|(_, _, _, name, stated)| {
        let point =
            |(percent, value): (&f64, f64)| (*percent, ValueSource::Given(Origin::Paper, vec![value]));
        FigureCurve { name, points: PERCENTS.iter().zip(stated).map(point).collect() }
    }));
    Figure {
        id: "YE-T2",
        title: "goodput by what is resent at once and by the back-off",
        params: radio_params(choice, "random losses alone; 3600 s", seeds(scale)),
        panels: vec![goodput],
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    let [[amap_exponential, amap], [one_exponential, one]] =
        [[SCHEMES[0].0, SCHEMES[1].0], [SCHEMES[2].0, SCHEMES[3].0]];
    let no_better = |worse, better, x: &[f64]| everywhere(PointTest::Le(worse, better, 0.000_5), GOODPUT, x);
    let gain = |limited, exponential| {
        within(Number::Ratio(at(GOODPUT, limited, 6.0), at(GOODPUT, exponential, 6.0)), 1.001, 1.03)
    };
    let near_stated = |tolerance| {
        let one = |(name, _, _, stated, _): (&'static str, &str, &str, &'static str, [f64; 6])| {
            everywhere(PointTest::Near(name, stated, tolerance), GOODPUT, &PERCENTS)
        };
        Box::new(Expression::All(SCHEMES.map(one).into()))
    };
    let alike = SCHEMES[..3]
        .iter()
        .map(|scheme| everywhere(PointTest::Near(scheme.0, one, 0.02), GOODPUT, &PERCENTS));
    let falls = SCHEMES.map(|scheme| everywhere(PointTest::Down(scheme.0, 0.0), GOODPUT, steps(&PERCENTS)));
    vec![
        claim(
            "C1",
            Weight::Core,
            "from 2 % on the limited back-off is no worse (0.05 %)",
            Expression::All(vec![
                no_better(amap_exponential, amap, &PERCENTS[1..]),
                no_better(one_exponential, one, &PERCENTS[1..]),
            ]),
        ),
        claim(
            "C2",
            Weight::Core,
            "as many as possible is no worse than one each round trip (0.05 %)",
            Expression::All(vec![
                no_better(one_exponential, amap_exponential, &PERCENTS),
                no_better(one, amap, &PERCENTS),
            ]),
        ),
        claim(
            "C3",
            Weight::Side,
            "with 6 % the limited back-off gains 0.1 % to 3 %",
            Expression::All(vec![gain(amap, amap_exponential), gain(one, one_exponential)]),
        ),
        claim(
            "C4",
            Weight::Side,
            "the stated values (15 %)",
            Expression::OrPartly(near_stated(0.15), near_stated(0.3)),
        ),
        claim("C5", Weight::Side, "the schemes differ by less than 2 %", Expression::All(alike.collect())),
        claim("C6", Weight::Side, "goodput falls with the losses", Expression::All(falls.into())),
    ]
}
