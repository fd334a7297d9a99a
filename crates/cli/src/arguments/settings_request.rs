//! Recognises `--set help`, even if other arguments are missing.

use std::path::Path;

/// A request for a list of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsRequest {
    /// The commands whose settings are listed.
    pub group: SettingGroup,
    /// The texts that a listed setting contains, all of them, in its key, value or meaning. Without any, every setting is
    /// listed.
    pub patterns: Vec<String>,
    /// The command line without the request.
    pub others: Vec<String>,
}

/// A group of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingGroup {
    /// The settings of `send`, `recv`, `bench` and `doctor`.
    Tools,
    /// The settings of `forward`, whose profile is another.
    Forward,
    /// The settings of scenarios.
    Scenarios,
}

/// Parses a request for settings from the words of a command line: `--set help`, `--set help PATTERN…` or `--set
/// help=PATTERN`.
pub(crate) fn settings_request(words: &[String]) -> Option<SettingsRequest> {
    let group = match words.get(1)?.as_str() {
        "send" | "recv" | "bench" | "doctor" => SettingGroup::Tools,
        "forward" => SettingGroup::Forward,
        "sim" | "predict" | "plan" | "compare" | "sweep" | "emulate" | "demo" => SettingGroup::Scenarios,
        _ => return None,
    };
    // The words after `--` belong to another program.
    let own = words.split(|word| word == "--").next().unwrap_or(words);
    let mut words = own.iter().peekable();
    let (mut others, mut patterns, mut is_requested) = (Vec::new(), Vec::new(), false);
    while let Some(word) = words.next() {
        let after = if word == "--set" { words.peek().copied() } else { None };
        let value = after.map_or_else(|| word.strip_prefix("--set="), |next| Some(next.as_str()));
        let Some(inline) = value.and_then(patterns_after_help) else {
            others.push(word.clone());
            continue;
        };
        is_requested = true;
        if after.is_some() {
            words.next();
        }
        patterns.extend(inline);
        // An existing file is a scenario, or a file to send, rather than a pattern.
        let is_pattern = |word: &&String| !word.starts_with('-') && !Path::new(word).exists();
        while let Some(pattern) = words.next_if(is_pattern) {
            patterns.push(pattern.clone());
        }
    }
    is_requested.then_some(SettingsRequest { group, patterns, others })
}

/// The patterns in `help`, `help=rto` or `help rto`; `None` for a setting.
fn patterns_after_help(value: &str) -> Option<Vec<String>> {
    let rest = value.strip_prefix("help")?;
    let is_help = rest.is_empty() || rest.starts_with(['=', ':', ' ']);
    is_help.then(|| rest.split(['=', ':', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::arguments::Arguments;

    fn request(line: &[&str]) -> Option<SettingsRequest> {
        settings_request(&line.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn patterns(line: &[&str]) -> Vec<String> {
        request(line).expect("a question").patterns
    }

    #[test]
    fn set_help_asks_for_what_the_command_sets() {
        assert_eq!(
            request(&["anabranch", "send", "--set", "help"]).map(|request| request.group),
            Some(SettingGroup::Tools)
        );
        assert_eq!(
            request(&["anabranch", "forward", "--set", "help"]).map(|request| request.group),
            Some(SettingGroup::Forward)
        );
        let sim = request(&["anabranch", "sim", "two.toml", "--set=help"]).expect("a question");
        assert_eq!(
            (sim.group, sim.others.join(" ")),
            (SettingGroup::Scenarios, "anabranch sim two.toml".to_owned())
        );
        assert_eq!(request(&["anabranch", "sim", "two.toml", "--set", "run.seed=2"]), None);
        assert_eq!(request(&["anabranch", "emulate", "two.toml", "--", "tool", "--set", "help"]), None);
        for command in Arguments::command().get_subcommands() {
            let takes_settings = command.get_arguments().any(|argument| argument.get_long() == Some("set"));
            let is_understood = request(&["anabranch", command.get_name(), "--set", "help"]).is_some();
            assert_eq!(is_understood, takes_settings, "{}", command.get_name());
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
        let sim = request(&["anabranch", "sim", "--set", "help", "loss", file]).expect("a question");
        assert_eq!(
            (sim.patterns, sim.others.last().map(String::as_str)),
            (vec!["loss".to_owned()], Some(file))
        );
        let more = request(&["anabranch", "send", "--set", "sctp.profile=tuned-1", "--set", "help"]);
        assert_eq!(
            more.map(|more| more.others.join(" ")).as_deref(),
            Some("anabranch send --set sctp.profile=tuned-1")
        );
    }
}
