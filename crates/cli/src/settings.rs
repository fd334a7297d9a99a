//! The settings of real transfers: which profile the tools use, and what `--set` makes of it. Keys, values and meanings are those of the tables of settings, as in scenario files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anabranch_base::Duration;
use anabranch_scenario::{Assignment, ParsedDocument, Source, tools};
use anabranch_sctp::config::{Config, StreamScheduler};
use serde_json::Value;

use crate::arguments::SettingChanges;
use crate::failure::Failure;
use crate::policies;

/// Returns the default settings of `send`, `recv` and `demo`: the newest profile for real networks, for any number
/// of paths.
pub(crate) fn for_tools() -> Config {
    Config::tuned_2()
}

/// Returns the default settings of `forward`: the tools' profile, with a stream for each flow.
pub(crate) fn for_forward() -> Config {
    let tools = for_tools();
    let mut failover = tools.failover;
    // An association outlives ten minutes without any link: with at most 4 s between attempts, 300 of them take longer.
    failover.association_max = MOST_ERRORS;
    let mut rto = tools.rto;
    rto.max = LONGEST_TIMEOUT;
    Config {
        stream_credits: true,
        outbound_streams: u16::MAX,
        inbound_streams: u16::MAX,
        // An echo does not wait behind a bulk flow: the flows share the windows.
        interleaving: true,
        stream_scheduler: StreamScheduler::FairBandwidth,
        partial_reliability: true,
        failover,
        rto,
        ..tools
    }
}

/// `config` of an end that takes part in measurements: one that measures, or one that listens, whatever it serves.
pub(crate) fn measurable(config: Config) -> Config {
    Config { test_packets: cfg!(feature = "full"), ..config }
}

/// `base` with the settings of the command line, each `sctp.KEY=VALUE`.
///
/// # Errors
/// An unknown key with the nearest known one, a value outside its domain.
pub(crate) fn with(base: Config, changes: &[String]) -> Result<Config, Failure> {
    Ok(tools::configure(base, &assignments(changes)?, &policies::registry())?)
}

/// `base` with the settings of a file, if there is one, and then with those of the command line.
///
/// # Errors
/// As [`with`], with the line and column of a fault in the file; a file that cannot be read.
pub(crate) fn changed(base: Config, wanted: &SettingChanges) -> Result<Config, Failure> {
    let SettingChanges { settings, settings_file } = wanted;
    let Some(file) = settings_file else { return with(base, settings) };
    let document = ParsedDocument::parse(&read(file)?)?;
    Ok(tools::configure_from(base, &document, &assignments(settings)?, &policies::registry())?)
}

fn assignments(changes: &[String]) -> Result<Vec<Assignment>, Failure> {
    Ok(changes.iter().map(|change| Assignment::parse(change)).collect::<Result<Vec<_>, _>>()?)
}

fn read(file: &Path) -> Result<Source, Failure> {
    let name = file.display().to_string();
    let unread = |error: std::io::Error| Failure::Arguments(format!("the file of settings {name}: {error}"));
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(unread)?;
    opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::Arguments(format!("the file of settings {name} has more than {LARGEST} bytes")));
    }
    Ok(Source::from_bytes(name, &bytes)?)
}

/// Every setting as used, nested as in a scenario file.
pub(crate) fn resolved(config: &Config) -> Value {
    anabranch_observe::settings(&tools::resolved(config, &policies::registry()))
}

