//! The files of a table: Parquet, CSV, and the list of its columns. Each is renamed into place when it is whole and on
//! disk, so that a table is never partial.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anabranch_files::{WholeFile, remove_leftovers};
use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

use super::arrow::{RowBatch, schema};
use super::parquet::ParquetFile;
use crate::cell::Cell;
use crate::columns::ColumnInfo;

/// A table being written, row by row, with at most one group of rows in memory.
pub struct TableWriter {
    folder: PathBuf,
    columns: Vec<ColumnInfo>,
    parquet: ParquetFile,
    csv: csv::Writer<BufWriter<WholeFile>>,
    group: RowBatch,
    /// The number of rows in a group.
    most: usize,
}

/// The reason why a table was not written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path:?}: {why}")]
pub struct TableError {
    path: PathBuf,
    why: String,
}

/// The names of a table's files in its folder.
pub const FILES: [&str; 3] = ["runs.parquet", "runs.csv", "columns.csv"];

impl TableWriter {
    /// Begins a table in `folder`, where no other program may write one. Leftovers of a killed program are removed.
    ///
    /// # Errors
    /// A file cannot be written; likewise below.
    pub fn create(folder: &Path, columns: Vec<ColumnInfo>) -> Result<TableWriter, TableError> {
        let fault = |name: &'static str| move |error: io::Error| TableError::new(&folder.join(name), error);
        FILES.iter().for_each(|name| remove_leftovers(folder, name));
        let file = WholeFile::in_folder(folder, FILES[0]).map_err(fault(FILES[0]))?;
        let parquet = ParquetFile::begin(file, &schema(&columns))
            .map_err(|error| TableError::new(&folder.join(FILES[0]), error))?;
        let file = WholeFile::in_folder(folder, FILES[1]).map_err(fault(FILES[1]))?;
        let mut csv = csv::Writer::from_writer(BufWriter::new(file));
        csv.write_record(columns.iter().map(|column| &column.name))
            .map_err(|error| TableError::new(&folder.join(FILES[1]), error))?;
        Ok(TableWriter {
            folder: folder.to_owned(),
            group: RowBatch::new(&columns),
            most: rows_of_a_group(columns.len()),
            columns,
            parquet,
            csv,
        })
    }

    /// Adds a row, one cell a column.
    pub fn push(&mut self, cells: &[Cell]) -> Result<(), TableError> {
        self.csv.write_record(cells.iter().map(Cell::shown)).map_err(|error| self.fault(1, error))?;
        self.group.push(cells);
        if self.group.len() >= self.most { self.write_group() } else { Ok(()) }
    }

    /// Ends the table and returns its files.
    pub fn finish(mut self) -> Result<Vec<PathBuf>, TableError> {
        self.write_group()?;
        let (folder, columns) = (self.folder, self.columns);
        let path = |index: usize| folder.join(FILES[index]);
        let parquet = self.parquet.finish().map_err(|error| TableError::new(&path(0), error))?;
        let csv = self.csv.into_inner().map_err(|error| TableError::new(&path(1), error.into_error()))?;
        let csv = csv.into_inner().map_err(|error| TableError::new(&path(1), error.into_error()))?;
        let list = WholeFile::in_folder(&folder, FILES[2]).and_then(|file| write_columns(file, &columns));
        let list = list.map_err(|error| TableError::new(&path(2), error))?;
        for (index, file) in [parquet, csv, list].into_iter().enumerate() {
            file.finish().map_err(|error| TableError::new(&path(index), error))?;
        }
        Ok((0..FILES.len()).map(path).collect())
    }

    fn write_group(&mut self) -> Result<(), TableError> {
        let group = std::mem::replace(&mut self.group, RowBatch::new(&self.columns));
        let batch = group.finish().map_err(|error| self.fault(0, error))?;
        self.parquet.write(&batch).map_err(|error| self.fault(0, error))
    }

    fn fault(&self, index: usize, error: impl Into<Reason>) -> TableError {
        TableError::new(&self.folder.join(FILES[index]), error)
    }
}

