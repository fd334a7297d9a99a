//! The `sysctl` commands of a script as settings of the core, with FreeBSD's names.

use anabranch_base::setting::Value;
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{
    Config, EcnUse, Encapsulation, InitialWindow, MessageLimit, MtuDiscovery, NrGaps, setting,
};

use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use crate::script::ScriptOption;

/// The settings with which a script begins: those of RFC 9260 without an encapsulation, and the extensions that FreeBSD
/// offers by default.
pub(crate) fn first_settings() -> Config {
    let mut config = Config::rfc9260();
    config.encapsulation = Encapsulation::None;
    config.mtu = ByteCount::new(1_500);
    config.mtu_discovery = MtuDiscovery::Off;
    config.partial_reliability = true;
    config.give_up_at_loss = true;
    // The scripts are of the time of RFC 4960, whose slow start needs a cumulative acknowledgement.
    config.growth_needs_advance = true;
    // An application of sockets cannot see the peer's buffer.
    config.message_limit = MessageLimit::SendBuffer;
    config.stream_reconfiguration = true;
    config.nr_gaps = NrGaps::Readable;
    config
}

/// Applies the command `command` to `config`.
///
/// # Errors
///
/// The core lacks something, which the message names.
pub(crate) fn apply(config: &mut Config, command: &str) -> Result<(), String> {
    let mut words = command.split_whitespace();
    if words.next() != Some("sysctl") {
        return Err(format!("the command `{command}`"));
    }
    for word in words.filter(|word| !word.starts_with('-')) {
        let Some((name, value)) = word.split_once('=') else {
            return Err(format!("the command `{command}`"));
        };
        if let Some(key) = name.strip_prefix("anabranch.") {
            set_own(config, key, value)?;
            continue;
        }
        let number: u64 = value.parse().map_err(|_| format!("the value `{value}` of {name}"))?;
        set(config, name, number).map_err(|what| format!("{what}: `{name}={number}`"))?;
    }
    Ok(())
}

/// Sets the setting of the core `key`: a number of its unit (bytes, milliseconds), or a word.
fn set_own(config: &mut Config, key: &str, text: &str) -> Result<(), String> {
    let setting = setting(key).ok_or_else(|| format!("a setting `{key}`"))?;
    let values = match text.parse::<u64>() {
        Ok(number) => vec![
            Value::Size(ByteCount::new(number)),
            Value::Whole(number),
            Value::Packets(number),
            Value::Span(Duration::from_millis(number)),
            Value::Boolean(number != 0),
        ],
        Err(_) => vec![Value::word(text)],
    };
    let fits = |value: Value| (setting.set)(config, value).is_ok();
    if values.into_iter().any(fits) { Ok(()) } else { Err(format!("the value `{text}` of `{key}`")) }
}

fn set(config: &mut Config, name: &str, number: u64) -> Result<(), &'static str> {
    let is_on = number != 0;
    let millis = Duration::from_millis(number);
    match name.trim_start_matches("net.inet.").trim_start_matches("sctp.") {
        "ecn_enable" => config.ecn = if is_on { EcnUse::Cwr } else { EcnUse::Off },
        "pr_enable" => config.partial_reliability = is_on,
        "nrsack_enable" | "nrsack_on_off" | "nr_sack_on_off" => config.nr_sack = is_on,
        "reconfig_enable" => config.stream_reconfiguration = is_on,
        "asconf_enable" => config.dynamic_addresses = is_on,
        // AUTH is used for ASCONF alone.
        "auth_enable" => config.dynamic_addresses &= is_on,
        "auth_disable" => config.dynamic_addresses &= !is_on,
        "initial_cwnd" => config.initial_window = InitialWindow::Bytes(config.mtu * number),
        "maxburst" => config.max_burst.packets = u32::try_from(number).unwrap_or(u32::MAX),
        "rto_min" => config.rto.min = millis,
        "rto_max" => config.rto.max = millis,
        "rto_initial" => config.rto.initial = millis,
        "heartbeat_interval" => config.failover.heartbeat = millis,
        "cmt_on_off" => config.set_cmt(if is_on { CmtRules::ALL } else { CmtRules::NONE }),
        "cmt_use_dac" => config.set_cmt(CmtRules { delayed_ack: is_on, ..config.cmt }),
        // The core's own search is `anabranch.mtu_discovery=on`: scripts that turn on FreeBSD's list its probes.
        "plpmtud_enable" if !is_on => config.mtu_discovery = MtuDiscovery::Off,
        "plpmtud_enable" | "plpmtud_search_algorithm" => return Err(FREEBSDS_SEARCH),
        // The core has no packet drop reports.
        "pktdrop_enable" if !is_on => {}
        // FreeBSD drops what its application cannot read when memory is short, unless this is off.
        "do_sctp_drain" => config.nr_gaps = if is_on { NrGaps::Readable } else { NrGaps::All },
        "tcp.hostcache.purgenow" => {}
        "plpmtud_use_ptb" if !is_on => {}
        _ => return Err("a control that the core lacks"),
    }
    Ok(())
}

