//! The curves of a panel as a table in CSV: a row for each point, with its mean, the half of its 95 % interval and the number of its
//! runs. Such tables are committed in docs/figures/, and points of them are drawn anew to see whether they still hold.

use super::by_seed::BySeed;
use super::figure::{Origin, Panel, ValueSource};
use super::{FigureResult, svg};

/// The columns.
const COLUMNS: [&str; 6] = ["series", "source", "x", "mean", "ci95", "n"];

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveRow {
    /// The curve.
    pub series: String,
    /// Where its value comes from: `simulated`, `computed` from runs, a `model`, runs of `ns-2`, the `paper`, or `timed` on a
    /// machine.
    pub source: String,
    /// The place on the axis.
    pub x: f64,
    /// The mean over the runs.
    pub mean: f64,
    /// The half of the mean's 95 % interval; 0 without chance.
    pub ci95: f64,
    /// The number of runs.
    pub n: usize,
}

/// A table that is not one.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of a table of curves: {what}")]
pub struct CurveTableError {
    line: u64,
    what: String,
}

/// The file's name of a panel: letters, digits and hyphens.
pub fn file_name(figure: &str, panel: &Panel) -> String {
    svg::file_name(figure, panel).replace(".svg", ".csv")
}

/// The name of the file with the columns beside the curves, from that of the curves.
pub(crate) fn beside_file_name(curves: &str) -> String {
    curves.replace(".csv", "-beside.csv")
}

/// The rows of a panel, curve by curve.
pub fn rows(result: &FigureResult, panel: &Panel) -> Vec<CurveRow> {
    let of_series = panel.series.iter().flat_map(|series| {
        series.points.iter().filter_map(move |(x, source)| {
            let point = result.results.point(panel.name, series.name, panel.metric, *x)?;
            Some(CurveRow::of(series.name, source, *x, point))
        })
    });
    of_series.collect()
}

/// The table of these rows; floats are the shortest that read as the same numbers.
pub fn text(rows: &[CurveRow]) -> String {
    let cells = |row: &CurveRow| {
        let CurveRow { series, source, x, mean, ci95, n } = row;
        vec![series.clone(), source.clone(), x.to_string(), mean.to_string(), ci95.to_string(), n.to_string()]
    };
    csv_of(std::iter::once(COLUMNS.map(str::to_owned).to_vec()).chain(rows.iter().map(cells)))
}

/// CSV with these rows, the head first.
pub(super) fn csv_of(rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory does not fail.
        let _ = writer.write_record(row);
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Reads a table.
///
/// # Errors
/// The first line that is not a row.
pub fn read(text: &str) -> Result<Vec<CurveRow>, CurveTableError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().enumerate().map(|(index, record)| {
        let fault = |what: String| CurveTableError { line: index as u64 + 2, what };
        let record = record.map_err(|error| fault(error.to_string()))?;
        let cell = |index: usize| record.get(index).unwrap_or_default();
        let number = |index: usize| cell(index).parse::<f64>().map_err(|error| fault(error.to_string()));
        Ok(CurveRow {
            series: cell(0).to_owned(),
            source: cell(1).to_owned(),
            x: number(2)?,
            mean: number(3)?,
            ci95: number(4)?,
            n: cell(5).parse().map_err(|error: std::num::ParseIntError| fault(error.to_string()))?,
        })
    });
    rows.collect()
}

impl CurveRow {
    fn of(series: &str, source: &ValueSource, x: f64, point: &BySeed) -> CurveRow {
        let interval = point.interval();
        CurveRow {
            series: series.to_owned(),
            source: source_name(source).to_owned(),
            x,
            mean: point.mean(),
            ci95: interval.half,
            n: point.values().len(),
        }
    }

    /// Returns true if another drawing of the point has the same numbers, but for the last digits.
    pub fn is_same(&self, other: &CurveRow) -> bool {
        let is_near = |one: f64, other: f64| {
            one == other
                || (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
                || one.is_nan() && other.is_nan()
        };
        self.n == other.n && is_near(self.mean, other.mean) && is_near(self.ci95, other.ci95)
    }

    /// Returns true if it can be drawn anew at all: what a machine took for something differs each time.
    pub fn is_repeatable(&self) -> bool {
        self.source != TIMED
    }
}

fn source_name(source: &ValueSource) -> &'static str {
    match source {
        ValueSource::Run(_) | ValueSource::Observed(_) => "simulated",
        ValueSource::Computed(_) | ValueSource::Gain { .. } | ValueSource::Sum(_) => "computed",
        ValueSource::Given(Origin::Model, _) => "model",
        ValueSource::Given(Origin::Ns2, _) => "ns-2",
        ValueSource::Given(Origin::Paper, _) => "paper",
        ValueSource::Timed(_) => TIMED,
    }
}

const TIMED: &str = "timed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_as_it_was_written() {
        let row = |series: &str, mean| CurveRow {
            series: series.to_owned(),
            source: "simulated".to_owned(),
            x: 0.1 + 0.2,
            mean,
            ci95: 1.0 / 3.0,
            n: 30,
        };
        let rows = vec![row("a, with \"quotes\"", 1e-9), row("b", 12_345.678)];
        assert_eq!(read(&text(&rows)).expect("a table"), rows);
        let error =
            read("series,source,x,mean,ci95,n\na,model,1,x,0,1\n").expect_err("no number").to_string();
        assert!(error.starts_with("line 2 of a table of curves"), "{error}");
        assert!(read("series,source,x,mean,ci95,n\na,model\n").is_err());
    }

    #[test]
    fn a_point_is_the_same_but_for_its_last_digits() {
        let row = CurveRow { series: "a".into(), source: "model".into(), x: 1.0, mean: 3.0, ci95: 0.0, n: 1 };
        assert!(row.is_same(&CurveRow { mean: 3.0 + 1e-12, ..row.clone() }));
        assert!(!row.is_same(&CurveRow { mean: 3.0 + 1e-6, ..row.clone() }));
        assert!(!row.is_same(&CurveRow { ci95: 1e-6, ..row.clone() }));
        assert!(!row.is_same(&CurveRow { n: 2, ..row.clone() }));
    }
}
