//! The text of a cell as people and programs write it: empty, or with a decimal comma.

use std::borrow::Cow;

use anabranch_scenario::quantity::QuantityError;

use crate::fault::quoted;

/// Returns true if a cell has no value: empty, or a word that means so.
pub(super) fn is_missing(cell: &str) -> bool {
    let is_dash = |c: char| matches!(c, '-' | '–' | '—' | '?' | '*');
    cell.chars().all(is_dash)
        || ["n/a", "na", "#n/a", "nan", "null", "none", "nil"]
            .iter()
            .any(|word| cell.eq_ignore_ascii_case(word))
}

/// The decimal mark of a table, which must be the same in all cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DecimalMark {
    seen: Option<char>,
}

impl DecimalMark {
    /// The cell with a decimal point. A comma is a decimal mark where another sign separates cells.
    ///
    /// # Errors
    /// A comma that could separate thousands.
    pub(super) fn pointed<'c>(
        &mut self,
        cell: &'c str,
        delimiter: u8,
    ) -> Result<Cow<'c, str>, QuantityError> {
        let Some(mark) = cell.chars().find(|c| matches!(c, ',' | '.')) else { return Ok(cell.into()) };
        if mark == ',' && delimiter == b',' {
            return Ok(cell.into());
        }
        let unclear = |why: &str| QuantityError {
            message: format!("{} {why}", quoted(cell)),
            expected: "the same decimal mark in all cells, and none between thousands".to_owned(),
            nearest: None,
        };
        if cell.contains(',') && cell.matches([',', '.']).count() > 1 {
            return Err(unclear("has more than one decimal mark"));
        }
        if self.seen.is_some_and(|seen| seen != mark) {
            return Err(unclear("has another decimal mark than the cells before it"));
        }
        // Spreadsheets with English settings copy thousands so; those that export `;` do it because their decimal mark
        // is a comma.
        if mark == ',' && delimiter == b'\t' && is_of_thousands(cell) {
            return Err(unclear("could have its comma between thousands"));
        }
        self.seen = Some(mark);
        Ok(if mark == ',' { cell.replacen(',', ".", 1).into() } else { cell.into() })
    }
}

/// `1,234` could be a thousand; `0,234` and `1,23` could not.
fn is_of_thousands(cell: &str) -> bool {
    let Some((whole, rest)) = cell.split_once(',') else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_no_value_are_no_value() {
        for cell in ["", "-", "--", "N/A", "n/a", "NA", "NaN", "null", "None", "?", "*", "—"] {
            assert!(is_missing(cell), "{cell}");
        }
        for cell in ["0", "-1", "1", "x"] {
            assert!(!is_missing(cell), "{cell}");
        }
    }

    #[test]
    fn a_comma_is_a_decimal_mark_only_where_it_can_be_nothing_else() {
        let pointed =
            |cell, delimiter| DecimalMark::default().pointed(cell, delimiter).ok().map(Cow::into_owned);
        assert_eq!(pointed("1,5", b';').as_deref(), Some("1.5"));
        assert_eq!(pointed("8,5 Mbit/s", b';').as_deref(), Some("8.5 Mbit/s"));
        assert_eq!(pointed("1,234", b';').as_deref(), Some("1.234"));
        assert_eq!(pointed("1,23", b'\t').as_deref(), Some("1.23"));
        assert_eq!(pointed("1,5", b',').as_deref(), Some("1,5"), "it is refused as a number");
        assert_eq!(pointed("1,234", b'\t'), None);
        assert_eq!(pointed("1,234.5", b';'), None);
        assert_eq!(pointed("1,234,567", b';'), None);
        let mut mark = DecimalMark::default();
        assert!(mark.pointed("1.5", b';').is_ok());
        assert!(mark.pointed("2", b';').is_ok());
        assert!(mark.pointed("1,5", b';').is_err(), "a table has one decimal mark");
    }
}
