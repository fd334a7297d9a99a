//! The settings of real transfers: which profile the tools use, and what `--set` may change.

use anabranch_planner::live;
use anabranch_scenario::quantity::exact_size;
use anabranch_sctp::config::{BufferSplit, BurstRule, Config, Growth, MtuDiscovery, SackBatch};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::quantity;

/// What `send`, `recv` and `demo` use unless told otherwise: the newest profile for real networks, for any number of paths.
pub fn for_tools() -> Config {
    Config::tuned_1()
}

/// `base` with the settings of the command line, each `sctp.KEY=VALUE`.
///
/// # Errors
/// An unknown key with the nearest known one, a value outside its domain.
pub fn with(base: Config, changes: &[String]) -> Result<Config, Failure> {
    let mut config = base;
    // A profile is what the others are changes of, wherever it stands.
    let (profiles, others): (Vec<_>, Vec<_>) = changes.iter().partition(|change| names_profile(change));
    for change in profiles.into_iter().chain(others) {
        apply(&mut config, change).map_err(|why| Failure::Arguments(format!("--set {change}: {why}")))?;
    }
    config.check().map_err(|error| Failure::Arguments(format!("--set sctp.{error}")))?;
    Ok(config)
}

/// Every setting as used, nested as in a scenario file.
pub fn resolved(config: &Config) -> Value {
    let mut all = Map::new();
    for setting in SETTINGS {
        let mut table = &mut all;
        let mut parts = setting.key.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                table.insert(part.to_owned(), (setting.read)(config));
                break;
            }
            let inner = table.entry(part).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { break };
            table = inner;
        }
    }
    Value::Object(all)
}

/// One line a setting: its key, what the tools use, what it may be.
pub fn list() -> String {
    let tools = for_tools();
    let line = |setting: &Setting| {
        let value = (setting.read)(&tools);
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("  sctp.{:<30} {value:<14} {}\n", setting.key, setting.expected)
    };
    let lines: String = SETTINGS.iter().map(line).collect();
    format!("  {:<35} {:<14} what it is\n{lines}", "setting", "value")
}

struct Setting {
    key: &'static str,
    expected: &'static str,
    read: fn(&Config) -> Value,
    write: fn(&mut Config, &str) -> Result<(), String>,
}

fn names_profile(change: &str) -> bool {
    change.split_once('=').is_some_and(|(key, _)| key.trim() == "sctp.profile")
}

fn apply(config: &mut Config, change: &str) -> Result<(), String> {
    let (key, value) = change.split_once('=').ok_or("expected sctp.KEY=VALUE")?;
    let key = key.trim();
    let known = key.strip_prefix("sctp.").and_then(|key| SETTINGS.iter().find(|known| known.key == key));
    let setting = known.ok_or_else(|| unknown(key))?;
    (setting.write)(config, value.trim())
}

fn unknown(key: &str) -> String {
    let bare = key.strip_prefix("sctp.").unwrap_or(key);
    let distance = |setting: &&Setting| strsim::damerau_levenshtein(bare, setting.key);
    let nearest = SETTINGS.iter().min_by_key(distance).map_or("", |setting| setting.key);
    format!("there is no setting {key:?}; the nearest is sctp.{nearest} (`--set help` lists all)")
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no number that fits here"))
}

fn boolean(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is neither true nor false"))
}

fn set<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

/// Switches a rule of CMT, and leaves the timing of SACKs as it is: that is the other end's half.
fn set_rule(config: &mut Config, text: &str, rule: fn(&mut CmtRules) -> &mut bool) -> Result<(), String> {
    let mut rules = config.cmt;
    *rule(&mut rules) = text.parse().map_err(|_| format!("{text:?} is neither true nor false"))?;
    let timing = std::mem::take(&mut config.ack_timing);
    config.set_cmt(rules);
    config.ack_timing = timing;
    Ok(())
}

/// A rule's name, or limits in packets, one for each path: `[60, 27]`.
fn set_window_management(config: &mut Config, text: &str) -> Result<(), String> {
    let limits = match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(list) => list.split(',').map(|limit| number(limit.trim())).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let name = if limits.is_empty() { text } else { "static" };
    let known = live::registry().window_limits.names().any(|known| known == name);
    if !known {
        return Err(format!(
            "{text:?} is neither none, dynamic nor live, nor a list of limits such as [60, 27]"
        ));
    }
    name.clone_into(&mut config.window_management);
    config.window_limits = limits;
    Ok(())
}

fn receive_buffer(config: &Config) -> Value {
    let size = exact_size(config.receive_buffer);
    Value::String(match config.receive_growth {
        None => size,
        Some(growth) => format!("{size}..{}", exact_size(growth.limit)),
    })
}

