//! YE-F42: what retransmissions on a second path gain, and what that path's losses cost.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Figure, FigureCurve, Panel, ValueSource};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::two_paths::{Bottleneck, TwoPathRun, WayOfSending};
use super::{CurvePoints, IpccChoice, at, claim, everywhere, panel, two_path_params, two_path_seeds, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F42",
    aliases: &[],
    about: "Retransmissions on a second path, by its losses",
    panels: &[PanelEntry {
        id: "YE-F42",
        title: "IPCC: a file with retransmissions on a second path, by that path's losses",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Inconclusive,
    }],
    build: |scale| Ok(record(scale, IpccChoice::DEFAULT)),
    sensitivity: |scale| Ok([IpccChoice::PROBED].map(|choice| (choice.name, record(scale, choice))).into()),
    ns2: None,
};

const IPCC: &str = "IPCC";
const STANDARD: &str = "standard";
const WAITS: &str = "IPCC without adjustment";

/// A panel for each delay of the bottlenecks: its name, and the delay in milliseconds.
const DELAYS: [(&str, u32); 2] = [("0 ms", 0), ("50 ms", 50)];
/// The gain of IPCC, in percent of the standard's throughput.
const GAINS: (&str, Metric) = ("gain", Metric::Gain);

/// The losses of path 2, in percent.
const LOSSES: [f64; 6] = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0];

/// YE-F42.
fn record(scale: StudyScale, choice: IpccChoice) -> Figure {
    let mut panels: Vec<Panel> = DELAYS.iter().map(|delay| times(*delay, scale, choice)).collect();
    let gain = |(panel, _): (&'static str, u32)| FigureCurve {
        name: panel,
        points: LOSSES
            .map(|loss| (loss, ValueSource::Gain { of: (panel, IPCC), over: (panel, STANDARD) }))
            .into(),
    };
    panels.push(Panel {
        series: DELAYS.map(gain).into(),
        ..panel::<TwoPathRun>(GAINS.0, "how much more IPCC carries", LABEL, GAINS.1, Vec::new(), scale)
    });
    panels.iter_mut().for_each(|panel| panel.seeds = two_path_seeds(scale));
    let mut params = two_path_params(choice.queue.unwrap_or(QUEUE), choice, two_path_seeds(scale));
    params.extend([
        ("paths", "L2 and L5 1 Mbit/s, each of the delay that a panel has; path 1 loses 2 %".to_owned()),
        ("IPCC", "new data on path 1, retransmissions on the other path".to_owned()),
        ("standard", "path 1 alone".to_owned()),
    ]);
    Figure {
        id: "YE-F42",
        title: "a file with retransmissions on a second path, by that path's losses",
        params,
        panels,
        claims: claims(),
    }
}

const LABEL: &str = "losses of path 2, %";
const QUEUE: u32 = 50;

fn times((name, delay_ms): (&'static str, u32), scale: StudyScale, choice: IpccChoice) -> Panel {
    let bottleneck = |loss| Some(Bottleneck { rate: 1.0, delay_ms, loss });
    let curve = |name, direction| {
        let point = |loss: f64| {
            let second = bottleneck(loss / 100.0).filter(|_| direction != WayOfSending::Standard);
            (
                loss,
                TwoPathRun {
                    direction,
                    bottlenecks: [bottleneck(0.02), second],
                    queue: QUEUE,
                    choice,
                    scale,
                },
            )
        };
        (name, LOSSES.map(point).into())
    };
    let series = vec![
        curve(IPCC, WayOfSending::Retransmission),
        curve(STANDARD, WayOfSending::Standard),
        curve(WAITS, WayOfSending::WithoutAdjustment(&WayOfSending::Retransmission)),
    ];
    panel(name, &format!("time of the file, delay {name}"), LABEL, Metric::Time, series, scale)
}

fn claims() -> Vec<Claim> {
    let all = |of: (&'static str, Metric), series| CurvePoints { x: LOSSES.into(), ..at(of, series, 0.0) };
    let time = |panel| (panel, Metric::Time);
    let ratio = |panel| Number::MeanRatio(all(time(panel), IPCC), all(time(panel), STANDARD));
    let growth = |panel| Number::Ratio(at(time(panel), IPCC, 10.0), at(time(panel), IPCC, 0.0));
    let [short, long] = DELAYS.map(|(name, _)| name);
    vec![
        claim(
            "C1",
            Weight::Core,
            "IPCC is faster at all losses, with both delays",
            Expression::All(
                [short, long]
                    .map(|panel| everywhere(PointTest::Lt(IPCC, STANDARD), time(panel), &LOSSES))
                    .into(),
            ),
        ),
        claim(
            "C2",
            Weight::Side,
            "by about 2 % without delay (0.5 to 5) and 8.6 % with 50 ms (4 to 15)",
            Expression::All(vec![within(ratio(short), 0.95, 0.995), within(ratio(long), 0.85, 0.96)]),
        ),
        claim(
            "C3",
            Weight::Side,
            "10 % of losses on path 2 cost 3 % at most",
            Expression::All([short, long].map(|panel| within(growth(panel), 0.0, 1.03)).into()),
        ),
        claim(
            "C4",
            Weight::Core,
            "the gain is larger with 50 ms",
            Expression::More(Number::Difference(all(GAINS, long), all(GAINS, short)), 0.0),
        ),
        claim(
            "A1",
            Weight::Sanity,
            "(ours) the adjustment is not what slows IPCC down (1 %)",
            Expression::All(
                [short, long]
                    .map(|panel| everywhere(PointTest::Le(IPCC, WAITS, 0.01), time(panel), &LOSSES))
                    .into(),
            ),
        ),
    ]
}
