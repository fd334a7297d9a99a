//! YE-F43: what two paths carry together beside the sum of what each carries alone, without losses. YE-F44 runs the same with
//! losses.

use super::super::claim::{Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Figure, FigureCurve, Panel, ValueSource};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::two_paths::{Bottleneck, TwoPathRun, WayOfSending};
use super::{IpccChoice, at, claim, everywhere, panel, steps, two_path_params, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F43",
    aliases: &[],
    about: "Load sharing beside the sum of the paths, without losses",
    panels: &[PanelEntry {
        id: "YE-F43",
        title: "load sharing without losses",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::NotReproduced,
    }],
    build: |scale| Ok(record(scale, IpccChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([IpccChoice::SHORT_QUEUES, IpccChoice::EACH_PACKET]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// The curves.
pub(super) const IPCC: &str = "IPCC";
pub(super) const IDEAL: &str = "ideal";
pub(super) const WAITS: &str = "IPCC without adjustment";

/// The sums of the bottlenecks' rates, in Mbit/s; each has half.
pub(super) const SUMS: [f64; 5] = [2.0, 4.0, 6.0, 8.0, 10.0];
/// The largest of them.
pub(super) const LARGEST: f64 = 10.0;

/// The ratios of the delays of L2, 25 ms, and L5: the panel, what path 2 carries alone, and the delay of L5 in milliseconds.
pub(super) const RATIOS: [(&str, &str, u32); 4] = [
    ("1:1", "path 2, 25 ms", 25),
    ("1:2", "path 2, 50 ms", 50),
    ("1:4", "path 2, 100 ms", 100),
    ("1:8", "path 2, 200 ms", 200),
];
const FIRST_ALONE: &str = "path 1, 25 ms";
/// The panel of each path alone.
const ALONE: &str = "alone";
/// The amount of IPCC exceeds the ideal, in percent.
pub(super) const EXCESS: (&str, Metric) = ("excess", Metric::Gain);
const LABEL: &str = "sum of the rates, Mbit/s";
/// Nothing overflows, as "no packet loss" says.
const QUEUE: u32 = 10_000;

/// The record.
fn record(scale: StudyScale, choice: IpccChoice) -> Figure {
    // Nothing is drawn at random.
    let seeds = 1;
    Figure {
        id: "YE-F43",
        title: "load sharing without losses",
        params: params("no losses", choice, seeds),
        panels: panels(0.0, scale, choice, seeds),
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "very close to the ideal under all conditions (0.95 to 1.02)",
                Expression::All(at_all_points(|panel, sum| {
                    let both = [IPCC, IDEAL].map(|series| at((panel, Metric::Throughput), series, sum));
                    let [ipcc, ideal] = both;
                    within(Number::Ratio(ipcc, ideal), 0.95, 1.02)
                })),
            ),
            claim(
                "C2",
                Weight::Side,
                "more with a larger sum",
                Expression::All(RATIOS.map(|(panel, ..)| rises(panel)).into()),
            ),
        ],
    }
}

fn at_all_points(expression: impl Fn(&'static str, f64) -> Expression) -> Vec<Expression> {
    let points = RATIOS.iter().flat_map(|(panel, ..)| SUMS.iter().map(move |sum| (*panel, *sum)));
    points.map(|(panel, sum)| expression(panel, sum)).collect()
}

fn rises(panel: &'static str) -> Expression {
    everywhere(PointTest::Up(IPCC, 0.0), (panel, Metric::Throughput), steps(&SUMS))
}

/// The parameters of both figures, for the report.
pub(super) fn params(losses: &str, choice: IpccChoice, seeds: u64) -> Vec<(&'static str, String)> {
    let mut params = two_path_params(choice.queue.unwrap_or(QUEUE), choice, seeds);
    params.extend([
        ("paths", "L2 and L5 half of the sum each; L2 25 ms, L5 25, 50, 100 or 200 ms".to_owned()),
        ("losses", losses.to_owned()),
        ("IPCC", "path 1 up to its window, then path 2; what one lost goes again on the other".to_owned()),
        ("ideal", "the sum of two runs over one path each".to_owned()),
    ]);
    params
}

/// The panels of both figures.
pub(super) fn panels(loss: f64, scale: StudyScale, choice: IpccChoice, seeds: u64) -> Vec<Panel> {
    let bottleneck = |sum: f64, delay_ms| Some(Bottleneck { rate: sum / 2.0, delay_ms, loss });
    let run = |direction, bottlenecks| TwoPathRun { direction, bottlenecks, queue: QUEUE, choice, scale };
    let curve = |name, point: &dyn Fn(f64) -> TwoPathRun| (name, SUMS.map(|sum| (sum, point(sum))).into());
    let sharing = WayOfSending::LoadSharing;
    let mut alone = vec![curve(FIRST_ALONE, &|sum| run(sharing, [bottleneck(sum, 25), None]))];
    for (_, name, delay) in RATIOS {
        alone.push(curve(name, &|sum| run(sharing, [None, bottleneck(sum, delay)])));
    }
    let throughput = Metric::Throughput;
    let mut panels = vec![panel(ALONE, "each path alone", LABEL, throughput, alone, scale)];
    for (name, second, delay) in RATIOS {
        let both = |direction| move |sum| run(direction, [bottleneck(sum, 25), bottleneck(sum, delay)]);
        let waits = WayOfSending::WithoutAdjustment(&WayOfSending::LoadSharing);
        let series = vec![curve(IPCC, &both(sharing)), curve(WAITS, &both(waits))];
        let mut together =
            panel(name, &format!("both paths, delays {name}"), LABEL, throughput, series, scale);
        let sum = |x| (x, ValueSource::Sum([(ALONE, FIRST_ALONE), (ALONE, second)]));
        together.series.insert(1, FigureCurve { name: IDEAL, points: SUMS.map(sum).into() });
        panels.push(together);
    }
    let gain = |(name, ..): (&'static str, &str, u32)| FigureCurve {
        name,
        points: SUMS.map(|x| (x, ValueSource::Gain { of: (name, IPCC), over: (name, IDEAL) })).into(),
    };
    let title = "how much IPCC exceeds the ideal, by the ratio of the delays";
    let excess = panel::<TwoPathRun>(EXCESS.0, title, LABEL, EXCESS.1, Vec::new(), scale);
    panels.push(Panel { series: RATIOS.map(gain).into(), ..excess });
    panels.iter_mut().for_each(|panel| panel.seeds = seeds);
    panels
}
