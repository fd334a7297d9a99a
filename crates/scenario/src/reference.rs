//! The reference of settings, made from their tables: rows of Markdown, and the values of each setting in words.

use anabranch_base::setting::{Kind, Scope, Setting, Variant};
use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::config::{Change, JITTERS, LOSSES, LinkConfig, QUEUES, settings as link_settings};
use anabranch_sctp::config::{Config, PROFILES, settings};
use anabranch_sctp::policy::Registry;
use anabranch_wireless::config::{MOVEMENTS, RadioConfig, StationConfig, radio_settings, station_settings};

use crate::model::{Direction, Event, RunSettings, Tcp};
use crate::resolved::{self, ResolvedValue};
use crate::settings::{
    AssociationSetting, CHANGES, EVENT, FLOW, LINK, OWN_SETTINGS, PATH, PathOptions, RADIO, RUN, STAGGER,
    TCP, TRAFFIC, defaults, unnamed,
};
use anabranch_base::exact::exact_size;

/// A key of scenario files and its description.
#[derive(Clone, Debug)]
pub struct Known {
    /// The key as `--set` takes it: `run.time`, `link.NAME.rate`, `event.N.at`, `flow.NAME.sctp.rto.min`.
    pub key: String,
    /// The kind of its values.
    pub kind: Kind,
    /// The default: a value as in a file, or words; empty where another setting determines it.
    pub default: String,
    /// The meaning.
    pub doc: &'static str,
}

/// The tables of the reference, by the name of their sections.
pub fn sections(registry: &Registry) -> [(&'static str, String); 18] {
    [
        ("units", crate::quantity::rows()),
        ("settings of runs", table_of(&runs(), registry)),
        ("settings of whole links", table_of(&whole_links(), registry)),
        ("settings of links", table_of(&links(), registry)),
        ("kinds of jitter", variant_rows(&JITTERS)),
        ("kinds of losses", variant_rows(&LOSSES)),
        ("kinds of queues", variant_rows(&QUEUES)),
        ("settings of radios", table_of(&radios(), registry)),
        ("settings of nodes", table_of(&nodes(), registry)),
        ("kinds of movement", variant_rows(&MOVEMENTS)),
        ("settings of paths", table_of(&paths(), registry)),
        ("settings of events", table_of(&events(), registry)),
        ("settings of flows", table_of(&flows(), registry)),
        ("kinds of traffic", variant_rows(&TRAFFIC)),
        ("settings of associations", table_of(&associations(registry), registry)),
        ("values by profile", profile_rows()),
        ("settings of TCP", table_of(&connections(), registry)),
        ("settings of the tools", table_of(&of_tools(registry), registry)),
    ]
}

/// The keys that `--set` can set in a scenario with the policies of `registry`, in the order of the reference.
pub fn known(registry: &Registry) -> Vec<Known> {
    let of_links = [whole_links(), links()].concat();
    let of_flows = flows().into_iter().filter(|row| !["sctp", "tcp"].contains(&row.key)).collect();
    let tables = [
        ("run", runs()),
        ("link.NAME", of_links),
        ("radio", radios()),
        ("node.NAME", nodes()),
        ("path.NAME", paths()),
        ("event.N", events()),
        ("flow.NAME", of_flows),
        ("flow.NAME.sctp", associations(registry)),
        ("flow.NAME.tcp", connections()),
    ];
    let known = |prefix: &str, row: Row| {
        let default = match row.default {
            DefaultValue::Value(value) => value.to_toml(),
            DefaultValue::Words(words) => words.to_owned(),
        };
        Known { key: format!("{prefix}.{}", row.key), kind: row.kind, default, doc: row.doc }
    };
    tables
        .into_iter()
        .flat_map(|(prefix, rows)| rows.into_iter().map(move |row| known(prefix, row)))
        .collect()
}

/// The values of a setting in a few words: `576 B to 65535 B`, or `` `on` or `off` ``.
pub fn values(kind: &Kind, registry: &Registry) -> String {
    match kind {
        Kind::Boolean => "true or false".to_owned(),
        Kind::Whole { least, most } if *most >= u64::from(u32::MAX) => format!("a number from {least}"),
        Kind::Whole { least, most } => format!("{least} to {most}"),
        Kind::Probability => "0 to 1".to_owned(),
        Kind::Number { least } => format!("a number from {least}"),
        Kind::Size { least, most } if *most == u64::MAX => match least {
            0 | 1 => "a size".to_owned(),
            least => format!("a size from {}", bytes(*least)),
        },
        Kind::Size { least, most } => format!("{} to {}", bytes(*least), bytes(*most)),
        Kind::SizeOrRange { .. } => "a size, or a range such as `1 MiB..16 MiB`".to_owned(),
        Kind::Span { .. } => "a time".to_owned(),
        Kind::Rate { .. } => "a rate".to_owned(),
        Kind::Distance => "a distance".to_owned(),
        Kind::Speed => "a speed".to_owned(),
        Kind::Word(words) => alternatives(&(words.built)()),
        Kind::Policy(kind) => alternatives(&registry.names(kind).map_or(Vec::new(), |names| names.built)),
        Kind::WordOr(words, other) => format!("`{}`, or {}", words.join("`, `"), values(other, registry)),
        Kind::ListOr(_, other) => format!("{}, or a list such as `[60, 27]`", values(other, registry)),
        Kind::PacketsOrSize => "packets, or a size".to_owned(),
        Kind::Periods => "a list such as `[[\"40.4 s\", \"41.5 s\"]]`".to_owned(),
        Kind::List { example, .. } => format!("a list such as `{example}`"),
        Kind::Shaped(values) => (*values).to_owned(),
        Kind::NotBuilt => "none yet".to_owned(),
    }
}

#[derive(Clone)]
struct Row {
    key: &'static str,
    kind: Kind,
    default: DefaultValue,
    doc: &'static str,
}

#[derive(Clone)]
enum DefaultValue {
    Value(ResolvedValue),
    Words(&'static str),
}

/// The rows of settings that are built, with their defaults from `target` unless `words` replaces them.
fn rows<T: 'static>(
    settings: impl IntoIterator<Item = &'static Setting<T>>,
    target: &T,
    words: impl Fn(&str) -> Option<&'static str>,
) -> Vec<Row> {
    let built = settings.into_iter().filter(|setting| !matches!(setting.kind, Kind::NotBuilt));
    let row = |setting: &'static Setting<T>| {
        let value = (setting.get)(target).map(|value| DefaultValue::Value(value.into()));
        let default =
            words(setting.key).map(DefaultValue::Words).or(value).unwrap_or(DefaultValue::Words(""));
        Row { key: setting.key, kind: setting.kind, default, doc: setting.doc }
    };
    built.map(row).collect()
}

