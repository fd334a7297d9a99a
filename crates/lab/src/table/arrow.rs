//! Rows as Arrow columns in memory, from which Parquet is written and which Python takes without a copy.

use std::collections::HashMap;
use std::sync::Arc;

use anabranch_sim::RunResult;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::PROGRAM;
use crate::cell::{Cell, CellKind};
use crate::columns::{ColumnInfo, cells_of, columns_of, have_same_columns, union};

/// The column of each row's seed.
pub(crate) fn seed_column() -> ColumnInfo {
    column("seed", CellKind::Seed, "seed of the run: the same scenario and seed give the same row")
}

/// The column of the program that made each row.
pub(crate) fn program_column() -> ColumnInfo {
    column("program", CellKind::Text, "program and version that made the run")
}

/// A column without a unit.
pub(crate) fn column(name: &str, kind: CellKind, meaning: &str) -> ColumnInfo {
    ColumnInfo { name: name.to_owned(), unit: String::new(), kind, meaning: meaning.to_owned() }
}

/// The schema of a table. Each field carries its `unit` and its `meaning`; every cell may be missing.
pub fn schema(columns: &[ColumnInfo]) -> SchemaRef {
    let field = |column: &ColumnInfo| {
        let about = [("unit", &column.unit), ("meaning", &column.meaning)];
        let about = about.into_iter().map(|(key, text)| (key.to_owned(), text.clone()));
        // Arrow keeps a field's metadata in a hash map, and writes it in the order of its keys.
        #[allow(clippy::disallowed_types, reason = "the type that Arrow takes; nothing iterates it")]
        let about = about.collect::<HashMap<_, _>>();
        Field::new(&column.name, data_type(column.kind), true).with_metadata(about)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// The runs as one table: `seed`, `program`, and the columns of their results; a run has no value in columns of flows,
/// paths or links of other runs.
///
/// # Errors
/// Columns that Arrow refuses.
pub fn results_batch(results: &[RunResult]) -> Result<RecordBatch, ArrowError> {
    // Thousands of runs of one scenario share their columns.
    let mut shapes: Vec<(&RunResult, Vec<ColumnInfo>)> = Vec::new();
    let mut shape_of = Vec::with_capacity(results.len());
    for result in results {
        let known = shapes.iter().position(|(first, _)| have_same_columns(first, result));
        shape_of.push(known.unwrap_or(shapes.len()));
        if known.is_none() {
            shapes.push((result, columns_of(result)));
        }
    }
    let mut columns = vec![seed_column(), program_column()];
    columns.extend(union(shapes.iter().map(|(_, own)| own.as_slice())));
    let places: Vec<Places> = shapes
        .iter()
        .map(|(_, own)| Places::of(own.iter().map(|column| column.name.as_str()), &columns))
        .collect();
    let mut rows = RowBatch::new(&columns);
    for (result, shape) in results.iter().zip(shape_of) {
        let mut cells = places[shape].spread(cells_of(result));
        cells[0] = Cell::Whole(result.seed);
        cells[1] = Cell::text(PROGRAM);
        rows.push(&cells);
    }
    rows.finish()
}

/// The positions of a row's cells in a table with more columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// For each cell its column; `None` if the table lacks it.
    of_cells: Vec<Option<usize>>,
    columns: usize,
}

impl Places {
    /// The positions of cells with these names.
    pub(crate) fn of<'n>(names: impl Iterator<Item = &'n str>, columns: &[ColumnInfo]) -> Places {
        let known: std::collections::BTreeMap<&str, usize> =
            columns.iter().enumerate().map(|(index, column)| (column.name.as_str(), index)).collect();
        Places { of_cells: names.map(|name| known.get(name).copied()).collect(), columns: columns.len() }
    }

    /// The column of each cell.
    pub(crate) fn of_cells(&self) -> &[Option<usize>] {
        &self.of_cells
    }

    /// A row of the table; its other cells are missing.
    pub(crate) fn spread(&self, cells: Vec<Cell>) -> Vec<Cell> {
        let mut row = vec![Cell::Missing; self.columns];
        for (cell, place) in cells.into_iter().zip(&self.of_cells) {
            if let Some(at) = place {
                row[*at] = cell;
            }
        }
        row
    }
}

/// Rows to become one record batch.
pub(crate) struct RowBatch {
    schema: SchemaRef,
    builders: Vec<CellBuilder>,
    rows: usize,
}

enum CellBuilder {
    Whole(Int64Builder),
    Number(Float64Builder),
    Seed(UInt64Builder),
    Text(StringBuilder),
}

impl RowBatch {
    /// A batch without rows.
    pub(crate) fn new(columns: &[ColumnInfo]) -> RowBatch {
        let builders = columns.iter().map(|column| CellBuilder::of(column.kind)).collect();
        RowBatch { schema: schema(columns), builders, rows: 0 }
    }

