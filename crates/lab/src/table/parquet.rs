//! A Parquet file of groups of rows. The columns go to the typed writers of the four kinds of cells; the writer for any
//! Arrow type would be an eighth of the program.

use std::sync::Arc;

use anabranch_files::WholeFile;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

/// A file being written.
pub(super) struct ParquetFile(SerializedFileWriter<WholeFile>);

impl ParquetFile {
    /// Begins the file, with the schema's metadata in Arrow's form.
    ///
    /// # Errors
    /// The file cannot be written; likewise below.
    pub(super) fn begin(file: WholeFile, schema: &Schema) -> Result<ParquetFile> {
        let columns = ArrowSchemaConverter::new().convert(schema)?;
        let mut properties = properties(schema);
        add_encoded_arrow_schema_to_metadata(schema, &mut properties);
        SerializedFileWriter::new(file, columns.root_schema_ptr(), Arc::new(properties)).map(ParquetFile)
    }

    /// Adds the rows as a group.
    pub(super) fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        let mut group = self.0.next_row_group()?;
        for column in rows.columns() {
            let Some(mut writer) = group.next_column()? else { break };
            write_column(writer.untyped(), column)?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Ends the file.
    pub(super) fn finish(self) -> Result<WholeFile> {
        self.0.into_inner()
    }
}

/// Compression, with dictionaries for texts only: those of numbers, which seldom repeat, take more memory than the
/// rows, as do statistics of each page.
fn properties(schema: &Schema) -> WriterProperties {
    let plain = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    let texts = schema.fields().iter().filter(|field| *field.data_type() == DataType::Utf8);
    let with_texts = texts.fold(plain, |properties, field| {
        properties.set_column_dictionary_enabled(ColumnPath::from(field.name().as_str()), true)
    });
    with_texts.build()
}

/// Writes the values present, and for each row whether it has one.
fn write_column(writer: &mut ColumnWriter<'_>, column: &ArrayRef) -> Result<()> {
    let there: Vec<i16> = (0..column.len()).map(|row| i16::from(column.is_valid(row))).collect();
    let there = Some(there.as_slice());
    match (writer, column.data_type()) {
        (ColumnWriter::Int64ColumnWriter(writer), DataType::Int64) => {
            let values: Vec<i64> = column.as_primitive::<Int64Type>().iter().flatten().collect();
            writer.write_batch(&values, there, None)?;
        }
        (ColumnWriter::Int64ColumnWriter(writer), DataType::UInt64) => {
            // Parquet stores the same 64 bits, with a mark that they are unsigned.
            let bits = column.as_primitive::<UInt64Type>().iter().flatten().map(u64::cast_signed);
            writer.write_batch(&bits.collect::<Vec<_>>(), there, None)?;
        }
        (ColumnWriter::DoubleColumnWriter(writer), DataType::Float64) => {
            let values: Vec<f64> = column.as_primitive::<Float64Type>().iter().flatten().collect();
            writer.write_batch(&values, there, None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), DataType::Utf8) => {
            let texts = column.as_string::<i32>().iter().flatten().map(ByteArray::from);
            writer.write_batch(&texts.collect::<Vec<_>>(), there, None)?;
        }
        (_, other) => return Err(ParquetError::NYI(format!("a column of {other}"))),
    }
    Ok(())
}
