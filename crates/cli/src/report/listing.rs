//! Prints the beginning of long lists, and the number of further items.

/// The first of `lines`; behind them how many more are `what`.
pub(crate) fn shortened(lines: &[String], what: &str) -> impl Iterator<Item = String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    let rest = (more > 0).then(|| format!("and {more} more {what}"));
    lines.iter().take(MOST_LINES).cloned().chain(rest)
}

const MOST_LINES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_long_list_is_counted() {
        let lines: Vec<String> = (0..22).map(|number| number.to_string()).collect();
        assert_eq!(shortened(&lines, "left out").last().as_deref(), Some("and 2 more left out"));
        assert_eq!(shortened(&lines[..20], "left out").collect::<Vec<_>>(), lines[..20]);
    }
}