    /// Adds a row, one cell a column. A cell that does not fit its column's kind becomes missing.
    pub(crate) fn push(&mut self, cells: &[Cell]) {
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            builder.push(cell);
        }
        self.rows += 1;
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// The rows as a batch.
    ///
    /// # Errors
    /// Columns that Arrow refuses.
    pub(crate) fn finish(self) -> Result<RecordBatch, ArrowError> {
        let arrays = self.builders.into_iter().map(CellBuilder::finish).collect();
        RecordBatch::try_new(self.schema, arrays)
    }
}

impl CellBuilder {
    fn of(kind: CellKind) -> CellBuilder {
        match kind {
            CellKind::Whole => CellBuilder::Whole(Int64Builder::new()),
            CellKind::Number => CellBuilder::Number(Float64Builder::new()),
            CellKind::Seed => CellBuilder::Seed(UInt64Builder::new()),
            CellKind::Text => CellBuilder::Text(StringBuilder::new()),
        }
    }

    fn push(&mut self, cell: &Cell) {
        match (self, cell) {
            (CellBuilder::Whole(builder), Cell::Whole(value)) => {
                builder.append_option(i64::try_from(*value).ok());
            }
            (CellBuilder::Number(builder), Cell::Number(value)) => builder.append_value(*value),
            (CellBuilder::Seed(builder), Cell::Whole(value)) => builder.append_value(*value),
            (CellBuilder::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (CellBuilder::Whole(builder), _) => builder.append_null(),
            (CellBuilder::Number(builder), _) => builder.append_null(),
            (CellBuilder::Seed(builder), _) => builder.append_null(),
            (CellBuilder::Text(builder), _) => builder.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            CellBuilder::Whole(mut builder) => Arc::new(builder.finish()),
            CellBuilder::Number(mut builder) => Arc::new(builder.finish()),
            CellBuilder::Seed(mut builder) => Arc::new(builder.finish()),
            CellBuilder::Text(mut builder) => Arc::new(builder.finish()),
        }
    }
}

fn data_type(kind: CellKind) -> DataType {
    match kind {
        // Signed: differences of unsigned numbers wrap around in the programs that read tables.
        CellKind::Whole => DataType::Int64,
        CellKind::Number => DataType::Float64,
        CellKind::Seed => DataType::UInt64,
        CellKind::Text => DataType::Utf8,
    }
}

#[cfg(test)]
mod tests {
    use anabranch_sim::{Run, Watch};
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type, UInt64Type};

    use super::*;
    use crate::load::{Origin, Purpose, load_bytes};

    fn run(link: &str, seed: u64) -> RunResult {
        let text = format!(
            "run = {{ time = \"1 s\" }}\n[[link]]\nname = \"{link}\"\nrate = \"1 Mbit/s\"\n[[flow]]\n"
        );
        let loaded = load_bytes(
            text.as_bytes(),
            Origin::of_text("text", None),
            &[],
            Purpose::Flows,
            &anabranch_planner::live::registry(),
        );
        let scenario = loaded.expect("a sound scenario").scenario;
        Run::new(&scenario, seed, Watch::default()).expect("it can be run").to_end()
    }

    #[test]
    fn runs_are_rows_whose_foreign_columns_are_empty() {
        let results = [run("a", 7), run("b", u64::MAX)];
        let batch = results_batch(&results).expect("a table");
        let number =
            |name: &str| batch.column_by_name(name).expect(name).as_primitive::<Float64Type>().clone();
        let whole = |name: &str| batch.column_by_name(name).expect(name).as_primitive::<Int64Type>().clone();
        let seeds = batch.column_by_name("seed").expect("it").as_primitive::<UInt64Type>();
        assert_eq!(seeds.values(), &[7, u64::MAX]);
        assert_eq!(number("main.goodput_bps").value(1), results[1].flows[0].goodput_bps);
        let sent = whole("main.b.sent_packets");
        assert!(sent.is_null(0) && sent.value(1) > 0);
        assert_eq!(batch.column_by_name("program").expect("it").as_string::<i32>().value(0), PROGRAM);
    }

    #[test]
    fn every_field_says_its_unit_and_meaning() {
        let batch = results_batch(&[run("a", 1)]).expect("a table");
        let schema = batch.schema();
        let about = schema.field_with_name("main.a.mean_cwnd_bytes").expect("it").metadata();
        assert_eq!(
            (about["unit"].as_str(), about["meaning"].as_str()),
            ("B", "congestion window, averaged over time")
        );
    }

    #[test]
    fn no_runs_are_an_empty_table() {
        let batch = results_batch(&[]).expect("a table");
        assert_eq!((batch.num_rows(), batch.num_columns()), (0, 2));
    }
}
