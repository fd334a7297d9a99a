//! The table of what each path carried, for people. It knows columns and their widths.

use anabranch_base::Duration;

use crate::quantity::show_size;
use crate::watch::{Watch, WatchedPath};

/// One line a path, carried in `took`.
pub fn table(watch: &Watch, took: Duration) -> String {
    let head =
        ["path", "state", "carried", "share", "mean rate", "resent", "time-outs", "RTT"].map(str::to_owned);
    let rows = watch.paths().iter().map(|path| row(watch, path, took));
    lay_out(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn row(watch: &Watch, path: &WatchedPath, took: Duration) -> [String; COLUMNS] {
    [
        path.name.clone(),
        path.state().to_owned(),
        show_size(path.carried),
        format!("{:.1} %", watch.share(path) * 100.0),
        path.carried.rate_over(took).unwrap_or_default().to_string(),
        path.report.counters.retransmitted_chunks.to_string(),
        path.report.counters.timeouts.to_string(),
        path.mean_rtt.map_or("-".to_owned(), milliseconds),
    ]
}

/// `12.3 ms`.
pub fn milliseconds(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1e3)
}

/// Text to the left, numbers to the right.
fn lay_out(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 | 1 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        text.push_str(cells.collect::<Vec<_>>().join("   ").trim_end());
        text.push('\n');
    }
    text
}

const COLUMNS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |name: &str, number: &str| {
            let mut row: [String; COLUMNS] = std::array::from_fn(|_| number.to_owned());
            row[0] = name.to_owned();
            row
        };
        let text = lay_out(&[row("path", "n"), row("a > b", "10")]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "path    n     n    n    n    n    n    n");
        assert_eq!(lines[1], "a > b   10   10   10   10   10   10   10");
    }
}
