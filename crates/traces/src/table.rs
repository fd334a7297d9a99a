//! Reads a CSV table of a link over time: one column of times, and columns of rates, delays, round trips or losses,
//! each named with its unit.

mod cell;
mod column;
mod place;
mod unit;

use anabranch_base::{BitRate, Duration};
use csv::{ReaderBuilder, StringRecord, Trim};

use crate::content::Content;
use crate::fault::{Fault, Read, quoted};
use crate::moment::{self, Clock};
use crate::observed::{DelayForm, Observations, ObservedDelay, ObservedLoss, ObservedRate};
use crate::series::{Amount, Series, Share};
use cell::{DecimalMark, is_missing};
use column::{Column, Quantity};
use place::cell_at;

/// Reads a table.
pub(crate) fn read(text: &str) -> Read<Content> {
    let table = Table { text, delimiter: delimiter(text) };
    let mut rows = Rows { delimiter: table.delimiter, ..Rows::default() };
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .delimiter(table.delimiter)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    let mut columns: Option<Columns> = None;
    loop {
        let begin = usize::try_from(reader.position().byte()).unwrap_or(usize::MAX);
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(Fault::at(table.cell(begin, 0), error.to_string())),
        }
        match &columns {
            None => columns = Some(Columns::of(&record, |index| table.cell(begin, index))?),
            Some(columns) => rows.take(columns, &record, |index| table.cell(begin, index))?,
        }
    }
    let end = text.len()..text.len();
    let Some(columns) = columns else {
        return Err(Fault::at(end, "the table is empty").expected(column::EXPECTED));
    };
    let content = rows.content(&columns);
    let content = content
        .ok_or_else(|| Fault::at(end.clone(), "the table has no row").expected("a row for each moment"))?;
    if content.forward == Observations::default() {
        return Err(Fault::at(end, "no row has a value").expected("at least one rate, delay or loss"));
    }
    Ok(content)
}

/// The text and its delimiter.
struct Table<'t> {
    text: &'t str,
    delimiter: u8,
}

impl Table<'_> {
    /// The place of a cell of the row that begins at or after this byte.
    fn cell(&self, row: usize, index: usize) -> std::ops::Range<usize> {
        cell_at(self.text, row, index, self.delimiter)
    }
}

