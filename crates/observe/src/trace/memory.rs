//! The tables of a run in memory, as Arrow columns, from the same definitions as the CSV tables.

use std::collections::HashMap;
use std::sync::Arc;

use anabranch_scenario::Scenario;
use anabranch_sim::observe::{FrameEvent, Observation, PathSeen, QueueSeen, Seen, Watch};
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::cell::{Cell, CellKind};
use super::columns::{Column, ColumnRow, LINKS, PACKETS, PATHS, PacketRow};
use super::frames::FRAMES;
use super::packets::Carriers;
use crate::names::Names;

/// The tables of a run in progress, which grow with it.
pub struct MemorySink {
    names: Names,
    carriers: Carriers,
    paths: MemoryTable<ColumnRow<PathSeen>>,
    links: MemoryTable<ColumnRow<QueueSeen>>,
    packets: MemoryTable<PacketRow>,
    frames: MemoryTable<ColumnRow<FrameEvent>>,
}

/// A table that grows row by row.
struct MemoryTable<Row: 'static> {
    columns: &'static [Column<Row>],
    builders: Vec<CellBuilder>,
}

/// A column that grows.
enum CellBuilder {
    /// Repeated words are stored once.
    Text(StringDictionaryBuilder<Int32Type>),
    Whole(Int64Builder),
    Number(Float64Builder),
    Truth(BooleanBuilder),
}

impl MemorySink {
    /// The observations that the tables need.
    pub const WATCH: Watch = Watch { deliveries: false, waits: false, ..Watch::ALL };

    /// Empty tables for a run of `scenario`.
    pub fn new(scenario: &Scenario) -> MemorySink {
        MemorySink {
            names: Names::of(scenario),
            carriers: Carriers::of(scenario),
            paths: MemoryTable::new(PATHS),
            links: MemoryTable::new(LINKS),
            packets: MemoryTable::new(PACKETS),
            frames: MemoryTable::new(FRAMES),
        }
    }

    /// Adds an observation.
    pub fn take(&mut self, observation: Observation) {
        let (at, names) = (observation.at, &self.names);
        match observation.what {
            Seen::Path(seen) => self.paths.push(&ColumnRow { at, seen }, names),
            Seen::Queue(seen) => self.links.push(&ColumnRow { at, seen }, names),
            Seen::Packet(seen) => self.packets.push(&self.carriers.row(at, seen), names),
            Seen::Frame(seen) => self.frames.push(&ColumnRow { at, seen }, names),
            Seen::Delivery(_) | Seen::Wait(_) => {}
        }
    }

    /// The tables with their names: `paths`, `links`, `packets` and `frames`, which is empty without a mesh.
    ///
    /// # Errors
    /// Duplicate names of columns, which the definitions do not have.
    pub fn finish(self) -> Result<[(&'static str, RecordBatch); 4], ArrowError> {
        Ok([
            ("paths", self.paths.finish()?),
            ("links", self.links.finish()?),
            ("packets", self.packets.finish()?),
            ("frames", self.frames.finish()?),
        ])
    }
}

impl<Row> MemoryTable<Row> {
    fn new(columns: &'static [Column<Row>]) -> MemoryTable<Row> {
        MemoryTable { columns, builders: columns.iter().map(|column| CellBuilder::of(column.kind)).collect() }
    }

    fn push(&mut self, row: &Row, names: &Names) {
        for (column, builder) in self.columns.iter().zip(&mut self.builders) {
            builder.push(&(column.read)(row, names));
        }
    }

    fn finish(self) -> Result<RecordBatch, ArrowError> {
        let fields = self.columns.iter().map(field).collect::<Vec<_>>();
        let arrays = self.builders.into_iter().map(CellBuilder::finish).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
    }
}

impl CellBuilder {
    fn of(kind: CellKind) -> CellBuilder {
        match kind {
            CellKind::Text => CellBuilder::Text(StringDictionaryBuilder::new()),
            CellKind::Whole => CellBuilder::Whole(Int64Builder::new()),
            CellKind::Number => CellBuilder::Number(Float64Builder::new()),
            CellKind::Truth => CellBuilder::Truth(BooleanBuilder::new()),
        }
    }

