//! Groups files into links, and names the links by the user's choice or the names of their files.

use std::path::Path;

use crate::error::TraceError;

/// A link with its files as a user gives it: `wifi=ping.txt,iperf3.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenLink {
    /// The name.
    pub name: String,
    /// The files.
    pub files: Vec<String>,
}

/// Groups files into links, in the order of their first files. Files are of one link where their names differ only in
/// words such as `ping`, `iperf3`, `up` or `down`, and in extensions: `wifi-ping.txt` and `wifi.json`.
pub fn grouped(files: &[String]) -> Vec<GivenLink> {
    let mut links: Vec<GivenLink> = Vec::new();
    for file in files {
        let name = link_name(file);
        match links.iter_mut().find(|link| link.name == name) {
            Some(link) => link.files.push(file.clone()),
            None => links.push(GivenLink { name, files: vec![file.clone()] }),
        }
    }
    for link in &mut links {
        // Mahimahi's traces of one link end in .up and .down; data mostly flows down.
        link.files.sort_by_key(|file| words(file).iter().any(|word| UP.contains(&word.as_str())));
    }
    links
}

/// The link's name from a file's name, without the words of the kind and the direction.
fn link_name(file: &str) -> String {
    let all = words(file);
    let left = all.iter().filter(|word| !OF_KINDS.contains(&word.as_str()) && !UP.contains(&word.as_str()));
    let left: Vec<&str> = left.map(String::as_str).collect();
    sanitised(&left.join("-"))
}

/// The words of a file's name without its folder, in lower case.
fn words(file: &str) -> Vec<String> {
    let name =
        Path::new(file).file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let words = name.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The valid name of a link that is nearest to a text.
pub(crate) fn sanitised(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = text.chars().map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "link".to_owned() } else { name.chars().take(LONGEST).collect() }
}

/// Refuses an invalid name.
pub(crate) fn check(name: &str) -> Result<(), TraceError> {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let is_sound = !name.is_empty() && !name.starts_with('-') && is_plain && name.len() <= LONGEST;
    if is_sound { Ok(()) } else { Err(TraceError::Name(name.to_owned())) }
}

/// Words that denote the kind of a file, not the link.
const OF_KINDS: &[&str] = &[
    "ping", "ping6", "iperf", "iperf3", "mahimahi", "trace", "traces", "log", "txt", "json", "csv", "tsv",
    "out", "dat", "pps", "tcp", "udp", "down", "downlink", "download", "dl",
];

/// Words that denote the reverse direction.
const UP: &[&str] = &["up", "uplink", "upload", "ul"];

/// The longest name, in characters.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_whose_names_differ_in_their_kinds_alone_are_of_one_link() {
        let files = ["a/wifi-ping.txt", "lte.up", "a/wifi.iperf3.json", "lte.down", "My Walk.csv", "-"];
        let links = grouped(&files.map(str::to_owned));
        let told: Vec<(&str, usize)> =
            links.iter().map(|link| (link.name.as_str(), link.files.len())).collect();
        assert_eq!(told, [("wifi", 2), ("lte", 2), ("my-walk", 1), ("link", 1)]);
        assert_eq!(links[1].files, ["lte.down", "lte.up"], "the forward direction comes first");
    }

    #[test]
    fn names_are_those_that_a_scenario_takes() {
        assert_eq!(["", "...", "é", "a b"].map(sanitised), ["link", "link", "link", "a-b"]);
        assert!(check("wifi_2").is_ok());
        for name in ["", "-a", "a.b", "é", &"a".repeat(65)] {
            assert!(check(name).is_err(), "{name:?}");
        }
    }
}
