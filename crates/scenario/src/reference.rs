//! The reference of settings, made from their tables: rows of Markdown for the documentation, and in words which values a
//! setting takes.

use anabranch_base::setting::{Kind, Scope, Setting, Variant};
use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_link::config::{LOSSES, LinkConfig, QUEUES, settings as link_settings};
use anabranch_sctp::config::{Config, PROFILES, settings};
use anabranch_sctp::policy::Registry;

use crate::model::Sctp;
use crate::quantity::exact_size;
use crate::read::{self, OWN_SETTINGS};
use crate::resolved::{self, ResolvedValue};

/// Every table of the reference, by the name of its section.
pub fn sections(registry: &Registry) -> [(&'static str, String); 6] {
    [
        ("settings of links", link_rows(registry)),
        ("kinds of losses", variant_rows(&LOSSES)),
        ("kinds of queues", variant_rows(&QUEUES)),
        ("settings of flows", scenario_rows(registry)),
        ("values by profile", profile_rows()),
        ("settings of the tools", tool_rows(registry)),
    ]
}

/// Which values a setting takes, in a few words: `576 B to 65535 B`, or `` `on` or `off` ``.
pub fn values(kind: &Kind, registry: &Registry) -> String {
    match kind {
        Kind::Boolean => "true or false".to_owned(),
        Kind::Whole { least, most } if *most >= u64::from(u32::MAX) => format!("a number from {least}"),
        Kind::Whole { least, most } => format!("{least} to {most}"),
        Kind::Probability => "0 to 1".to_owned(),
        Kind::Size { least, most } if *most == u64::MAX => match least {
            0 | 1 => "a size".to_owned(),
            least => format!("a size from {}", bytes(*least)),
        },
        Kind::Size { least, most } => format!("{} to {}", bytes(*least), bytes(*most)),
        Kind::SizeOrRange { .. } => "a size, or a range such as `1 MiB..16 MiB`".to_owned(),
        Kind::Span { .. } => "a time".to_owned(),
        Kind::Word(words) => alternatives(&(words.built)()),
        Kind::Policy(kind) => alternatives(&registry.names(kind).map_or(Vec::new(), |names| names.built)),
        Kind::WordOr(word, other) => format!("`{word}`, or {}", values(other, registry)),
        Kind::ListOr(_, other) => format!("{}, or a list such as `[60, 27]`", values(other, registry)),
        Kind::PacketsOrSize => "packets, or a size".to_owned(),
        Kind::Periods => "a list such as `[[\"40.4 s\", \"41.5 s\"]]`".to_owned(),
        Kind::List { example, .. } => format!("a list such as `{example}`"),
        Kind::Shaped(values) => (*values).to_owned(),
        Kind::FalseYet => "false".to_owned(),
        Kind::NotBuilt => "none yet".to_owned(),
    }
}

/// The rows of a link's keys.
fn link_rows(registry: &Registry) -> String {
    let defaults = resolved::way(&LinkConfig::new(BitRate::default(), Duration::ZERO));
    let default = |key: &str| match key {
        "rate" => "required".to_owned(),
        key => defaults.find(key).map_or_else(String::new, cell),
    };
    let rows: Vec<_> = link_settings().map(|setting| row(setting, default(setting.key), registry)).collect();
    table(HEAD, &rows)
}

/// The rows of the kinds of a table: kind, keys, meaning, an example.
fn variant_rows<T: 'static>(variants: &[Variant<T>]) -> String {
    let row = |variant: &Variant<T>| {
        let keys: Vec<String> = variant.settings.iter().map(|setting| format!("`{}`", setting.key)).collect();
        let name = format!("`{}`", variant.name);
        vec![name, keys.join(", "), variant.doc.to_owned(), format!("`{}`", variant.example)]
    };
    table(["`kind`", "keys", "meaning", "example"], &variants.iter().map(row).collect::<Vec<_>>())
}

/// The rows of the keys of `[flow.sctp]` that are built.
fn scenario_rows(registry: &Registry) -> String {
    let sctp = read::defaults(Config::default());
    let mut rows = Vec::new();
    for setting in built(Scope::Scenarios) {
        rows.push(row(setting, value(setting, &sctp.config), registry));
        let own = OWN_SETTINGS.iter().filter(|(after, _)| *after == setting.key);
        rows.extend(own.map(|(_, own): &(_, Setting<Sctp>)| row(own, value(own, &sctp), registry)));
    }
    table(HEAD, &rows)
}

/// The rows of the keys that the tools' command line has and scenarios do not.
fn tool_rows(registry: &Registry) -> String {
    let defaults = Config::tuned_1();
    let of_tools = built(Scope::Tools).filter(|setting| setting.scope == Scope::Tools);
    let rows = of_tools.map(|setting| row(setting, value(setting, &defaults), registry));
    table(HEAD, &rows.collect::<Vec<_>>())
}

/// The rows of the keys whose values the profiles tell apart: key, and a column for each profile.
fn profile_rows() -> String {
    let profiles = PROFILES.map(|(_, profile)| read::defaults(profile()).config);
    let keys = built(Scope::Scenarios).filter(|setting| setting.key != "profile");
    let cells = keys.map(|setting| {
        let values: Vec<String> = profiles.iter().map(|config| value(setting, config)).collect();
        (format!("`{}`", setting.key), values)
    });
    let differing = cells.filter(|(_, values)| values.iter().any(|value| *value != values[0]));
    let rows = differing.map(|(key, values)| [vec![key], values].concat());
    let [a, b, c, d] = PROFILES.map(|(name, _)| name);
    table(["key", a, b, c, d], &rows.collect::<Vec<_>>())
}

const HEAD: [&str; 4] = ["key", "values", "default", "meaning"];

/// The protocol's settings that can be set where `scope` says.
fn built(scope: Scope) -> impl Iterator<Item = &'static Setting<Config>> {
    settings().filter(move |setting| setting.scope.includes(scope) && !matches!(setting.kind, Kind::NotBuilt))
}

fn row<T: 'static>(setting: &Setting<T>, default: String, registry: &Registry) -> Vec<String> {
    vec![format!("`{}`", setting.key), values(&setting.kind, registry), default, setting.doc.to_owned()]
}

/// The value of a setting, as a file has it; empty where another setting says it.
fn value<T: 'static>(setting: &Setting<T>, target: &T) -> String {
    (setting.get)(target).map_or_else(String::new, |value| cell(&value.into()))
}

fn cell(value: &ResolvedValue) -> String {
    format!("`{}`", value.to_toml())
}

fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head = line(&head.map(str::to_owned));
    let rule = line(&vec!["---".to_owned(); COLUMNS]).replace(' ', "");
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{head}{rule}{rows}")
}

fn alternatives(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match &words[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => words.concat(),
    }
}

fn bytes(count: u64) -> String {
    exact_size(ByteCount::new(count))
}
