//! Names of lanes as names of links: a lane's name comes from the system or from the other end, and may be anything.

use anabranch_diagnose::LinkEstimate;

/// The names of the links in a scenario, in order. A name that a scenario cannot have, or that two lanes have, becomes
/// `link1`, `link2`, …
pub(crate) fn link_names(links: &[LinkEstimate]) -> Vec<String> {
    let given: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    let mut names: Vec<String> = Vec::new();
    for (index, name) in given.iter().enumerate() {
        let is_plain = is_name(name) && !given[..index].contains(name);
        let name = if is_plain { (*name).to_owned() } else { unused("link", index + 1, &given, &names) };
        names.push(name);
    }
    names
}

/// `stem` and the first number from `number` on that makes a name that nothing has.
pub(crate) fn unused(stem: &str, number: usize, given: &[&str], names: &[String]) -> String {
    let is_used = |name: &String| given.contains(&name.as_str()) || names.contains(name);
    (number..).map(|number| format!("{stem}{number}")).find(|name| !is_used(name)).unwrap_or_default()
}

/// Returns true if a scenario reads `name`.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_plain && !name.is_empty() && !name.starts_with('-') && name.len() <= LONGEST
}

/// A name from elsewhere as text of a comment: escaped, on one line, and not long.
pub(crate) fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(LONGEST).flat_map(char::escape_default).collect();
    if name.chars().count() > LONGEST {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// The longest name of a scenario.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_scenario_cannot_have_is_replaced() {
        let link = |name: &str| LinkEstimate { name: name.to_owned(), ..LinkEstimate::default() };
        let links = ["wlan0", "a\"b\n[x]", "wlan0", "link3", "../up", ""].map(link);
        assert_eq!(link_names(&links), ["wlan0", "link2", "link4", "link3", "link5", "link6"]);
        assert_eq!(shown("a\"b\n\u{202e}"), "\"a\\\"b\\n\\u{202e}\"");
        assert!(shown(&"x".repeat(9_999)).len() < 80);
    }
}