/// The delimiter: of the candidates, the most frequent in the first line.
fn delimiter(text: &str) -> u8 {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let first = lines.next().unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// The meaning of each column; `None` for an unused one.
struct Columns {
    all: Vec<Option<Column>>,
    time: usize,
    unused: Vec<String>,
}

impl Columns {
    fn of(head: &StringRecord, place: impl Fn(usize) -> std::ops::Range<usize>) -> Read<Columns> {
        let mut all: Vec<Option<Column>> = Vec::new();
        let mut unused = Vec::new();
        if head.iter().all(|cell| cell.parse::<f64>().is_ok()) {
            return Err(
                Fault::at(place(0), "the first line does not name the columns").expected(column::EXPECTED)
            );
        }
        for (index, name) in head.iter().enumerate() {
            let fault = |message: String| Fault::at(place(index), message);
            let column = Column::named(name).map_err(|error| {
                fault(format!("the column {}: {}", quoted(name), error.message)).expected(error.expected)
            })?;
            let same = |other: &Option<Column>| {
                other.as_ref().zip(column.as_ref()).is_some_and(|(a, b)| a.says_same(b))
            };
            if let Some(first) = all.iter().position(same) {
                let first = head.get(first).map(quoted).unwrap_or_default();
                return Err(fault(format!("the columns {first} and {} say the same", quoted(name))));
            }
            if column.is_none() {
                unused.push(name.to_owned());
            }
            all.push(column);
        }
        let is_of = |quantity: Quantity| {
            move |column: &Option<Column>| column.as_ref().is_some_and(|column| column.quantity == quantity)
        };
        let Some(time) = all.iter().position(is_of(Quantity::Time)) else {
            return Err(Fault::at(place(0), "there is no column of times").expected(column::EXPECTED));
        };
        if all.iter().flatten().count() < 2 {
            let message = "there is no column of rates, delays or losses";
            return Err(Fault::at(place(0), message).expected(column::EXPECTED));
        }
        Ok(Columns { all, time, unused })
    }
}

#[derive(Default)]
struct Rows {
    delimiter: u8,
    mark: DecimalMark,
    clock: Clock,
    /// The number of cells with a word for a missing value.
    missing: u64,
    times: Vec<Duration>,
    rates: Vec<(Duration, BitRate)>,
    delays: Vec<(Duration, Duration)>,
    losses: Vec<(Duration, Share)>,
}

impl Rows {
    /// A cell without a value keeps the previous one.
    fn take(
        &mut self,
        columns: &Columns,
        row: &StringRecord,
        place: impl Fn(usize) -> std::ops::Range<usize>,
    ) -> Read<()> {
        if let Some(extra) =
            (columns.all.len()..row.len()).find(|index| !row.get(*index).unwrap_or_default().is_empty())
        {
            let message =
                format!("this row has {} cells, and the first line names {}", row.len(), columns.all.len());
            return Err(Fault::at(place(extra), message));
        }
        let Some(at) = self.moment(columns, row, &place)? else {
            return Err(Fault::at(place(columns.time), "this row has no time"));
        };
        if self.times.last().is_some_and(|last| at <= *last) {
            let message = "this time is not after that of the row before";
            return Err(Fault::at(place(columns.time), message).expected("rows in the order of their times"));
        }
        self.times.push(at);
        for (index, column) in columns.all.iter().enumerate().filter(|(index, _)| *index != columns.time) {
            let Some(column) = column else { continue };
            let Some(value) = self.value(column, row.get(index), || place(index))? else {
                // An empty cell is ordinary; a word for a missing value is reported.
                self.missing += u64::from(!row.get(index).unwrap_or_default().is_empty());
                continue;
            };
            match column.quantity {
                Quantity::Time => {}
                Quantity::Rate => self.rates.push((at, BitRate::from_bits_per_second(value.round() as u64))),
                Quantity::Delay => self.delays.push((at, Duration::nearest(value))),
                Quantity::RoundTrip => self.delays.push((at, Duration::nearest(value / 2.0))),
                Quantity::Loss => self.losses.push((at, Share(value))),
            }
        }
        Ok(())
    }

    /// The time of a row: a number in the column's unit, or a date and time.
    fn moment(
        &mut self,
        columns: &Columns,
        row: &StringRecord,
        place: &impl Fn(usize) -> std::ops::Range<usize>,
    ) -> Read<Option<Duration>> {
        let Some(column) = columns.all.get(columns.time).and_then(Option::as_ref) else { return Ok(None) };
        let cell = row.get(columns.time).unwrap_or_default();
        // A plain number is in the column's unit, even one of ten digits.
        let stamp = moment::whole(cell).filter(|_| !column.has_unit() || cell.parse::<f64>().is_err());
        let Some(stamp) = stamp else {
            let value = self.value(column, Some(cell), || place(columns.time))?;
            return Ok(value.map(|value| Duration::from_nanos(value.round() as u64)));
        };
        self.clock.read(stamp).map(Some).ok_or_else(|| {
            let message = "this moment has another form than those before it";
            Fault::at(place(columns.time), message).expected("dates in all rows, or times of day in all rows")
        })
    }

    /// The value of a cell; `None` where it is missing.
    fn value(
        &mut self,
        column: &Column,
        cell: Option<&str>,
        place: impl Fn() -> std::ops::Range<usize>,
    ) -> Read<Option<f64>> {
        let Some(cell) = cell.filter(|cell| !is_missing(cell)) else { return Ok(None) };
        let value = self.mark.pointed(cell, self.delimiter).and_then(|cell| column.value(&cell));
        value.map(Some).map_err(|error| Fault::at(place(), error.message).expected(error.expected))
    }

    /// The whole table; the last row lasts as long as the one before it. `None` without a row.
    fn content(self, columns: &Columns) -> Option<Content> {
        let (first, last) = (*self.times.first()?, *self.times.last()?);
        let before = self.times.iter().rev().nth(1);
        let length = before.map_or(Duration::from_secs(1), |before| last.saturating_sub(*before));
        let end = last + length;
        let rows = self.times.len();
        let how = |quantity| {
            let column = columns.all.iter().flatten().find(|column| column.quantity == quantity);
            column.map(|column| format!("the column `{}`, {rows} rows", column.name))
        };
        // A value missing at the start is the first one present.
        let rate = whole(self.rates, first, end).zip(how(Quantity::Rate));
        let halved = how(Quantity::RoundTrip).map(|how| format!("half of {how}"));
        let delay = whole(self.delays, first, end).zip(how(Quantity::Delay).or(halved));
        let loss = whole(self.losses, first, end).zip(how(Quantity::Loss));
        let unused = columns.unused.join(", ");
        let unused = (!unused.is_empty()).then(|| format!("Columns that are not used: {unused}."));
        let missing = (self.missing > 0)
            .then(|| format!("Cells without a value: {}; there the value stays as it was.", self.missing));
        Some(Content {
            made_by: "a CSV table".to_owned(),
            length: end.saturating_sub(first),
            forward: Observations {
                rate: rate.map(|(steps, how)| ObservedRate::Steps { steps, how }),
                delay: delay.map(|(steps, how)| ObservedDelay { form: DelayForm::Steps(steps), how }),
                loss: loss.map(|(steps, how)| ObservedLoss { steps, how }),
            },
            reverse: Observations::default(),
            remarks: unused.into_iter().chain(missing).collect(),
        })
    }
}

/// A series from the first row on.
fn whole<T: Amount>(mut samples: Vec<(Duration, T)>, first: Duration, end: Duration) -> Option<Series<T>> {
    samples.first_mut()?.0 = first;
    Series::of(samples, end)
}
