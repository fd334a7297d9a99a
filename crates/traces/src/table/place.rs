//! Finds a cell in the text of a table, for errors that name its place.

use std::ops::Range;

/// The bytes of the cell with this index, without blanks, in the row that begins at or after `row`; the end of the row
/// where it has fewer cells.
pub(super) fn cell_at(text: &str, row: usize, index: usize, delimiter: u8) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut at = first_of_row(bytes, row.min(bytes.len()));
    let mut start = at;
    let (mut cell, mut is_quoted) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\r' | b'\n' if !is_quoted => break,
            byte if *byte == delimiter && !is_quoted => {
                if cell == index {
                    break;
                }
                cell += 1;
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if cell < index {
        return at..at;
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let found = &bytes[start..at];
    let before = found.iter().take_while(|byte| is_blank(byte)).count();
    let after = found[before..].iter().rev().take_while(|byte| is_blank(byte)).count();
    start + before..at - after
}

/// Skips empty lines and comments.
fn first_of_row(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b'\r' | b'\n') => at += 1,
            Some(b'#') => at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count(),
            _ => return at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_in_quotes_behind_comments_and_beyond_the_last_one() {
        let text = "# a, b\n\nx,\"y, z\" , w\n1,2\n";
        let cell = |row, index| &text[cell_at(text, row, index, b',')];
        assert_eq!([cell(0, 0), cell(0, 1), cell(0, 2)], ["x", "\"y, z\"", "w"]);
        assert_eq!([cell(text.len() - 4, 1), cell(text.len() - 4, 7)], ["2", ""]);
        assert_eq!(cell_at(text, usize::MAX, 0, b','), text.len()..text.len());
    }
}
