//! The table of a sweep: one row for each run, in the order of points and seeds, regardless of the order in which they
//! ended. Rows are read from the journal one by one, so that a table takes the memory of one group of rows.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anabranch_sim::{Estimate, Summary};
use arrow_array::RecordBatch;

use super::journal::JournalRow;
use super::key::ScenarioKey;
use super::{Sweep, SweepError};
use crate::cell::{Cell, CellKind};
use crate::columns::ColumnInfo;
use crate::table::{
    Places, RowBatch, TableError, TableWriter, column, program_column, rows_of_a_group, seed_column,
};

/// The files and the size of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The table as Parquet and CSV, and the list of its columns; empty for a sweep without a folder.
    pub files: Vec<PathBuf>,
    /// The number of rows.
    pub rows: u64,
    /// The number of rows by program.
    pub programs: BTreeMap<String, u64>,
}

/// The summary of a point over its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSummary {
    /// The index of the point.
    pub point: usize,
    /// The value of each axis.
    pub values: Vec<String>,
    /// The number of its runs.
    pub runs: u64,
    /// The estimates of its flows.
    pub flows: Vec<FlowEstimate>,
}

/// The estimate of a flow over the runs of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowEstimate {
    /// The name.
    pub name: String,
    /// The goodput in bit/s.
    pub goodput_bps: Estimate,
}

/// A row of the table with its point and seed.
struct TableRow {
    program: String,
    cells: Vec<Cell>,
}

impl Sweep {
    /// The columns of the table: point, settings, seed, program, and the results of all points.
    pub fn columns(&self) -> Vec<ColumnInfo> {
        let point = column("point", CellKind::Whole, "number of the grid's point, from 0");
        let settings = self.grid.axes().iter().map(super::Axis::column);
        let known = [seed_column(), program_column()];
        std::iter::once(point).chain(settings).chain(known).chain(self.results.iter().cloned()).collect()
    }

    /// Writes the rows of all runs that count into the sweep's folder, and calls `on_point` for each point.
    ///
    /// # Errors
    /// The journal cannot be read, or a file cannot be written.
    pub fn write_table(&self, mut on_point: impl FnMut(&PointSummary)) -> Result<Written, SweepError> {
        let columns = self.columns();
        let mut written = Written { files: Vec::new(), rows: 0, programs: BTreeMap::new() };
        let folder = self.folder.as_deref();
        let mut table = folder.map(|folder| TableWriter::create(folder, columns.clone())).transpose()?;
        let mut reader = RowReader::new(self, columns);
        for point in 0..self.points() {
            let mut goodputs: Vec<Summary> = Vec::new();
            for run in 0..self.job(point).counted() {
                let row = reader.row(point, run)?;
                goodputs.resize(reader.flows.len(), Summary::default());
                for (flow, (_, at)) in goodputs.iter_mut().zip(&reader.flows) {
                    if let Some(Cell::Number(goodput)) = row.cells.get(*at) {
                        flow.add(*goodput);
                    }
                }
                if let Some(table) = &mut table {
                    table.push(&row.cells)?;
                }
                written.rows += 1;
                *written.programs.entry(row.program).or_default() += 1;
            }
            on_point(&self.summary(point, &reader.flows, &goodputs));
        }
        written.files = table.map(TableWriter::finish).transpose()?.unwrap_or_default();
        Ok(written)
    }

    /// The rows of all runs that count, as Arrow batches of a group of rows each.
    pub fn record_batches(&self) -> impl Iterator<Item = Result<RecordBatch, SweepError>> {
        let columns = self.columns();
        let most = rows_of_a_group(columns.len());
        let mut reader = RowReader::new(self, columns.clone());
        let mut runs =
            (0..self.points()).flat_map(|point| (0..self.job(point).counted()).map(move |run| (point, run)));
        std::iter::from_fn(move || {
            let mut batch = RowBatch::new(&columns);
            for (point, run) in runs.by_ref().take(most) {
                match reader.row(point, run) {
                    Ok(row) => batch.push(&row.cells),
                    Err(error) => return Some(Err(error)),
                }
            }
            (batch.len() > 0).then(|| batch.finish().map_err(|error| TableError::in_memory(error).into()))
        })
    }

