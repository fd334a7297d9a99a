//! The identity of a run: a digest of its scenario as resolved and of the files it names, and its seed.

use std::collections::BTreeMap;
use std::fmt;

use anabranch_scenario::Scenario;

use crate::digest;

/// The digest of a scenario, equal for equivalent texts. Title, seed and number of runs do not count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ScenarioKey([u8; 16]);

impl ScenarioKey {
    /// The key of `scenario`, which was read with these files.
    pub(super) fn of(scenario: &Scenario, files: &BTreeMap<String, String>) -> ScenarioKey {
        let mut plain = scenario.clone();
        plain.title.clear();
        (plain.run.seed, plain.run.runs) = (0, 1);
        let mut text = plain.resolved().to_toml();
        for (name, content) in files {
            text.push_str(&format!("\n# {name} {}", digest::hex(&digest::sha256(content))));
        }
        let whole = digest::sha256(text);
        ScenarioKey(std::array::from_fn(|index| whole[index]))
    }

    /// Reads 32 hexadecimal digits.
    pub(super) fn parse(text: &str) -> Option<ScenarioKey> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u128::from_str_radix(text, 16).ok())?.map(|number| ScenarioKey(number.to_be_bytes()))
    }
}

impl fmt::Display for ScenarioKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&digest::hex(&self.0))
    }
}

impl fmt::Debug for ScenarioKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Origin, Purpose, load_bytes};

    fn key(text: &str, changes: &[&str], files: &[(&str, &str)]) -> ScenarioKey {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let loaded = load_bytes(
            text.as_bytes(),
            Origin::of_text("text", None),
            &changes,
            Purpose::Flows,
            &anabranch_planner::live::registry(),
        );
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        ScenarioKey::of(&loaded.expect("a scenario").scenario, &files)
    }

    const TEXT: &str = "run = { time = \"1 s\" }\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n";

    #[test]
    fn texts_that_say_the_same_have_the_same_key() {
        let same = TEXT.replace("1 Mbit/s", "1000 kbit/s");
        let same = format!("title = \"other words\" # and a comment\n{same}loss = 0.0\n");
        assert_eq!(key(TEXT, &[], &[]), key(&same, &["run.seed=7", "run.runs=3"], &[]));
        let key = key(TEXT, &[], &[]);
        assert_eq!(ScenarioKey::parse(&key.to_string()), Some(key));
    }

    #[test]
    fn a_change_of_a_setting_or_of_a_file_is_another_key() {
        let plain = key(TEXT, &[], &[]);
        for change in
            ["link.a.loss=0.1", "run.time=2 s", "flow.main.sctp.scheduler=fill", "link.a.reverse.loss=0.1"]
        {
            assert_ne!(plain, key(TEXT, &[change], &[]), "{change}");
        }
        let with_file = key(TEXT, &[], &[("up", "1\n")]);
        assert_ne!(plain, with_file);
        assert_ne!(with_file, key(TEXT, &[], &[("up", "2\n")]));
    }

    #[test]
    fn what_is_not_a_key_is_not_read() {
        for text in ["", "12", "+0000000000000000000000000000001", "zz000000000000000000000000000000"] {
            assert_eq!(ScenarioKey::parse(text), None, "{text}");
        }
    }
}
