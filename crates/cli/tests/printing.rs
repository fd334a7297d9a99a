//! What happens to results that standard output does not accept, or no longer.

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::program::anabranch;

const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/two-paths.toml");

#[test]
#[cfg(target_os = "linux")]
fn a_result_that_does_not_fit_on_the_disk_is_a_failure() {
    for line in [format!("sim {SCENARIO}"), format!("sim {SCENARIO} --json"), "completions bash".to_owned()] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("Linux has one");
        let ended = anabranch(&line).stdout(full).output().expect("the program starts");
        assert_eq!(ended.status.code(), Some(1), "{line}");
        let complaint = String::from_utf8_lossy(&ended.stderr);
        assert!(complaint.contains("cannot write the result to standard output: "), "{line}: {complaint}");
    }
}

#[test]
fn a_reader_that_leaves_does_not_cause_a_failure() {
    for line in [format!("sim {SCENARIO}"), "completions zsh".to_owned(), "--help".to_owned()] {
        let mut program = anabranch(&line);
        let mut program =
            program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        drop(program.stdout.take());
        let ended = program.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{line}");
    }
}

#[test]
fn a_wrong_command_line_is_reported_to_scripts_and_to_people() {
    let ended = crate::program::run(&mut anabranch("sned --json"));
    assert_eq!((ended.status, ended.json()["error"]["kind"].as_str()), (Some(2), Some("arguments")));
    assert!(ended.stderr.starts_with("error: unrecognized subcommand 'sned'"), "{}", ended.stderr);
}