fn runs() -> Vec<Row> {
    rows(&RUN, &RunSettings::default(), |key| (key == "time").then_some("none"))
}

fn whole_links() -> Vec<Row> {
    rows(&LINK, &false, |key| match key {
        "name" => Some("required"),
        "reverse" => Some("`{}`"),
        _ => None,
    })
}

/// The keys of a direction of a link.
fn links() -> Vec<Row> {
    let link = LinkConfig::new(BitRate::default(), Duration::ZERO);
    let mut rows = rows(link_settings(), &link, |key| (key == "rate").then_some("required"));
    let values = resolved::direction(&link);
    for row in rows.iter_mut().filter(|row| row.key != "rate") {
        row.default =
            values.find(row.key).map_or(DefaultValue::Words(""), |value| DefaultValue::Value(value.clone()));
    }
    rows
}

fn radios() -> Vec<Row> {
    let config = RadioConfig::default();
    let values = resolved::channel(&config);
    let mut rows =
        [rows(&RADIO, &(), |_| Some("`\"radio\"` for the first")), rows(radio_settings(), &config, |_| None)]
            .concat();
    if let Some(queue) = rows.iter_mut().find(|row| row.key == "queue") {
        queue.default =
            values.find("queue").map_or(DefaultValue::Words(""), |value| DefaultValue::Value(value.clone()));
    }
    rows
}

fn nodes() -> Vec<Row> {
    rows(station_settings(), &StationConfig::default(), |key| match key {
        "name" => Some("required"),
        "movement" => Some("`\"still\"`"),
        _ => None,
    })
}

fn paths() -> Vec<Row> {
    rows(&PATH, &PathOptions::default(), |key| match key {
        "copies" => Some("none"),
        "role" => None,
        _ => Some("required"),
    })
}

fn events() -> Vec<Row> {
    let event = Event { at: Time::ZERO, link: 0, direction: Direction::Both, change: Change::Up };
    rows(&EVENT, &event, |key| match key {
        "at" => Some("required"),
        "link" | "node" => Some("one of both"),
        key if CHANGES.contains(&key) => Some("one of these"),
        _ => None,
    })
}

