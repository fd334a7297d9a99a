//! The report pages of a run and of a measurement: results as tables and zoomable charts over time, in one file that needs
//! no network.

mod bands;
mod data;
mod envelope;
mod headline;
mod held;
mod marks;
mod measured;
mod page;
mod results;
mod runs;
mod series;
mod slow;
mod stations;
mod sums;
mod table;

use std::io::{self, Write};

use anabranch_base::Time;
use anabranch_sim::observe::Observation;
use anabranch_sim::result::RunResult;

use super::About;
pub(crate) use measured::measurement_page;
use page::Page;
use series::RunSeries;

/// The report of a run in progress. The size does not grow with the run.
#[derive(Debug)]
pub struct ReportSink {
    series: RunSeries,
}

impl ReportSink {
    /// Begins the report of a run.
    pub fn new(about: &About<'_>) -> ReportSink {
        ReportSink { series: RunSeries::new(about.scenario) }
    }

    /// Adds an observation.
    pub fn take(&mut self, observation: &Observation) {
        self.series.take(observation);
    }

    /// Writes the page of the run that ended with `result`; `runs` are all replications, where there are several.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(
        mut self,
        mut out: impl Write,
        about: &About<'_>,
        result: &RunResult,
        runs: &[RunResult],
    ) -> io::Result<()> {
        let bin = self.series.align();
        self.series.air.align();
        let flows: Vec<String> = result.flows.iter().map(|flow| flow.name.clone()).collect();
        let end = Time::ZERO + result.time;
        let marks = marks::marks(about.scenario, &self.series.state_changes, &flows, end);
        let bands = bands::bands(about.scenario, result.seed, end);
        let events = data::RunEvents { marks: &marks, bands: &bands };
        let data = data::ChartData::new(about.scenario, &self.series, bin, &flows, events, end);
        let page = Page::new(about, result, runs, &self.series, &marks, data.to_json());
        page.write_into(&mut out)?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;
    use anabranch_sim::observe::Step;

    use super::*;
    use crate::testing::{self, data};

    fn written(about: &About<'_>, result: &RunResult, observations: &[Observation]) -> String {
        let mut sink = ReportSink::new(about);
        observations.iter().for_each(|observation| sink.take(observation));
        let mut page = Vec::new();
        sink.finish(&mut page, about, result, &[]).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn no_name_and_no_title_becomes_markup() {
        let evil = "</title></script><script>alert(1)</script>\"'&";
        let mut scenario = testing::scenario();
        evil.clone_into(&mut scenario.title);
        evil.clone_into(&mut scenario.paths[0].name);
        evil.clone_into(&mut scenario.links[0].name);
        let mut result = testing::result();
        evil.clone_into(&mut result.flows[0].name);
        evil.clone_into(&mut result.links[0].name);
        result.flows[0].failure = Some(evil.to_owned());
        let about = About { name: evil, command: evil, source: Some(evil), ..testing::about(&scenario) };
        let page = written(&about, &result, &[data(Time::ZERO, &[1], Step::Sent)]);
        assert!(!page.contains("<script>alert") && !page.contains("</title></script>"));
        assert_eq!(page.matches("<script").count(), 3, "data, library, scripts");
    }

    #[test]
    fn the_page_names_no_other_host() {
        let scenario = testing::scenario();
        let page = written(&testing::about(&scenario), &testing::result(), &[]);
        assert!(!page.contains("://"), "an address of a network");
        assert!(page.contains("default-src 'none'"), "what forbids to load anything");
    }

    #[test]
    fn a_page_stays_small_however_much_was_seen() {
        let scenario = testing::scenario();
        let packet = |n: u32| {
            let at = Time::ZERO + Duration::from_micros(200) * u64::from(n);
            let delay = Duration::from_micros(20_000 + u64::from(n.wrapping_mul(2_654_435_761) >> 16));
            let step = if n.is_multiple_of(2) { Step::Sent } else { Step::Arrived { delay } };
            data(at, &[n], step)
        };
        let packets: Vec<Observation> = (0..300_000).map(packet).collect();
        let page = written(&testing::about(&scenario), &testing::result(), &packets);
        assert!(page.len() < 2_300_000, "{} bytes", page.len());
    }

    #[test]
    fn a_run_of_no_time_has_a_page() {
        let scenario = testing::scenario();
        let result = RunResult { time: Duration::ZERO, flows: vec![], ..testing::result() };
        assert!(written(&testing::about(&scenario), &result, &[]).contains("Two paths"));
    }
}
