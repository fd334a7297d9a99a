//! The part that BERP-F3, F6 and F9 share: the congestion windows over time, as numbers: their sizes and the depths of
//! their cuts.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sim::Watch;
use anabranch_sim::observe::{Host, Observation, PathSeen, Seen};

use super::super::claim::{Claim, Expression, Number, Weight};
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::observed::{ObservedRun, Reader};
use super::super::results::{CurvePoints, Metric};
use super::{ChainChoice, ChainRun, Scheme, params, seeds, transfer};
use crate::scale::StudyScale;

/// The quantities: a panel's name, and what it measures.
pub(super) const MEAN: (&str, Metric) = ("mean window", Metric::Packets);
const CUT: (&str, Metric) = ("median cut", Metric::Share);
/// Percent lost on the narrow links.
const LOSS: u32 = 10;
/// The first seconds do not count.
const DISCARDED: Duration = Duration::from_secs(10);
const PACKET: ByteCount = ByteCount::new(1_500);
const BOTH: [Scheme; 2] = [Scheme::Standard, Scheme::Berp];

/// The record of the windows under losses.
pub(super) fn by_losses(
    id: &'static str,
    title: &'static str,
    scale: StudyScale,
    choice: ChainChoice,
    is_shared: bool,
) -> Figure {
    let run = |scheme| ChainRun { is_shared, ..choice.run(scheme, 4, transfer(scale, LOSS)) };
    let x = f64::from(LOSS);
    let ratio = |of: (&'static str, Metric)| {
        let at =
            |scheme: Scheme| CurvePoints { panel: of.0, series: scheme.name(), metric: of.1, x: vec![x] };
        Number::Ratio(at(Scheme::Berp), at(Scheme::Standard))
    };
    Figure {
        id,
        title,
        params: params(
            choice,
            &[("losses", "on data alone: 1 % at each outer link, 10 % at the narrow ones")],
            seeds(scale),
        ),
        panels: [MEAN, CUT].map(|of| panel(of, "losses of the narrow link, %", x, run, scale)).into(),
        claims: vec![
            Claim {
                id: "C1",
                panel: MEAN.0,
                weight: Weight::Core,
                stated: "the windows are larger with BERP, on average over time after 10 s",
                expression: Expression::More(ratio(MEAN), 1.0),
            },
            Claim {
                id: "C2",
                panel: CUT.0,
                weight: Weight::Core,
                stated: "the median cut by a fast retransmit is smaller",
                expression: Expression::Less(ratio(CUT), 1.0),
            },
        ],
    }
}

/// A panel of one quantity, at one place.
pub(super) fn panel(
    (name, metric): (&'static str, Metric),
    label: &'static str,
    x: f64,
    run: impl Fn(Scheme) -> ChainRun,
    scale: StudyScale,
) -> Panel {
    let watch = Watch { paths: true, ..Watch::default() };
    let reader: fn(&anabranch_scenario::Scenario) -> Box<dyn Reader> = match metric {
        Metric::Share => |_| Box::new(Cuts::default()),
        _ => |_| Box::new(MeanWindow::default()),
    };
    let curve = |scheme: Scheme| {
        let observed = ObservedRun { scenario: run(scheme).scenario(), watch, reader };
        FigureCurve { name: scheme.name(), points: vec![(x, ValueSource::Observed(observed))] }
    };
    Panel {
        name,
        title: name.to_owned(),
        axis: Axis { label, spacing: Spacing::Even },
        metric,
        series: BOTH.map(curve).into(),
        seeds: seeds(scale),
        beside: &[],
    }
}

/// The mean of both paths' windows over time, in packets.
#[derive(Debug, Default)]
struct MeanWindow {
    paths: [Option<(Time, ByteCount)>; 2],
    /// Bytes times nanoseconds, and nanoseconds.
    sum: u128,
    time: u128,
}

impl MeanWindow {
    fn on_path(&mut self, at: Time, seen: &PathSeen) {
        let begin = Time::ZERO + DISCARDED;
        let Some(last) = self.paths.get_mut(seen.path) else { return };
        if let Some((since, window)) = last.replace((at, seen.cwnd)) {
            let span = u128::from(at.since(since.max(begin).min(at)).as_nanos());
            self.sum += span * u128::from(window.get());
            self.time += span;
        }
    }
}

impl Reader for MeanWindow {
    fn take(&mut self, seen: &Observation) {
        if let Some(path) = of_sender(seen) {
            self.on_path(seen.at, path);
        }
    }

    fn value(&self) -> f64 {
        self.sum as f64 / self.time as f64 / PACKET.get() as f64
    }
}

/// The parts of the window that cuts take, of those that leave more than a packet: a time-out leaves one.
#[derive(Debug, Default)]
struct Cuts {
    last: [ByteCount; 2],
    cuts: Vec<f64>,
}

impl Reader for Cuts {
    fn take(&mut self, seen: &Observation) {
        let Some(path) = of_sender(seen) else { return };
        let Some(last) = self.last.get_mut(path.path) else { return };
        let before = std::mem::replace(last, path.cwnd);
        if path.cwnd < before && path.cwnd > PACKET && seen.at >= Time::ZERO + DISCARDED {
            self.cuts.push(1.0 - path.cwnd.get() as f64 / before.get() as f64);
        }
    }

    fn value(&self) -> f64 {
        let mut cuts = self.cuts.clone();
        cuts.sort_by(f64::total_cmp);
        cuts.get(cuts.len() / 2).copied().unwrap_or_default()
    }
}

fn of_sender(seen: &Observation) -> Option<&PathSeen> {
    match &seen.what {
        Seen::Path(path) if path.flow == 0 && path.host == Host::First => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_sim::observe::{PathMeasurements, PathState};

    fn seen(seconds: u64, path: usize, packets: u64) -> Observation {
        let seen = PathSeen {
            flow: 0,
            path,
            host: Host::First,
            state: PathState::Active,
            cwnd: PACKET * packets,
            ssthresh: PACKET,
            flight: ByteCount::ZERO,
            srtt: None,
            rto: Duration::from_secs(1),
            measured: PathMeasurements::default(),
        };
        Observation { at: Time::ZERO + Duration::from_secs(seconds), what: Seen::Path(seen) }
    }

    #[test]
    fn windows_weigh_with_their_time_after_the_first_ten_seconds() {
        let mut mean = MeanWindow::default();
        [seen(0, 0, 40), seen(12, 0, 10), seen(16, 0, 10), seen(0, 1, 4), seen(16, 1, 4)]
            .iter()
            .for_each(|seen| mean.take(seen));
        // Path 0: 2 s of 40 and 4 s of 10; path 1: 6 s of 4.
        assert!((mean.value() - (80.0 + 40.0 + 24.0) / 12.0).abs() < 1e-9, "{}", mean.value());
    }

    #[test]
    fn cuts_of_time_outs_and_of_the_beginning_do_not_count() {
        let mut cuts = Cuts::default();
        [
            seen(5, 0, 20),
            seen(6, 0, 10),
            seen(12, 0, 4),
            seen(13, 0, 1),
            seen(14, 0, 8),
            seen(15, 0, 6),
            seen(15, 1, 9),
        ]
        .iter()
        .for_each(|seen| cuts.take(seen));
        assert_eq!(cuts.cuts, [0.6, 0.25]);
        assert_eq!(cuts.value(), 0.6);
    }
}
