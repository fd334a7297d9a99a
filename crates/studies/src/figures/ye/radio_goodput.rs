//! YE-F35, T2, F36 and F37: goodput over lossy radio links by the least time-out, by how losses are answered, and by what
//! follows a time-out.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::figure::{Figure, FigureCurve, Origin, ValueSource};
use super::super::results::Metric;
use super::radio::{RadioResponse, RadioRun};
use super::{RadioChoice, at, claim, everywhere, panel, radio_params, seeds, steps, within};
use crate::scale::StudyScale;

const GOODPUT: (&str, Metric) = ("goodput", Metric::Throughput);

/// So many seconds at full scale, a tenth at quick scale and 30 at least.
fn seconds(scale: StudyScale, full: u32) -> u32 {
    match scale {
        StudyScale::Full => full,
        StudyScale::Quick => (full / 10).max(30),
    }
}

/// Least time-outs.
const LEAST_TIMEOUTS: [&str; 3] = ["0.2 s", "0.5 s", "1 s"];

/// YE-F35.
pub fn least_timeouts(scale: StudyScale, choice: RadioChoice) -> Figure {
    let percents: Vec<f64> = (1..=10).map(f64::from).collect();
    let curve = |least_timeout: &'static str| {
        let point = |percent: &f64| {
            let states = Some((9.9, 0.1));
            let seconds = seconds(scale, 600);
            (*percent, RadioRun { loss: percent / 100.0, states, least_timeout, seconds, ..choice.run() })
        };
        (least_timeout, percents.iter().map(point).collect())
    };
    let [small, middle, large] = LEAST_TIMEOUTS;
    let less = |one, other| everywhere(PointTest::Le(one, other, 0.01), GOODPUT, &percents);
    let mean = |series| super::CurvePoints { x: percents.clone(), ..at(GOODPUT, series, 0.0) };
    let lower = |one, other| Expression::Less(Number::Ratio(mean(one), mean(other)), 1.0);
    let falls = |series| everywhere(PointTest::Down(series, 0.0), GOODPUT, steps(&percents));
    Figure {
        id: "YE-F35",
        title: "goodput by random losses and the least time-out",
        params: radio_params(choice, "each link bad for 0.1 s in 10 s; no datagrams; 600 s", seeds(scale)),
        panels: vec![panel(
            GOODPUT.0,
            "goodput of whole packets",
            "random losses, %",
            GOODPUT.1,
            LEAST_TIMEOUTS.map(curve).into(),
            scale,
        )],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "the larger the least time-out, the lower the goodput (1 %), and lower in the mean",
                Expression::All(vec![
                    less(middle, small),
                    less(large, middle),
                    lower(middle, small),
                    lower(large, middle),
                ]),
            ),
            claim(
                "C2",
                Weight::Side,
                "goodput falls with the losses",
                Expression::All(LEAST_TIMEOUTS.map(falls).into()),
            ),
        ],
    }
}

/// YE-T2: the schemes, and their goodput in Mbit/s with 1 % to 6 % of losses.
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

/// YE-T2.
pub fn resend_and_backoff(scale: StudyScale, choice: RadioChoice) -> Figure {
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
        claims: claims_of_schemes(),
    }
}

fn claims_of_schemes() -> Vec<Claim> {
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

/// Percent of the time that each link is bad.
const SHARES: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
/// The mean bad time in seconds.
const BAD: f64 = 0.1;

const PROBED: &str = "HB + AMAP";
const BLIND: &str = "AMAP";
const RATIO: (&str, Metric) = ("T-R ratio", Metric::TrRatio);

/// YE-F36 and F37.
pub fn after_timeouts(scale: StudyScale, choice: RadioChoice) -> Figure {
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
            "bad states of 0.1 s in the mean alone; here the least time-out is 0.2 s; 1800 s",
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
        claims: claims_after_timeouts(),
    }
}

fn claims_after_timeouts() -> Vec<Claim> {
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
