//! The values of a figure: one for each seed at each place of each curve.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::by_seed::BySeed;

/// A quantity that is read from a run, or computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// The transfer's time, in seconds.
    Time,
    /// Data delivered once and in order, in Mbit/s of whole packets, as models count it.
    Throughput,
    /// The same of the first flow alone.
    FirstFlow,
    /// The first flow's part of what the first two delivered, from 0 to 1.
    ShareOfFirst,
    /// The amount one of two exceeds the other, in percent.
    Gain,
    /// A path's window limit, in packets.
    Limit,
    /// The number of combinations a search tries.
    Combinations,
    /// The number of states a chain has.
    States,
    /// Of a million windows, how many lose more packets than a sender takes for chance.
    LossyWindows,
    /// Milliseconds of this machine's time.
    SolveTime,
    /// The number of SACKs that left because their delay ran out.
    SacksByTimer,
    /// The share of the SACKs received that acknowledged chunks of more than one path.
    SharedSacks,
    /// The number of chunks that were marked lost by missing reports.
    FastRetransmits,
    /// The number of expirations of T3-rtx.
    Timeouts,
    /// Packets that arrived for the first time after the warm-up, of all flows (M-MET-2).
    GoodputPackets,
    /// Bytes that both hosts sent for each byte delivered (M-MET-4).
    TrRatio,
    /// ECNE chunks that receivers sent, over the whole run.
    EcnEchoes,
    /// The number of window cuts by reports of marks, over the whole run.
    EcnCuts,
    /// Packets that wait at the link where most do, on average.
    MeanQueue,
    /// The number of window cuts for marks of one congestion epoch.
    CutsOfEpoch,
    /// A number of packets that a rule gives.
    Packets,
    /// A number of bytes that a rule gives.
    Bytes,
    /// The number of window cuts.
    Cuts,
    /// When something happened, in seconds.
    Moment,
    /// A part of a whole, from 0 to 1.
    Share,
    /// Throughput in kbit/s.
    Kilobits,
    /// A number of seconds.
    Seconds,
    /// The time packets are under way, in milliseconds.
    Delay,
}

/// The values of all panels: `y[panel, series, metric][x]`, one value a seed.
#[derive(Clone, Debug, Default)]
pub struct Results {
    curves: BTreeMap<(&'static str, &'static str, Metric), BTreeMap<AxisValue, BySeed>>,
}

/// A place on an axis: a number, in the numbers' order.
#[derive(Clone, Copy, Debug)]
struct AxisValue(f64);

/// Points of a curve.
#[derive(Clone, Debug)]
pub struct CurvePoints {
    /// The panel's name.
    pub panel: &'static str,
    /// The series' name.
    pub series: &'static str,
    /// The quantity.
    pub metric: Metric,
    /// Where; several places stand for their mean.
    pub x: Vec<f64>,
}

impl Results {
    /// Takes the values of one point.
    pub fn add(
        &mut self,
        panel: &'static str,
        series: &'static str,
        metric: Metric,
        x: f64,
        values: Vec<f64>,
    ) {
        if let Some(sample) = BySeed::new(values) {
            self.curves.entry((panel, series, metric)).or_default().insert(AxisValue::at(x), sample);
        }
    }

    /// A point of a curve; `None` where nothing was measured.
    pub fn point(
        &self,
        panel: &'static str,
        series: &'static str,
        metric: Metric,
        x: f64,
    ) -> Option<&BySeed> {
        self.curves.get(&(panel, series, metric))?.get(&AxisValue::at(x))
    }

    /// Where a curve has points, in their order.
    pub fn axis(&self, panel: &'static str, series: &'static str, metric: Metric) -> Vec<f64> {
        let curve = self.curves.get(&(panel, series, metric));
        curve.map(|points| points.keys().map(|place| place.0).collect()).unwrap_or_default()
    }

    /// The mean over some points, seed by seed; `None` where one was not measured.
    pub fn at(&self, at: &CurvePoints) -> Option<BySeed> {
        let points = at.x.iter().map(|x| self.point(at.panel, at.series, at.metric, *x));
        BySeed::average(&points.collect::<Option<Vec<&BySeed>>>()?)
    }
}

impl Metric {
    /// The quantity and its unit.
    pub fn label(self) -> &'static str {
        match self {
            Metric::Time => "transfer time in s",
            Metric::Throughput => "throughput in Mbit/s of whole packets",
            Metric::FirstFlow => "throughput of the first flow in Mbit/s of whole packets",
            Metric::ShareOfFirst => "part of what both deliver",
            Metric::Gain => "difference in %",
            Metric::Limit => "window limit in packets",
            Metric::Combinations => "combinations tried",
            Metric::States => "states",
            Metric::LossyWindows => "windows of a million",
            Metric::SolveTime => "milliseconds of one core",
            Metric::SacksByTimer => "SACKs by timer",
            Metric::SharedSacks => "share of SACKs of several paths",
            Metric::FastRetransmits => "chunks marked lost by missing reports",
            Metric::Timeouts => "time-outs",
            Metric::GoodputPackets => "packets received once after the warm-up",
            Metric::TrRatio => "bytes sent by both hosts per byte delivered",
            Metric::EcnEchoes => "ECNE chunks",
            Metric::EcnCuts => "cuts by reports of marks",
            Metric::MeanQueue => "waiting packets on average",
            Metric::CutsOfEpoch => "cuts per congestion epoch",
            Metric::Packets => "packets",
            Metric::Bytes => "bytes",
            Metric::Cuts => "cuts",
            Metric::Moment => "moment in s",
            Metric::Share => "share",
            Metric::Kilobits => "throughput in kbit/s",
            Metric::Seconds => "seconds",
            Metric::Delay => "delay in ms",
        }
    }
}

impl AxisValue {
    /// −0 and 0 are one place.
    fn at(x: f64) -> AxisValue {
        AxisValue(x + 0.0)
    }
}

impl PartialEq for AxisValue {
    fn eq(&self, other: &AxisValue) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for AxisValue {}

impl PartialOrd for AxisValue {
    fn partial_cmp(&self, other: &AxisValue) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AxisValue {
    fn cmp(&self, other: &AxisValue) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
