//! Tests of files of options: values, faults and their places, and secrets.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::arguments::ForwardArguments;

fn line(own: &str) -> Vec<OsString> {
    let words = "anabranch forward --config f.toml".split(' ').chain(own.split_whitespace());
    words.map(OsString::from).collect()
}

fn file(text: &str) -> Result<OptionsFile, ScenarioError> {
    OptionsFile::parse(&Source::new("f.toml", text), Path::new("/etc/anabranch"))
}

fn parsed(text: &str, own: &str) -> Result<ForwardArguments, String> {
    let words = file(text).and_then(|file| file.before(&line(own))).map_err(|error| error.to_string())?;
    match parse_words(&words).map(|arguments| arguments.command) {
        Ok(Command::Forward(forward)) => Ok(forward),
        other => Err(format!("{other:?}")),
    }
}

/// The first line of the error.
fn wrong(text: &str, own: &str) -> String {
    let error = parsed(text, own).expect_err(text);
    error.lines().next().unwrap_or_default().to_owned()
}

/// A file with each option, and what it needs beside it.
const EXAMPLES: &[(&str, &str)] = &[
    ("serve", "serve = true"),
    ("to", "to = [\"server.example\", \"192.0.2.1:7000\"]\nsocks = 1080"),
    ("bind", "serve = true\nbind = [\"eth0\", \"192.0.2.1\"]"),
    ("via", "via = [\"wlan0\", \"wwan0=backup,max:2GB\"]\nto = \"a\"\nsocks = 1080"),
    ("socks", "socks = [1080, \"[::1]:1080\"]\nto = \"a\""),
    ("http", "http = 8080\nto = \"a\""),
    ("listen", "listen = \"2222=host:22\"\nto = \"a\""),
    ("udp", "udp = [\"5000=host:5000\"]\nto = \"a\""),
    ("reverse", "reverse = \"8080=localhost:80\"\nto = \"a\""),
    #[cfg(target_os = "linux")]
    ("transparent", "transparent = [\"host\", \"to=10.0.0.0/8\"]\nto = \"a\""),
    #[cfg(target_os = "linux")]
    ("except", "except = \"192.0.2.0/24:443\"\ntransparent = true\nto = \"a\""),
    #[cfg(target_os = "linux")]
    ("strict", "strict = true\ntransparent = true\nto = \"a\""),
    ("full-cone", "full-cone = true\nsocks = 1080\nto = \"a\""),
    ("allow", "allow = [\"10.0.0.0/8:22\"]\nserve = true"),
    ("allow-reverse", "allow-reverse = 8080\nserve = true"),
    ("clients", "clients = \"clients.toml\"\nserve = true"),
    ("metrics", "metrics = 9465\nserve = true"),
    ("max-flows", "max-flows = 100\nserve = true"),
    ("limit-rate", "limit-rate = \"10 Mbit/s\"\nserve = true"),
    ("limit-memory", "limit-memory = \"64 MB\"\nserve = true"),
    ("key-file", "key-file = \"server.key\"\nserve = true"),
    ("insecure", "insecure = true\nserve = true"),
    ("set", "set = [\"sctp.rto.min=300 ms\"]\nserve = true"),
    ("settings", "settings = \"tuned.toml\"\nserve = true"),
    ("quiet", "quiet = true\nserve = true"),
    ("verbose", "verbose = true\nserve = true"),
];

#[test]
fn every_option_may_be_in_the_file_and_has_an_example_here() {
    let examples: BTreeMap<&str, &str> = EXAMPLES.iter().copied().collect();
    for option in definition().get_arguments() {
        let Some(key) = option.get_long() else { continue };
        if entries::REFUSED.contains(&key) {
            continue;
        }
        let text = examples.get(key).unwrap_or_else(|| panic!("there is no example of `{key}`"));
        let words =
            file(text).and_then(|file| file.before(&line(""))).unwrap_or_else(|error| panic!("{error}"));
        let has_it = |word: &OsString| word.to_string_lossy().split('=').next() == Some(&format!("--{key}"));
        assert!(words.iter().any(has_it), "{key}: {words:?}");
        assert!(parsed(text, "").is_ok(), "{key}");
    }
    for (key, _) in EXAMPLES {
        assert!(
            definition().get_arguments().any(|option| option.get_long() == Some(*key)),
            "`{key}` is gone"
        );
    }
}

