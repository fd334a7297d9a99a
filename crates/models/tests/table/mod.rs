//! Reads rows of a table by the names of its columns, from `tests/oracle/models`. Cells hold no quotes.

use std::fmt;
use std::path::Path;

/// One line, with the names of its columns.
pub(crate) struct Row {
    cells: Vec<(String, String)>,
}

/// The rows of table `name` in `tests/oracle/models`.
pub(crate) fn read(name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/models").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a table has a head").split(',').collect();
    lines.map(|line| Row::of(&names, line)).collect()
}

impl Row {
    fn of(names: &[&str], line: &str) -> Row {
        let values: Vec<&str> = line.split(',').collect();
        assert_eq!(names.len(), values.len(), "{line}");
        let cells = names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value.to_owned()));
        Row { cells: cells.collect() }
    }

    /// The cell in column `column`, as it stands.
    pub(crate) fn text(&self, column: &str) -> &str {
        let cell = self.cells.iter().find(|(name, _)| name == column);
        cell.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no column {column}"))
    }

    /// The numbers in column `column`, which stand between semicolons.
    pub(crate) fn numbers(&self, column: &str) -> Vec<f64> {
        let numbers = self.text(column).split(';');
        numbers.map(|number| number.parse().unwrap_or_else(|_| panic!("{self}: {column}"))).collect()
    }

    /// The one number in column `column`.
    pub(crate) fn number(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or_else(|_| panic!("{self}: {column}"))
    }

    /// The one whole number in column `column`.
    pub(crate) fn whole(&self, column: &str) -> u32 {
        self.text(column).parse().unwrap_or_else(|_| panic!("{self}: {column}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells: Vec<String> = self.cells.iter().map(|(name, value)| format!("{name} {value}")).collect();
        formatter.write_str(&cells.join(", "))
    }
}