/// Writes the list of a table's columns as a table: `table`, `column`, `unit`, `meaning`, like that of `sim --trace`.
fn write_columns(file: WholeFile, columns: &[ColumnInfo]) -> io::Result<WholeFile> {
    let mut out = csv::Writer::from_writer(BufWriter::new(file));
    out.write_record(["table", "column", "unit", "meaning"])?;
    for column in columns {
        out.write_record(["runs", &column.name, &column.unit, &column.meaning])?;
    }
    let mut out = out.into_inner().map_err(csv::IntoInnerError::into_error)?;
    out.flush()?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// The number of rows in a group, so that a group of the widest table takes some megabytes.
pub(crate) fn rows_of_a_group(columns: usize) -> usize {
    (CELLS_OF_A_GROUP / columns.max(1)).clamp(1, 16_384)
}

/// The message of the crate that failed to write a file.
struct Reason(String);

impl TableError {
    /// The error for columns that Arrow refuses.
    pub(crate) fn in_memory(error: ArrowError) -> TableError {
        TableError::new(Path::new("memory"), error)
    }

    fn new(path: &Path, why: impl Into<Reason>) -> TableError {
        TableError { path: path.to_owned(), why: why.into().0 }
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Reason {
        Reason(error.to_string())
    }
}

impl From<csv::Error> for Reason {
    fn from(error: csv::Error) -> Reason {
        Reason(error.to_string())
    }
}

impl From<ParquetError> for Reason {
    fn from(error: ParquetError) -> Reason {
        Reason(error.to_string())
    }
}

impl From<ArrowError> for Reason {
    fn from(error: ArrowError) -> Reason {
        Reason(error.to_string())
    }
}

const CELLS_OF_A_GROUP: usize = 500_000;

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;
    use crate::cell::CellKind;

    fn columns() -> Vec<ColumnInfo> {
        let column = |name: &str, unit: &str, kind| ColumnInfo {
            name: name.to_owned(),
            unit: unit.to_owned(),
            kind,
            meaning: format!("the meaning of {name}"),
        };
        vec![
            column("n", "", CellKind::Whole),
            column("x", "s", CellKind::Number),
            column("why", "", CellKind::Text),
        ]
    }

    fn write(folder: &Path, rows: usize) -> Vec<PathBuf> {
        let mut table = TableWriter::create(folder, columns()).expect("room");
        for row in 0..rows {
            let text = if row % 2 == 0 { Cell::text("a, \"b\"") } else { Cell::Missing };
            table.push(&[Cell::Whole(row as u64), Cell::Number(row as f64 / 3.0), text]).expect("room");
        }
        table.finish().expect("room")
    }

    #[test]
    fn both_files_have_every_row_and_the_list_every_column() {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = 16_384 + 10;
        let files = write(folder.path(), rows);
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(File::open(&files[0]).expect("it")).expect("Parquet");
        assert_eq!(reader.metadata().num_row_groups(), 2);
        assert_eq!(reader.schema().field(1).metadata()["unit"], "s");
        let batches: Vec<_> = reader.build().expect("readable").map(|batch| batch.expect("rows")).collect();
        assert_eq!(batches.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>(), rows);
        assert_eq!(batches[0].column(1).as_primitive::<Float64Type>().value(1), 1.0 / 3.0);
        let text = fs::read_to_string(&files[1]).expect("it");
        assert_eq!(
            text.lines().take(3).collect::<Vec<_>>(),
            ["n,x,why", "0,0.0,\"a, \"\"b\"\"\"", "1,0.3333333333333333,"]
        );
        assert_eq!(text.lines().count(), rows + 1);
        let list = fs::read_to_string(&files[2]).expect("it");
        assert_eq!(list.lines().nth(2), Some("runs,x,s,the meaning of x"));
        assert_eq!(fs::read_dir(folder.path()).expect("it").count(), FILES.len(), "nothing else is left");
    }

    #[test]
    fn equal_rows_are_equal_bytes() {
        let [one, other] = [(), ()].map(|()| {
            let folder = tempfile::tempdir().expect("a folder");
            write(folder.path(), 100).iter().map(|path| fs::read(path).expect("it")).collect::<Vec<_>>()
        });
        assert!(one == other);
    }

    #[test]
    fn until_it_is_whole_a_table_does_not_replace_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write(folder.path(), 3);
        let before = fs::read(&files[1]).expect("it");
        let mut table = TableWriter::create(folder.path(), columns()).expect("room");
        table.push(&[Cell::Missing, Cell::Missing, Cell::Missing]).expect("room");
        drop(table);
        assert_eq!(fs::read(&files[1]).expect("it"), before);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = TableWriter::create(Path::new("none/there"), columns()).err().expect("no folder");
        assert!(error.to_string().starts_with("cannot write \"none/there/runs.parquet\": "), "{error}");
    }
}
