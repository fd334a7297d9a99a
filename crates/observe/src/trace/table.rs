//! One table as CSV (RFC 4180).

use std::fmt::Write as _;
use std::io::{self, Write};

use super::columns::Column;
use crate::names::Names;

/// A table being written.
pub(super) struct TraceTable<Row: 'static, W: Write> {
    columns: &'static [Column<Row>],
    out: csv::Writer<W>,
    cell: String,
}

impl<Row, W: Write> TraceTable<Row, W> {
    /// Begins a table with the names of its columns.
    ///
    /// # Errors
    /// The file cannot be written; likewise below.
    pub(super) fn new(columns: &'static [Column<Row>], out: W) -> io::Result<TraceTable<Row, W>> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(columns.iter().map(|column| column.name))?;
        Ok(TraceTable { columns, out, cell: String::new() })
    }

    /// Adds a row.
    pub(super) fn write(&mut self, row: &Row, names: &Names) -> io::Result<()> {
        for column in self.columns {
            self.cell.clear();
            // Writing to a String does not fail.
            let _ = write!(self.cell, "{}", (column.read)(row, names));
            self.out.write_field(&self.cell)?;
        }
        self.out.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// Ends the table and returns its file.
    pub(super) fn finish(self) -> io::Result<W> {
        self.out.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}