/// A size, or the first and the last of one that grows: `1MiB..16MiB`.
fn set_receive_buffer(config: &mut Config, text: &str) -> Result<(), String> {
    let (first, limit) = text.split_once("..").map_or((text, None), |(first, limit)| (first, Some(limit)));
    config.receive_buffer = quantity::size(first)?;
    config.receive_growth = limit.map(quantity::size).transpose()?.map(Growth::to);
    Ok(())
}

fn shown(value: &dyn ToString) -> Value {
    Value::String(value.to_string())
}

fn profile(text: &str) -> Result<Config, String> {
    Config::profile(text).ok_or_else(|| format!("{text:?} is none of rfc2960, rfc4960, rfc9260, tuned-1"))
}

/// Every way to split buffers, as users write it.
const SPLITS: [(&str, BufferSplit); 4] = [
    ("none", BufferSplit::None),
    ("sender", BufferSplit::Sender),
    ("receiver", BufferSplit::Receiver),
    ("both", BufferSplit::Both),
];

fn buffer_split(text: &str) -> Result<BufferSplit, String> {
    let known = SPLITS.iter().find(|(word, _)| *word == text);
    let (_, split) = known.ok_or_else(|| format!("{text:?} is none of none, sender, receiver, both"))?;
    Ok(*split)
}

fn burst_rule(is_paced: bool) -> BurstRule {
    if is_paced { BurstRule::Paced } else { BurstRule::Event }
}

fn sack_batch(is_whole: bool) -> SackBatch {
    if is_whole { SackBatch::Whole } else { SackBatch::Each }
}

fn split_word(split: BufferSplit) -> &'static str {
    SPLITS.iter().find(|(_, known)| *known == split).map_or("", |(word, _)| word)
}

fn mtu_discovery(text: &str) -> Result<MtuDiscovery, String> {
    match text {
        "on" => Ok(MtuDiscovery::On),
        "off" => Ok(MtuDiscovery::Off),
        _ => Err(format!("{text:?} is neither on nor off")),
    }
}

fn discovery_word(discovery: MtuDiscovery) -> &'static str {
    match discovery {
        MtuDiscovery::On => "on",
        MtuDiscovery::Off => "off",
    }
}