/// RFC 8899 §5.3.1: the next probe has "the same size or any other size (determined by the search algorithm)". The sizes
/// of PAD chunks, which scripts list, also depend on FreeBSD's heartbeat information.
const FREEBSDS_SEARCH: &str = "FreeBSD's probe sizes, of many that RFC 8899 §5.3.1 allows";

/// The options at the head of a script that concern the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunOptions {
    /// The difference between times that is allowed.
    pub(crate) tolerance: Duration,
    /// True for paths by IPv6.
    pub(crate) is_ipv6: bool,
    /// The size of IP packets that the interface carries.
    pub(crate) mtu: Option<u64>,
    /// True if packets are encapsulated in UDP.
    pub(crate) is_encapsulated: bool,
    /// The number of paths.
    pub(crate) paths: usize,
    /// The use of several paths.
    pub(crate) multipath: Multipath,
    /// True if packets are authenticated below SCTP, as between two ends of this project: then changes of addresses
    /// need no AUTH chunk.
    pub(crate) is_sealed: bool,
}

/// The use of several paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Multipath {
    /// New data on the primary path.
    Off,
    /// Concurrent multipath transfer (M-CMT-1 to 4).
    Cmt,
    /// Independent per-path congestion control (M-IPCC-1 to 5).
    Ipcc,
}

impl RunOptions {
    /// Reads `options`.
    ///
    /// # Errors
    ///
    /// The line of an option that is not understood, and the option.
    pub(crate) fn read(options: &[ScriptOption]) -> Result<RunOptions, (usize, String)> {
        let mut read = RunOptions {
            tolerance: Duration::from_millis(4),
            is_ipv6: false,
            mtu: None,
            is_encapsulated: false,
            paths: 1,
            multipath: Multipath::Off,
            is_sealed: false,
        };
        for ScriptOption { line, name, value } in options {
            let number = || {
                value.parse::<u64>().map_err(|_| (*line, format!("--{name} needs a number, got `{value}`")))
            };
            match name.as_str() {
                "tolerance_usecs" => read.tolerance = Duration::from_micros(number()?),
                "ip_version" => read.is_ipv6 = value == "ipv6",
                "mtu" => read.mtu = Some(number()?),
                "udp_encapsulation" => read.is_encapsulated = value == "sctp",
                "paths" => read.paths = usize::try_from(number()?).unwrap_or(usize::MAX).clamp(1, 8),
                "multipath" => {
                    read.multipath = match value.as_str() {
                        "off" => Multipath::Off,
                        "cmt" => Multipath::Cmt,
                        "ipcc" => Multipath::Ipcc,
                        _ => return Err((*line, format!("--multipath={value}"))),
                    }
                }
                "sealed" => read.is_sealed = true,
                _ => return Err((*line, format!("the option --{name}"))),
            }
        }
        Ok(read)
    }
}
