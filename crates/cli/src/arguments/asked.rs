//! The settings that a user asks for by `--set help`, even if other arguments are missing.

use std::path::Path;

/// A request for a list of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The commands whose settings are listed.
    pub whose: SettingsOf,
    /// The texts that their keys, values or meanings contain, every one of them; everything is listed where this is empty.
    pub patterns: Vec<String>,
    /// The command line without the question.
    pub others: Vec<String>,
}

/// Which settings there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsOf {
    /// The settings of `send`, `recv` and `bench`.
    Tools,
    /// The settings of scenarios.
    Scenarios,
}

/// Parses a request for settings from the words of a command line: `--set help`, `--set help PATTERN…` or `--set
/// help=PATTERN`.
pub fn asked_settings(words: &[String]) -> Option<Asked> {
    let whose = match words.get(1)?.as_str() {
        "send" | "recv" | "bench" => SettingsOf::Tools,
        "sim" | "predict" | "plan" | "compare" | "sweep" | "emulate" | "demo" => SettingsOf::Scenarios,
        _ => return None,
    };
    // What follows `--` is another program's.
    let own = words.split(|word| word == "--").next().unwrap_or(words);
    let mut words = own.iter().peekable();
    let (mut others, mut patterns, mut is_asked) = (Vec::new(), Vec::new(), false);
    while let Some(word) = words.next() {
        let after = if word == "--set" { words.peek().copied() } else { None };
        let value = after.map_or_else(|| word.strip_prefix("--set="), |next| Some(next.as_str()));
        let Some(inline) = value.and_then(question) else {
            others.push(word.clone());
            continue;
        };
        is_asked = true;
        if after.is_some() {
            words.next();
        }
        patterns.extend(inline);
        // A scenario or a file that is to be sent is no pattern.
        let is_pattern = |word: &&String| !word.starts_with('-') && !Path::new(word).exists();
        while let Some(pattern) = words.next_if(is_pattern) {
            patterns.push(pattern.clone());
        }
    }
    is_asked.then_some(Asked { whose, patterns, others })
}

/// The patterns in `help`, `help=rto` or `help rto`; `None` where it is a setting.
fn question(value: &str) -> Option<Vec<String>> {
    let rest = value.strip_prefix("help")?;
    let is_one = rest.is_empty() || rest.starts_with(['=', ':', ' ']);
    is_one.then(|| rest.split(['=', ':', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::arguments::Arguments;

    fn asked(line: &[&str]) -> Option<Asked> {
        asked_settings(&line.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn patterns(line: &[&str]) -> Vec<String> {
        asked(line).expect("a question").patterns
    }

    #[test]
    fn set_help_asks_for_what_the_command_sets() {
        assert_eq!(
            asked(&["anabranch", "send", "--set", "help"]).map(|asked| asked.whose),
            Some(SettingsOf::Tools)
        );
        let sim = asked(&["anabranch", "sim", "two.toml", "--set=help"]).expect("a question");
        assert_eq!(
            (sim.whose, sim.others.join(" ")),
            (SettingsOf::Scenarios, "anabranch sim two.toml".to_owned())
        );
        assert_eq!(asked(&["anabranch", "sim", "two.toml", "--set", "run.seed=2"]), None);
        assert_eq!(asked(&["anabranch", "emulate", "two.toml", "--", "tool", "--set", "help"]), None);
        for command in Arguments::command().get_subcommands() {
            let takes_settings = command.get_arguments().any(|argument| argument.get_long() == Some("set"));
            let is_asked = asked(&["anabranch", command.get_name(), "--set", "help"]).is_some();
            assert_eq!(is_asked, takes_settings, "{}", command.get_name());
        }
    }

    #[test]
    fn words_behind_help_choose_among_the_settings() {
        assert_eq!(patterns(&["anabranch", "send", "--set", "help", "sctp"]), ["sctp"]);
        assert_eq!(patterns(&["anabranch", "send", "--set", "help", "rto", "min", "-q"]), ["rto", "min"]);
        for one in ["help=bbr", "help:bbr", "help bbr"] {
            assert_eq!(patterns(&["anabranch", "sim", "two.toml", "--set", one]), ["bbr"], "{one}");
            assert_eq!(patterns(&["anabranch", "sim", &format!("--set={one}")]), ["bbr"], "{one}");
        }
        let file = env!("CARGO_MANIFEST_DIR");
        let sim = asked(&["anabranch", "sim", "--set", "help", "loss", file]).expect("a question");
        assert_eq!(
            (sim.patterns, sim.others.last().map(String::as_str)),
            (vec!["loss".to_owned()], Some(file))
        );
        let more = asked(&["anabranch", "send", "--set", "sctp.profile=tuned-1", "--set", "help"]);
        assert_eq!(
            more.map(|more| more.others.join(" ")).as_deref(),
            Some("anabranch send --set sctp.profile=tuned-1")
        );
    }
}
