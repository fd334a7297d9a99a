//! Finds the valid name that is nearest to a mistyped one.

/// The name nearest to `text`, if it is near enough to be a misspelling of it.
pub(crate) fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Long names are not compared: the cost is the product of the lengths.
    const LONGEST: usize = 64;
    if text.is_empty() || text.chars().count() > LONGEST {
        return None;
    }
    let folded = |name: &str| name.to_lowercase().replace(['_', ' '], "-");
    let wanted = folded(text);
    let distance = |name: &&str| strsim::damerau_levenshtein(&wanted, &folded(name));
    let near = names.into_iter().map(|name| (distance(&name), name)).min_by_key(|(distance, _)| *distance);
    let most = |name: &str| (name.chars().count().min(text.chars().count()) / 3).max(1);
    near.filter(|(distance, name)| *distance <= most(name)).map(|(_, name)| name)
}

/// `a`, `a and b`, `a, b and c`; of a long list, the first names and the number of the others.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const MOST: usize = 24;
    let names: Vec<_> = names.into_iter().collect();
    let (shown, rest) = names.split_at(names.len().min(MOST));
    match (shown, rest) {
        (_, [_, ..]) => format!("{} and {} more", shown.join(", "), rest.len()),
        ([], _) => "none".to_owned(),
        ([one], _) => (*one).to_owned(),
        ([most @ .., last], _) => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_have_been_meant_is_suggested() {
        let names = ["rate", "delay", "receive_buffer", "loss"];
        assert_eq!(nearest("dealy", names), Some("delay"));
        assert_eq!(nearest("los", names), Some("loss"));
        assert_eq!(nearest("receive-bufer", names), Some("receive_buffer"));
        assert_eq!(nearest("Rate", names), Some("rate"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest(&"rate".repeat(1000), names), None);
    }

    #[test]
    fn names_are_listed_as_a_sentence_has_them() {
        assert_eq!(listed(["a"]), "a");
        assert_eq!(listed(["a", "b", "c"]), "a, b and c");
        let many: Vec<_> = (0..30).map(|n| n.to_string()).collect();
        assert!(listed(many.iter().map(String::as_str)).ends_with("22, 23 and 6 more"));
    }
}
