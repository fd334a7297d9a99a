//! A figure as a record: what is run, what is drawn over what, and what is claimed of it. It knows no scenario's
//! meaning and judges nothing.

use std::collections::BTreeMap;

use super::by_seed::BySeed;
use super::claim::Claim;

/// A figure of a paper, of one or several panels.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name in the atlas.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What was fixed before anything was run.
    pub params: Vec<(&'static str, String)>,
    /// What goes along the axis, and its unit.
    pub sweep: &'static str,
    /// What is measured, and its unit.
    pub metric: &'static str,
    /// What is run.
    pub panels: Vec<Panel>,
    /// What is said of it.
    pub claims: Vec<Claim>,
}

/// Curves over one axis.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its letter or word; empty where there is but one.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// Its curves.
    pub series: Vec<Series>,
    /// How many seeds each point has.
    pub seeds: u64,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it shows.
    pub name: &'static str,
    /// Where on the axis, and the scenario there.
    pub points: Vec<(i32, String)>,
}

/// What was read from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// The transfer's time, in seconds.
    Time,
    /// How many SACKs left because their delay ran out.
    SacksByTimer,
    /// The share of the SACKs received that acknowledged chunks of more than one path.
    SharedSacks,
    /// How many chunks were marked lost by missing reports.
    FastRetransmits,
    /// How often T3-rtx expired.
    Timeouts,
}

/// What all panels came to: `y[panel, series, metric][x]`, one value a seed.
#[derive(Clone, Debug, Default)]
pub struct Results {
    curves: BTreeMap<(&'static str, &'static str, Metric), BTreeMap<i32, BySeed>>,
}

/// Points of a curve.
#[derive(Clone, Debug)]
pub struct At {
    /// The panel's name.
    pub panel: &'static str,
    /// The series' name.
    pub series: &'static str,
    /// What is looked at.
    pub metric: Metric,
    /// Where; several places stand for their mean.
    pub x: Vec<i32>,
}

impl Results {
    /// Takes the values of one point.
    pub fn add(
        &mut self,
        panel: &'static str,
        series: &'static str,
        metric: Metric,
        x: i32,
        values: Vec<f64>,
    ) {
        if let Some(sample) = BySeed::new(values) {
            self.curves.entry((panel, series, metric)).or_default().insert(x, sample);
        }
    }

    /// A point of a curve; `None` where nothing was measured.
    pub fn point(
        &self,
        panel: &'static str,
        series: &'static str,
        metric: Metric,
        x: i32,
    ) -> Option<&BySeed> {
        self.curves.get(&(panel, series, metric))?.get(&x)
    }

    /// Where a curve of times has points.
    pub fn axis(&self, panel: &'static str, series: &'static str) -> Vec<i32> {
        let curve = self.curves.get(&(panel, series, Metric::Time));
        curve.map(|points| points.keys().copied().collect()).unwrap_or_default()
    }

    /// The mean over some points, seed by seed; `None` where one was not measured.
    pub fn at(&self, at: &At) -> Option<BySeed> {
        let points = at.x.iter().map(|x| self.point(at.panel, at.series, at.metric, *x));
        BySeed::average(&points.collect::<Option<Vec<&BySeed>>>()?)
    }
}