fn flows() -> Vec<Row> {
    let mut all = rows(&FLOW, &unnamed(), |key| match key {
        "name" => Some("`\"main\"` for the first"),
        "paths" => Some("all"),
        "from" | "to" => Some("none"),
        "routing" => Some("`\"dsr\"`"),
        "transfer" => Some("none"),
        "traffic" => Some("`\"bulk\"`"),
        "sctp" | "tcp" => Some("`{}`"),
        _ => None,
    });
    let at = all.iter().position(|row| row.key == "traffic").unwrap_or(all.len());
    all.splice(at..at, rows([&STAGGER], &Duration::ZERO, |_| None));
    all
}

/// The keys of `[flow.sctp]`.
fn associations(registry: &Registry) -> Vec<Row> {
    let sctp = defaults(Config::default());
    let mut all = Vec::new();
    for setting in AssociationSetting::all(registry) {
        if !setting.scope().includes(Scope::Scenarios) {
            continue;
        }
        all.extend(row_of(&setting, &sctp.config));
        let own = OWN_SETTINGS.iter().filter(|(after, _)| *after == setting.key()).map(|(_, own)| own);
        all.extend(rows(own, &sctp, |_| None));
    }
    all
}

/// The keys of `[flow.tcp]`.
fn connections() -> Vec<Row> {
    rows(&TCP, &Tcp::default(), |_| None)
}

/// The keys of the tools' command line that scenarios do not have.
fn of_tools(registry: &Registry) -> Vec<Row> {
    let all = AssociationSetting::all(registry).into_iter();
    let of_tools = all.filter(|setting| setting.scope() == Scope::Tools);
    of_tools.filter_map(|setting| row_of(&setting, &Config::tuned_2())).collect()
}

/// The row of a setting that is built, with its default from `config`.
fn row_of(setting: &AssociationSetting, config: &Config) -> Option<Row> {
    let default =
        setting.get(config).map_or(DefaultValue::Words(""), |value| DefaultValue::Value(value.into()));
    let is_built = !matches!(setting.kind(), Kind::NotBuilt);
    is_built.then(|| Row { key: setting.key(), kind: setting.kind(), default, doc: setting.doc() })
}

/// The rows of the kinds of a table: kind, keys, meaning, an example.
fn variant_rows<T: 'static>(variants: &[Variant<T>]) -> String {
    let row = |variant: &Variant<T>| {
        let keys: Vec<String> = variant.settings.iter().map(|setting| format!("`{}`", setting.key)).collect();
        let name = format!("`{}`", variant.name);
        let example =
            if variant.example.is_empty() { String::new() } else { format!("`{}`", variant.example) };
        vec![name, keys.join(", "), variant.doc.to_owned(), example]
    };
    table(["`kind`", "keys", "meaning", "example"], &variants.iter().map(row).collect::<Vec<_>>())
}

/// The rows of the keys in which the profiles differ: the key, and a column for each profile.
fn profile_rows() -> String {
    let profiles = PROFILES.map(|(_, profile)| defaults(profile()).config);
    let keys =
        settings().filter(|setting| setting.scope.includes(Scope::Scenarios) && setting.key != "profile");
    let cells = keys.map(|setting| {
        let value =
            |config: &Config| (setting.get)(config).map_or_else(String::new, |value| cell(&value.into()));
        (format!("`{}`", setting.key), profiles.iter().map(value).collect::<Vec<String>>())
    });
    let differing = cells.filter(|(_, values)| values.iter().any(|value| *value != values[0]));
    let rows = differing.map(|(key, values)| [vec![key], values].concat());
    let [a, b, c, d, e] = PROFILES.map(|(name, _)| name);
    table(["key", a, b, c, d, e], &rows.collect::<Vec<_>>())
}

fn table_of(rows: &[Row], registry: &Registry) -> String {
    let cells = |row: &Row| {
        let default = match &row.default {
            DefaultValue::Value(value) => cell(value),
            DefaultValue::Words(words) => (*words).to_owned(),
        };
        vec![format!("`{}`", row.key), values(&row.kind, registry), default, row.doc.to_owned()]
    };
    table(["key", "values", "default", "meaning"], &rows.iter().map(cells).collect::<Vec<_>>())
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