/// The largest file of settings.
const LARGEST: u64 = 1 << 20;
const MOST_ERRORS: u32 = 400;
/// A link that returns is used within this time.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(4);

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;
    use anabranch_sctp::config::{BufferSplit, EcnUse, Growth};
    use anabranch_sctp::policy::congestion::reno::EcnWindow;

    use super::*;

    fn changed(change: &str) -> Result<Config, String> {
        with(for_tools(), &[change.to_owned()]).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_tools_settings_are_within_their_domains() {
        assert_eq!(for_tools().check(), Ok(()));
        assert_eq!(for_forward().check(), Ok(()));
    }

    #[test]
    fn a_setting_is_changed_by_its_name() {
        assert_eq!(changed("sctp.rto.min=300 ms").map(|c| c.rto.min), Ok(Duration::from_millis(300)));
        let buffer = |text| changed(text).map(|c| (c.receive_buffer, c.receive_growth));
        assert_eq!(buffer("sctp.receive_buffer=2MiB"), Ok((ByteCount::from_mib(2), None)));
        let growth = Some(Growth::to(ByteCount::from_mib(8)));
        assert_eq!(buffer("sctp.receive_buffer=64KiB..8MiB"), Ok((ByteCount::from_kib(64), growth)));
        assert!(buffer("sctp.receive_buffer=2MiB..1MiB").is_err(), "it never shrinks");
        assert_eq!(changed("sctp.mtu=1400").map(|c| c.mtu), Ok(ByteCount::new(1400)), "without its unit");
        assert_eq!(changed("sctp.max_burst=8").map(|c| c.max_burst.packets), Ok(8));
        assert_eq!(changed("sctp.buffer_split=both").map(|c| c.buffer_split), Ok(BufferSplit::Both));
        assert_eq!(
            changed("sctp.window_management=live").map(|c| c.window_management),
            Ok("live".to_owned())
        );
        assert_eq!(changed("sctp.window_management=[60, 27]").map(|c| c.window_limits), Ok(vec![60, 27]));
        assert_eq!(changed("sctp.failover.quick=false").map(|c| c.failover.quick), Ok(false));
        assert_eq!(changed("sctp.scheduler = fill").map(|c| c.scheduler), Ok("fill".to_owned()));
        assert_eq!(changed("sctp.congestion_control=reno").map(|c| c.congestion_control), Ok("reno".into()));
        assert_eq!(changed("sctp.loss_response=standard").map(|c| c.loss_response), Ok("standard".into()));
        assert_eq!(changed("sctp.ecn=cwr").map(|c| c.ecn), Ok(EcnUse::Cwr));
        assert_eq!(changed("sctp.ecn_window=cwnd/4").map(|c| c.ecn_window), Ok(EcnWindow::Divided(4)));
        assert_eq!(changed("sctp.ecn_test=true").map(|c| c.ecn_test), Ok(true));
    }

    #[test]
    fn settings_of_a_file_precede_those_of_the_command_line_and_its_faults_have_a_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.toml");
        let read = |text: &str, changes: &[&str]| {
            std::fs::write(&path, text).expect("written");
            let settings: Vec<String> = changes.iter().map(ToString::to_string).collect();
            let wanted = SettingChanges { settings, settings_file: Some(path.clone()) };
            super::changed(for_tools(), &wanted).map_err(|failure| failure.to_string())
        };
        let text = "sctp.congestion_control = \"bbr\"\n[sctp.rto]\nmin = \"300 ms\"\n";
        let config = read(text, &["sctp.rto.min=400 ms"]).expect("good settings");
        assert_eq!((config.congestion_control.as_str(), config.rto.min), ("bbr", Duration::from_millis(400)));
        assert_eq!(read("", &[]), Ok(for_tools()));
        for (text, complaint) in [
            ("[sctp]\ncongestion_controll = \"bbr\"", ":2:1: "),
            ("[sctp]\nmtu = \"big\"", "is not a size"),
            ("[link]\nrate = 1", ":1:2: `link` is not a setting of an association"),
            ("sctp = 1", "expected a table [sctp]"),
            ("[sctp", ":1:"),
            ("[sctp]\nrto = { min = \"9 s\", max = \"1 s\" }", "expected at most"),
        ] {
            let error = read(text, &[]).expect_err(text);
            assert!(error.contains(complaint), "{text}: {error}");
        }
        let none = SettingChanges { settings_file: Some(folder.path().join("none")), ..Default::default() };
        assert!(super::changed(for_tools(), &none).is_err());
    }

    #[test]
    fn a_profile_is_what_the_other_settings_change_wherever_it_stands() {
        let changes = ["sctp.sack.every=3", "sctp.profile=rfc4960"].map(str::to_owned);
        let config =
            with(for_tools(), &changes).map_err(|failure| failure.to_string()).expect("both are good");
        assert_eq!((config.profile, config.sack.every, config.missing_reports), ("rfc4960", 3, 4));
        let error = changed("sctp.profile=tuned").expect_err("no name");
        assert!(error.contains("one of rfc2960, rfc4960, rfc9260, tuned-1 and tuned-2"), "{error}");
    }

    #[test]
    fn an_unknown_key_is_answered_with_the_nearest() {
        let error = changed("sctp.recieve_buffer=1 MiB").expect_err("a slip");
        assert!(error.contains("did you mean `receive_buffer`?"), "{error}");
        let error = changed("rto.min=1 s").expect_err("no prefix");
        assert!(error.contains("did you mean `sctp.rto.min`?"), "{error}");
    }

    #[test]
    fn an_invalid_value_is_refused_with_the_expected_one() {
        for (change, complaint) in [
            ("sctp.mtu", "this does not have the form KEY=VALUE"),
            ("sctp.mtu=big", "is not a size"),
            ("sctp.mtu=10 B", "expected at least 576 B"),
            ("sctp.rto.min=0 s", "expected more than 0 s"),
            ("sctp.rto.max=100 ms", "expected at most rto.max, which is 100 ms"),
            ("sctp.missing_reports=300", "expected a whole number from 1 to 255"),
            ("sctp.failover.quick=yes", "expected true or false"),
            ("sctp.window_management=statik", "did you mean \"static\"?"),
            ("sctp.window_management=static", "expected a list of limits in packets"),
            ("sctp.window_management=[60, true]", "expected a whole number from 1"),
            ("sctp.window_management=[60, 0]", "0 is too small"),
            ("sctp.retransmission=both", "is not built yet"),
            ("flow.main.sctp.mtu=1400", "is not a setting of an association"),
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
        assert_eq!(resolved["receive_buffer"], "1 MiB..16 MiB");
        assert_eq!((&resolved["max_burst"], &resolved["pacing"]), (&Value::from(4), &Value::from(true)));
        for setting in tools::known(&policies::registry()) {
            let mut value = &resolved;
            setting.key().split('.').for_each(|part| value = &value[part]);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let again = changed(&format!("sctp.{}={text}", setting.key()));
            assert_eq!(again.map(|again| setting.get(&again)), Ok(setting.get(&config)), "{}", setting.key());
        }
    }
}