    /// The goodputs of the flows of a run that is present, in order.
    pub(super) fn goodputs(&self, key: ScenarioKey, seed: u64) -> Result<Vec<f64>, SweepError> {
        let Some(row) = self.journal.row(key, seed)? else { return Ok(Vec::new()) };
        let cells = row.columns.iter().zip(&row.cells);
        Ok(cells
            .filter(|(name, _)| flow_of(name).is_some())
            .filter_map(|(_, cell)| cell.parse().ok())
            .collect())
    }

    fn job(&self, point: usize) -> &super::Job {
        &self.jobs[self.points[point]]
    }

    fn summary(&self, point: usize, flows: &[(String, usize)], goodputs: &[Summary]) -> PointSummary {
        let indices = self.grid.indices(point);
        let values = self.grid.axes().iter().zip(indices).map(|(axis, value)| axis.values()[value].clone());
        let flows = flows.iter().zip(goodputs).filter_map(|((name, _), goodput)| {
            Some(FlowEstimate { name: name.clone(), goodput_bps: goodput.estimate()? })
        });
        PointSummary {
            point,
            values: values.collect(),
            runs: self.job(point).counted(),
            flows: flows.collect(),
        }
    }
}

impl Written {
    /// A warning if rows are from several versions of the program.
    pub fn warning(&self) -> Option<String> {
        let counts = self.programs.iter().map(|(program, rows)| format!("{rows} by {program}"));
        (self.programs.len() > 1).then(|| {
            format!(
                "the rows come from several versions of the program: {}; the column `program` tells which",
                counts.collect::<Vec<_>>().join(", ")
            )
        })
    }
}

/// Converts rows of the journal to rows of the table.
struct RowReader<'s> {
    sweep: &'s Sweep,
    columns: Vec<ColumnInfo>,
    /// The cells of the axes' values.
    settings: Vec<Vec<Cell>>,
    /// The flows, with the columns of their goodput.
    flows: Vec<(String, usize)>,
    /// The positions of the last row's cells, with its list of columns.
    last: Option<(Arc<[String]>, Places)>,
}

impl<'s> RowReader<'s> {
    fn new(sweep: &'s Sweep, columns: Vec<ColumnInfo>) -> RowReader<'s> {
        let named = columns.iter().enumerate();
        let flows = named.filter_map(|(at, column)| Some((flow_of(&column.name)?.to_owned(), at)));
        RowReader {
            sweep,
            flows: flows.collect(),
            settings: sweep.grid.axes().iter().map(super::Axis::cells).collect(),
            columns,
            last: None,
        }
    }

    fn row(&mut self, point: usize, run: u64) -> Result<TableRow, SweepError> {
        let (key, seed) = (self.sweep.job(point).key, self.sweep.seed + run);
        let row = self.sweep.journal.row(key, seed)?;
        let JournalRow { program, columns, cells } = row.unwrap_or_else(|| JournalRow {
            program: String::new(),
            columns: [].into(),
            cells: Vec::new(),
        });
        let mut row = self.spread(&columns, &cells);
        let indices = self.sweep.grid.indices(point);
        row[0] = Cell::Whole(point as u64);
        for (index, (cells, value)) in self.settings.iter().zip(indices).enumerate() {
            row[1 + index] = cells[value].clone();
        }
        row[1 + self.settings.len()] = Cell::Whole(seed);
        row[2 + self.settings.len()] = Cell::text(program.as_str());
        Ok(TableRow { program, cells: row })
    }

    /// Puts the cells of a row into the columns of the table. A cell that does not fit its column's kind becomes
    /// missing: another version of the program wrote it.
    fn spread(&mut self, names: &Arc<[String]>, cells: &[String]) -> Vec<Cell> {
        if self.last.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, names)) {
            let places = Places::of(names.iter().map(String::as_str), &self.columns);
            self.last = Some((names.clone(), places));
        }
        let mut row = vec![Cell::Missing; self.columns.len()];
        let Some((_, places)) = &self.last else { return row };
        for (cell, place) in cells.iter().zip(places.of_cells()) {
            if let Some(at) = place {
                row[*at] = Cell::read(cell, self.columns[*at].kind).unwrap_or(Cell::Missing);
            }
        }
        row
    }
}

/// The flow whose goodput a column has; `None` for other columns.
fn flow_of(column: &str) -> Option<&str> {
    column.strip_suffix(".goodput_bps").filter(|flow| !flow.contains('.'))
}