#[test]
fn values_are_those_of_the_command_line_and_paths_lead_from_the_files_folder() {
    let text = "to = [\"a\", \"b:7\"]\nsocks = [1080, 0x2382]\nkey-file = \"laptop.key\"\nquiet = false\nverbose = true\n";
    let forward = parsed(text, "").expect("good");
    assert_eq!(forward.to.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a", "b:7"]);
    assert_eq!(forward.socks.iter().map(|port| port.address.port()).collect::<Vec<_>>(), [1080, 9090]);
    assert_eq!(forward.secrecy.key_file, Some(PathBuf::from("/etc/anabranch/laptop.key")));
    assert!(forward.verbose && !forward.quiet);
    let waiting = parsed("serve = true\nbind = true", "").expect("good");
    assert!(waiting.bind.is_some_and(|hosts| hosts.is_empty()));
}

#[test]
fn words_of_the_command_line_add_and_replace() {
    let text = "to = \"a\"\nsocks = 1080\nkey-file = \"one\"\nverbose = true";
    let forward = parsed(text, "--socks 1081 --key-file /two --verbose").expect("good");
    assert_eq!(forward.socks.iter().map(|port| port.address.port()).collect::<Vec<_>>(), [1080, 1081]);
    assert_eq!(forward.secrecy.key_file, Some(PathBuf::from("/two")));
    assert!(parsed("socks = 1080", "--to a").is_ok(), "one half each");
    assert!(parsed("serve = true", "--allow 10.0.0.0/8").is_ok());
    // A line that is wrong by itself is reported as it was typed.
    let own = line("--sokcs 1");
    assert_eq!(file("serve = true").and_then(|file| file.before(&own)).expect("left alone"), own);
}

#[test]
fn a_fault_is_reported_at_its_place() {
    for (text, own, complaint) in [
        ("to = \"a\"\nsokcs = 1080", "", "f.toml:2:1: `anabranch forward` has no option `sokcs`"),
        ("serve = 1", "", "f.toml:1:9: `serve` does not take this number"),
        ("to = \"a\"\nsocks = [1080, 1.5]", "", "f.toml:2:16: `socks` does not take a number with decimals"),
        ("max-flows = [1, 2]\nserve = true", "", "f.toml:1:13: `max-flows` does not take a list"),
        ("[to]\na = 1", "", "f.toml:1:1: `to` does not take a table"),
        ("to = \"a\"\nsocks = 1080\nto = \"b\"", "", "f.toml:3:1: the key `to` is given twice"),
        ("to = \"a\"\nsocks = [1080, 99999]", "", "f.toml:2:16: invalid value '99999' for `socks`: "),
        ("to = [\"a\",\n\"b,[::\"]\nsocks = 1", "", "f.toml:2:1: invalid value '[::' for `to`: "),
        ("via = \"a=x\"\nto = \"a\"\nsocks = 1", "", "f.toml:1:7: invalid value 'a=x' for `via`: "),
        (
            "serve = true\n\nsocks = 1080",
            "",
            "f.toml:3:1: `socks` cannot be used with `serve`, which is on line 1",
        ),
        (
            "socks = 1080\nserve = true",
            "",
            "f.toml:2:1: `serve` cannot be used with `socks`, which is on line 1",
        ),
        (
            "to = \"a\"\nsocks = 1",
            "--serve",
            "f.toml:2:1: `socks` cannot be used with --serve of the command line",
        ),
        ("to = \"a\"\nsocks = 1\nallow = \"all\"", "", "f.toml:3:1: `allow` is for the end with --serve"),
        ("serve = true\nvia = \"eth0\"", "", "f.toml:2:1: `via` is for an end with `to`"),
        ("to = \"a\"", "", "f.toml:1:1: nothing to forward: give --socks 1080"),
        ("# nothing", "", "f.toml:1:1: required and not given: <--serve|"),
        ("serve = true\nhelp = true", "", "f.toml:2:1: `help` is an option of the command line alone"),
        ("config = \"a\"", "", "f.toml:1:1: `config` is an option of the command line alone"),
        ("add-client = \"a\"", "", "f.toml:1:1: `add-client` is an option of the command line alone"),
        ("serve = ", "", "f.toml:1:9: "),
    ] {
        let found = wrong(text, own);
        assert!(found.starts_with(complaint), "{text:?}: {found}");
    }
}

#[test]
fn a_slip_is_answered_with_the_nearest_option() {
    for (text, nearest) in [
        ("sokcs = 1080", "did you mean `socks`?"),
        ("limit_rate = \"1M\"", "did you mean `limit-rate`?"),
        ("Serve = true", "did you mean `serve`?"),
    ] {
        let error = file(text).expect_err(text).to_string();
        assert!(error.contains(nearest), "{error}");
    }
    let error = file("colour = 1").expect_err("no option").to_string();
    assert!(!error.contains("did you mean"), "{error}");
}

#[test]
fn a_key_is_refused_and_shown_nowhere() {
    let secret = "5ec1e700000000000000000000000001";
    for text in [
        format!("key = \"{secret}\""),
        format!("to = \"{secret}:x\"\nsocks = 1"),
        format!("set = [\"{secret}"),
        format!("key-file = {secret}"),
        format!("{secret} = 1"),
        format!("allow = \"{secret}\"\nserve = true"),
    ] {
        let error = parsed(&text, "").expect_err(&text);
        assert!(error.starts_with("f.toml:1:") && !error.contains(secret), "{error}");
    }
    let error = file(&format!("key = \"{secret}\"")).expect_err("no place for it").to_string();
    assert!(error.contains("`key-file`, with the name of a file that its owner alone may read"), "{error}");
}

#[test]
fn a_setting_is_refused_at_its_place() {
    let text = "serve = true\nset = [\n  \"sctp.rto.min=300 ms\",\n  \"sctp.rto.mni=1 s\",\n]";
    let file = file(text).expect("options");
    let check = |settings: &[String]| {
        let config = crate::settings::for_forward();
        crate::settings::with(config, settings).map(drop).map_err(|failure| match failure {
            crate::failure::Failure::Scenario(error) => error,
            other => panic!("{other}"),
        })
    };
    let error = file.check_settings(check).expect_err("a slip").to_string();
    assert!(error.starts_with("f.toml:4:3: ") && error.contains("did you mean"), "{error}");
    assert!(file.check_settings(|_| Ok(())).is_ok());
}

#[test]
fn a_large_file_and_a_deep_one_are_refused() {
    let large = format!("# {}", "a".repeat(LARGEST));
    assert!(file(&large).is_err_and(|error| error.to_string().contains("at most 1048576 are read")));
    let deep = format!("{}a = 1", "a.".repeat(100_000));
    assert!(file(&deep).is_err_and(|error| error.to_string().contains("more than 8 dots")));
    let many = format!("serve = true\nallow = [{}]", "\"all\",".repeat(100_000));
    assert!(parsed(&many, "").is_ok_and(|forward| forward.allow.len() == 100_000));
}

/// Pieces of files of options, of which random ones are often nearly right.
fn pieces() -> impl Strategy<Value = String> {
    let keys = EXAMPLES.iter().map(|(key, _)| (*key).to_owned()).collect::<Vec<_>>();
    let values =
        ["true", "1080", "\"a\"", "\"2222=b:22\"", "[1, \"all\"]", "1.5", "{a = 1}", "\"", "[", "-1"];
    let value = prop::sample::select(values.map(str::to_owned).to_vec());
    let one = (prop::sample::select(keys), value).prop_map(|(key, value)| format!("{key} = {value}\n"));
    prop::collection::vec(one, 0..8).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn any_text_is_options_or_an_error(text in prop_oneof![pieces(), "\\PC{0,60}", "[a-z=\\[\\]{}\".\\n #-]{0,60}"]) {
        match file(&text).and_then(|file| file.before(&line(""))) {
            Ok(words) => prop_assert!(parse_words(&words).is_ok(), "{:?}", words),
            Err(error) => prop_assert!(error.to_string().starts_with("f.toml:"), "{}", error),
        }
    }
}
