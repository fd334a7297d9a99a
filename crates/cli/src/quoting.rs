//! Quotes words for a POSIX shell.

/// Returns `word` as a shell takes it: between single quotes, unless it has only letters, digits and plain marks.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_a_shell_would_change_is_between_quotes() {
        assert_eq!(quoted("/srv/a-b_1.c"), "/srv/a-b_1.c");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(x) `y` \"z\" ; ~ *"), "'$(x) `y` \"z\" ; ~ *'");
        assert_eq!(quoted("it's\n"), "'it'\\''s\n'");
    }
}
