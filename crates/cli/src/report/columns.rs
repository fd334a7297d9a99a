//! Tables as text.

/// Lines of cells: the first `texts` of each to the left, numbers to the right.
pub fn lay_out(rows: &[Vec<String>], texts: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < texts { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(padded.collect::<Vec<_>>().join("   ").trim_end());
        text.push('\n');
    }
    text
}

/// A row of words.
pub fn head<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = lay_out(&[head(["path", "n", "m"]), head(["a > b", "10", "7"])], 1);
        assert_eq!(text, "path     n   m\na > b   10   7\n");
    }
}
