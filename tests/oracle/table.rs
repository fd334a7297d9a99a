//! The rows of an oracle's table, by column name, for the tests of several crates.

#![allow(dead_code, reason = "each test program uses its own share")]

/// The rows of an oracle's table, by column name.
pub(crate) struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn parse(text: &str) -> Table {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let split = |line: &str| line.split(',').map(str::to_owned).collect();
        let names = split(lines.next().expect("a header"));
        Table { names, rows: lines.map(split).collect() }
    }

    /// The rows whose `columns` have these values.
    pub(crate) fn rows<'a>(&'a self, columns: &'a [(&str, &str)]) -> impl Iterator<Item = Row<'a>> {
        let rows = self.rows.iter().map(|values| Row { names: &self.names, values });
        rows.filter(|row| columns.iter().all(|(name, value)| row.text(name) == *value))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    names: &'a [String],
    values: &'a [String],
}

impl Row<'_> {
    pub(crate) fn text(&self, name: &str) -> &str {
        let column = self.names.iter().position(|known| known == name).expect("a column of this name");
        &self.values[column]
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.text(name).parse().expect("a number")
    }
}