    /// Adds a cell; one that does not fit the column's kind becomes missing.
    fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (CellBuilder::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (CellBuilder::Text(builder), _) => builder.append_null(),
            (CellBuilder::Whole(builder), Cell::Whole(value)) => {
                builder.append_option(i64::try_from(*value).ok());
            }
            (CellBuilder::Whole(builder), _) => builder.append_null(),
            (CellBuilder::Number(builder), Cell::Number(value)) => builder.append_value(*value),
            (CellBuilder::Number(builder), Cell::Seconds(value)) => builder.append_value(value.as_f64()),
            (CellBuilder::Number(builder), _) => builder.append_null(),
            (CellBuilder::Truth(builder), Cell::Truth(value)) => builder.append_value(*value),
            (CellBuilder::Truth(builder), _) => builder.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            CellBuilder::Text(mut builder) => Arc::new(builder.finish()),
            CellBuilder::Whole(mut builder) => Arc::new(builder.finish()),
            CellBuilder::Number(mut builder) => Arc::new(builder.finish()),
            CellBuilder::Truth(mut builder) => Arc::new(builder.finish()),
        }
    }
}

/// The column's type with its `unit` and its `meaning`; every cell may be missing.
fn field<Row>(column: &Column<Row>) -> Field {
    let kind = match column.kind {
        CellKind::Text => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        CellKind::Whole => DataType::Int64,
        CellKind::Number => DataType::Float64,
        CellKind::Truth => DataType::Boolean,
    };
    let about = [("unit", column.unit.to_owned()), ("meaning", column.meaning())];
    let about = about.map(|(key, text)| (key.to_owned(), text));
    Field::new(column.name, kind, true).with_metadata(HashMap::from(about))
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Time};
    use anabranch_link::LossCause;
    use anabranch_sim::observe::{DeliverySeen, Host, LossSite, Step};
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};

    use super::*;
    use crate::testing::{data, scenario};

    const AT: Time = Time::from_nanos(1_500_000_000);

    fn tables(observations: Vec<Observation>) -> [(&'static str, RecordBatch); 4] {
        let mut sink = MemorySink::new(&scenario());
        observations.into_iter().for_each(|observation| sink.take(observation));
        sink.finish().expect("columns of different names")
    }

    #[test]
    fn a_packet_is_a_row_of_values() {
        let lost = Step::Lost { site: LossSite::Link(1), cause: LossCause::Queue };
        let [_, _, (name, packets), _] = tables(vec![data(AT, &[7, 8], Step::Sent), data(AT, &[9], lost)]);
        let column = |name: &str| packets.column_by_name(name).expect(name).clone();
        assert_eq!((name, packets.num_rows(), packets.num_columns()), ("packets", 2, PACKETS.len()));
        assert_eq!(column("at_s").as_primitive::<Float64Type>().values(), &[1.5, 1.5]);
        assert_eq!(column("tsn").as_primitive::<Int64Type>().values(), &[7, 9]);
        assert!(column("cause").is_null(0) && !column("cause").is_null(1));
        assert!(!column("retransmission").as_boolean().value(0));
        let steps = column("step");
        let steps = steps.as_dictionary::<Int32Type>();
        let words = steps.values().as_string::<i32>();
        let word = |row: usize| words.value(usize::try_from(steps.keys().value(row)).expect("an index"));
        assert_eq!([word(0), word(1)], ["sent", "lost"]);
    }

    #[test]
    fn every_column_says_its_unit_and_meaning() {
        for (table, batch) in tables(Vec::new()) {
            for field in batch.schema().fields() {
                assert!(!field.metadata()["meaning"].is_empty(), "{table}.{}", field.name());
                assert_eq!(
                    field.name().ends_with("_s"),
                    field.metadata()["unit"] == "s",
                    "{table}.{}",
                    field.name()
                );
            }
        }
    }

    #[test]
    fn a_delivery_does_not_make_a_row() {
        let seen = DeliverySeen { flow: 0, from: Host::First, bytes: ByteCount::ZERO, delay: Duration::ZERO };
        let tables = tables(vec![Observation { at: AT, what: Seen::Delivery(seen) }]);
        assert_eq!(tables.map(|(_, table)| table.num_rows()), [0; 4]);
    }
}