const SETTINGS: &[Setting] = &[
    Setting {
        key: "profile",
        expected: "what the other settings begin from: rfc2960, rfc4960, rfc9260, tuned-1",
        read: |config| json!(config.profile),
        write: |config, text| set(config, profile(text)),
    },
    Setting {
        key: "scheduler",
        expected: "which path carries new data: round-robin, fill, lowest-rtt, primary",
        read: |config| json!(config.scheduler),
        write: |config, text| set(&mut config.scheduler, Ok(text.to_owned())),
    },
    Setting {
        key: "retransmission",
        expected: "where a chunk goes after a time-out: alternate, same, asap, cwnd, ssthresh, lossrate, compound",
        read: |config| json!(config.retransmission),
        write: |config, text| set(&mut config.retransmission, Ok(text.to_owned())),
    },
    Setting {
        key: "fast_retransmission",
        expected: "where a chunk goes after missing reports: as above",
        read: |config| json!(config.fast_retransmission),
        write: |config, text| set(&mut config.fast_retransmission, Ok(text.to_owned())),
    },
    Setting {
        key: "receive_buffer",
        expected: "the receive buffer, shared by all paths: 1MiB, or 1MiB..16MiB for one that grows",
        read: receive_buffer,
        write: set_receive_buffer,
    },
    Setting {
        key: "send_buffer",
        expected: "how much may wait to be acknowledged",
        read: |config| Value::String(exact_size(config.send_buffer)),
        write: |config, text| set(&mut config.send_buffer, quantity::size(text)),
    },
    Setting {
        key: "buffer_split",
        expected: "what each path has a part of: none, sender, receiver, both",
        read: |config| json!(split_word(config.buffer_split)),
        write: |config, text| set(&mut config.buffer_split, buffer_split(text)),
    },
    Setting {
        key: "window_management",
        expected: "how windows share the peer's buffer: none, dynamic, live, or limits in packets, [60, 27]",
        read: |config| match &config.window_limits[..] {
            [] => json!(config.window_management),
            limits => json!(limits),
        },
        write: set_window_management,
    },
    Setting {
        key: "mtu",
        expected: "the size of an IP packet that every path carries, or the largest that is tried",
        read: |config| Value::String(exact_size(config.mtu)),
        write: |config, text| set(&mut config.mtu, quantity::size(text)),
    },
    Setting {
        key: "mtu_discovery",
        expected: "whether each path's largest packet is searched, up to mtu: on, off",
        read: |config| json!(discovery_word(config.mtu_discovery)),
        write: |config, text| set(&mut config.mtu_discovery, mtu_discovery(text)),
    },
    Setting {
        key: "missing_reports",
        expected: "how many missing reports make a chunk lost",
        read: |config| json!(config.missing_reports),
        write: |config, text| set(&mut config.missing_reports, number(text)),
    },
    Setting {
        key: "max_burst",
        expected: "how many packets one event lets out on a path, or one train where they are paced",
        read: |config| json!(config.max_burst.packets),
        write: |config, text| set(&mut config.max_burst.packets, number(text)),
    },
    Setting {
        key: "pacing",
        expected: "whether windows are spread over the round trip, in trains of max_burst",
        read: |config| json!(config.max_burst.rule == BurstRule::Paced),
        write: |config, text| set(&mut config.max_burst.rule, boolean(text).map(burst_rule)),
    },
    Setting {
        key: "cmt.split_fast_retransmit",
        expected: "several paths: a chunk is missing when a later one of its own path arrived",
        read: |config| json!(config.cmt.split_fast_retransmit),
        write: |config, text| set_rule(config, text, |rules| &mut rules.split_fast_retransmit),
    },
    Setting {
        key: "cmt.window_update",
        expected: "several paths: a window grows when its own path's lowest chunk arrived",
        read: |config| json!(config.cmt.window_update),
        write: |config, text| set_rule(config, text, |rules| &mut rules.window_update),
    },
    Setting {
        key: "cmt.delayed_ack",
        expected: "several paths: a SACK that stands for several packets counts for them all",
        read: |config| json!(config.cmt.delayed_ack),
        write: |config, text| set_rule(config, text, |rules| &mut rules.delayed_ack),
    },
    Setting {
        key: "ack_timing",
        expected: "which packets are answered late: standard, dac, dac-on-several-paths",
        read: |config| json!(config.ack_timing),
        write: |config, text| set(&mut config.ack_timing, Ok(text.to_owned())),
    },
    Setting {
        key: "sack.every",
        expected: "a SACK at every so many packets",
        read: |config| json!(config.sack.every),
        write: |config, text| set(&mut config.sack.every, number(text)),
    },
    Setting {
        key: "sack.delay",
        expected: "and after so long at the latest, at most 500 ms",
        read: |config| shown(&config.sack.delay),
        write: |config, text| set(&mut config.sack.delay, quantity::span(text)),
    },
    Setting {
        key: "sack.batch",
        expected: "whether packets that are read at once are answered by one SACK",
        read: |config| json!(config.sack.batch == SackBatch::Whole),
        write: |config, text| set(&mut config.sack.batch, boolean(text).map(sack_batch)),
    },
    Setting {
        key: "rto.initial",
        expected: "the time-out before anything was measured",
        read: |config| shown(&config.rto.initial),
        write: |config, text| set(&mut config.rto.initial, quantity::span(text)),
    },
    Setting {
        key: "rto.min",
        expected: "the least time-out",
        read: |config| shown(&config.rto.min),
        write: |config, text| set(&mut config.rto.min, quantity::span(text)),
    },
    Setting {
        key: "rto.max",
        expected: "the largest time-out",
        read: |config| shown(&config.rto.max),
        write: |config, text| set(&mut config.rto.max, quantity::span(text)),
    },
    Setting {
        key: "rto.variation",
        expected: "how much later than usual an answer may always be",
        read: |config| shown(&config.rto.variation),
        write: |config, text| set(&mut config.rto.variation, quantity::span(text)),
    },
    Setting {
        key: "failover.potentially_failed",
        expected: "data leaves a path at so many errors in a row; 0 never",
        read: |config| json!(config.failover.potentially_failed),
        write: |config, text| set(&mut config.failover.potentially_failed, number(text)),
    },
    Setting {
        key: "failover.path_max",
        expected: "a path is left after more errors in a row than this",
        read: |config| json!(config.failover.path_max),
        write: |config, text| set(&mut config.failover.path_max, number(text)),
    },
    Setting {
        key: "failover.association_max",
        expected: "the peer is gone after more than this",
        read: |config| json!(config.failover.association_max),
        write: |config, text| set(&mut config.failover.association_max, number(text)),
    },
    Setting {
        key: "failover.heartbeat",
        expected: "the time between probes of an idle path",
        read: |config| shown(&config.failover.heartbeat),
        write: |config, text| set(&mut config.failover.heartbeat, quantity::span(text)),
    },
    Setting {
        key: "failover.quick",
        expected: "whether data leaves a path that is silent while another delivers",
        read: |config| json!(config.failover.quick),
        write: |config, text| set(&mut config.failover.quick, boolean(text)),
    },
    Setting {
        key: "max_init_retransmits",
        expected: "how often an attempt to connect is repeated",
        read: |config| json!(config.max_init_retransmits),
        write: |config, text| set(&mut config.max_init_retransmits, number(text)),
    },
];

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};

    use super::*;

    fn changed(change: &str) -> Result<Config, String> {
        with(for_tools(), &[change.to_owned()]).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_tools_settings_are_within_their_domains() {
        assert_eq!(for_tools().check(), Ok(()));
    }

    #[test]
    fn a_setting_is_changed_by_its_name() {
        assert_eq!(changed("sctp.rto.min=300 ms").map(|c| c.rto.min), Ok(Duration::from_millis(300)));
        let buffer = |text| changed(text).map(|c| (c.receive_buffer, c.receive_growth));
        assert_eq!(buffer("sctp.receive_buffer=2MiB"), Ok((ByteCount::from_mib(2), None)));
        let growth = Some(Growth::to(ByteCount::from_mib(8)));
        assert_eq!(buffer("sctp.receive_buffer=64KiB..8MiB"), Ok((ByteCount::from_kib(64), growth)));
        assert!(buffer("sctp.receive_buffer=2MiB..1MiB").is_err(), "it never shrinks");
        assert_eq!(changed("sctp.buffer_split=both").map(|c| c.buffer_split), Ok(BufferSplit::Both));
        assert_eq!(
            changed("sctp.window_management=live").map(|c| c.window_management),
            Ok("live".to_owned())
        );
        assert_eq!(changed("sctp.window_management=[60, 27]").map(|c| c.window_limits), Ok(vec![60, 27]));
        assert_eq!(changed("sctp.failover.quick=false").map(|c| c.failover.quick), Ok(false));
        assert_eq!(changed("sctp.scheduler = fill").map(|c| c.scheduler), Ok("fill".to_owned()));
    }

    #[test]
    fn a_profile_is_what_the_other_settings_change_wherever_it_stands() {
        let changes = ["sctp.sack.every=3", "sctp.profile=rfc4960"].map(str::to_owned);
        let config =
            with(for_tools(), &changes).map_err(|failure| failure.to_string()).expect("both are good");
        assert_eq!((config.profile, config.sack.every, config.missing_reports), ("rfc4960", 3, 4));
        let error = changed("sctp.profile=tuned").expect_err("no name");
        assert!(error.contains("none of rfc2960, rfc4960, rfc9260, tuned-1"), "{error}");
    }

    #[test]
    fn an_unknown_key_is_answered_with_the_nearest() {
        let error = changed("sctp.recieve_buffer=1 MiB").expect_err("a slip");
        assert!(error.contains("the nearest is sctp.receive_buffer"), "{error}");
        let error = changed("rto.min=1 s").expect_err("no prefix");
        assert!(error.contains("the nearest is sctp.rto.min"), "{error}");
    }

    #[test]
    fn what_is_no_value_is_refused_and_what_was_expected_is_said() {
        for (change, complaint) in [
            ("sctp.mtu", "expected sctp.KEY=VALUE"),
            ("sctp.mtu=big", "is no size"),
            ("sctp.mtu=10 B", "may be 576 to 65535"),
            ("sctp.rto.min=0 s", "it may be more than 0"),
            ("sctp.missing_reports=300", "is no number that fits"),
            ("sctp.failover.quick=yes", "neither true nor false"),
            ("sctp.window_management=statik", "neither none, dynamic nor live"),
            ("sctp.window_management=static", "it needs limits"),
            ("sctp.window_management=[60, x]", "\"x\" is no number that fits"),
            ("sctp.window_management=[60, 0]", "a limit is 1 packet at least"),
        ] {
            let error = changed(change).expect_err(change);
            assert!(error.contains(complaint), "{change}: {error}");
        }
    }

    #[test]
    fn every_setting_is_shown_as_it_is_read() {
        let config = changed("sctp.rto.min=300 ms").expect("a good setting");
        let resolved = resolved(&config);
        assert_eq!(resolved["rto"]["min"], "300 ms");
        assert_eq!(resolved["failover"]["path_max"], 2);
        for setting in SETTINGS {
            let value = (setting.read)(&config);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let mut again = for_tools();
            assert_eq!((setting.write)(&mut again, &text), Ok(()), "{}", setting.key);
            assert_eq!((setting.read)(&again), value, "{}", setting.key);
        }
    }
}
