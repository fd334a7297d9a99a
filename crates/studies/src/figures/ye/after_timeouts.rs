//! YE-F36 and F37: goodput over lossy radio links, and the T-R ratio, by what follows a time-out.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::radio::{RadioResponse, RadioRun};
use super::radio_goodput::{GOODPUT, seconds};
use super::{RadioChoice, at, claim, everywhere, panel, radio_params, seeds, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F36",
    aliases: &["YE-F37"],
    about: "Goodput and T-R ratio of a probe and of a blind resend after time-outs",
    panels: &[
        PanelEntry {
            id: "YE-F36",
            title: "goodput of a probe and of a blind resend after time-outs",
            decided_by: DecidedBy::Claims(&["C1"]),
            verdict: Verdict::Inconclusive,
        },
        PanelEntry {
            id: "YE-F37",
            title: "the T-R ratio of both",
            decided_by: DecidedBy::Claims(&["C2", "C3", "C4", "C5"]),
            verdict: Verdict::NotReproduced,
        },
    ],
    build: |scale| Ok(record(scale, RadioChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([RadioChoice::EACH_PACKET, RadioChoice::SLOW]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// Percent of the time that each link is bad.
const SHARES: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
/// The mean bad time in seconds.
const BAD: f64 = 0.1;

const PROBED: &str = "HB + AMAP";
const BLIND: &str = "AMAP";
const RATIO: (&str, Metric) = ("T-R ratio", Metric::TrRatio);

/// The record.
fn record(scale: StudyScale, choice: RadioChoice) -> Figure {
    let curve = |name, after_timeout| {
        let response = RadioResponse::Aware { resend: "amap", backoff: "limited", after_timeout };
        let seconds = seconds(scale, 1_800);
        let point = |percent: &f64| {
            let share = percent / 100.0;
            let states = Some((BAD * (1.0 - share) / share, BAD));
            let least_timeout = choice.least_timeout.unwrap_or("0.2 s");
            (*percent, RadioRun { response, states, seconds, least_timeout, ..choice.run() })
        };
        (name, SHARES.iter().map(point).collect())
    };
    let curves = || vec![curve(PROBED, "probe"), curve(BLIND, "blind")];
    let label = "bad state of each link, % of the time";
    Figure {
        id: "YE-F36",
        title: "goodput and T-R ratio of a probe and of a blind resend after time-outs (with YE-F37)",
        params: radio_params(
            choice,
            "bad states alone, 0.1 s on average; here the least time-out is 0.2 s; 1800 s",
            seeds(scale),
        ),
        panels: vec![
            panel(GOODPUT.0, "YE-F36: goodput of whole packets", label, GOODPUT.1, curves(), scale),
            panel(
                RATIO.0,
                "YE-F37: bytes sent by both hosts per byte delivered",
                label,
                RATIO.1,
                curves(),
                scale,
            ),
        ],
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    let difference = |of, x: f64| Number::Difference(at(of, BLIND, x), at(of, PROBED, x));
    let small = SHARES.map(|x| within(difference(GOODPUT, x), 0.0, 0.03));
    let (least, most) = (SHARES[0], SHARES[SHARES.len() - 1]);
    let [flat, grows] = [PROBED, BLIND].map(|series| (at(RATIO, series, most), at(RATIO, series, least)));
    let line = super::CurvePoints { x: SHARES.to_vec(), ..at(RATIO, BLIND, least) };
    vec![
        claim(
            "C1",
            Weight::Side,
            "F36: the blind resend carries up to 30 kbit/s more",
            Expression::All(small.into()),
        ),
        claim(
            "C2",
            Weight::Core,
            "F37: the blind resend sends more for each byte",
            everywhere(PointTest::Lt(PROBED, BLIND), RATIO, &SHARES),
        ),
        claim(
            "C3",
            Weight::Core,
            "F37: with the probe the ratio hardly changes (1 %)",
            within(Number::Ratio(flat.0, flat.1), 0.99, 1.01),
        ),
        claim(
            "C4",
            Weight::Core,
            "F37: with the blind resend it grows like a line (R² of 0.9 at least)",
            Expression::All(vec![
                within(Number::Linearity(line), 0.9, 1.0),
                Expression::More(Number::Difference(grows.0, grows.1), 0.0),
            ]),
        ),
        claim(
            "C5",
            Weight::Side,
            "F37: the gap grows with the bad share",
            Expression::Rising(SHARES.map(|x| difference(RATIO, x)).into()),
        ),
    ]
}
