//! `anabranch-conformance`: plays packetdrill's SCTP scripts against the protocol core.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anabranch_conformance::{Lacking, Played, Symbols, Verdict, find, play_file};
use clap::Parser;

/// Play packetdrill's SCTP scripts against the protocol core, in virtual time, over one path or several.
#[derive(Debug, Parser)]
#[command(name = "anabranch-conformance", version, after_help = EXAMPLES)]
struct Options {
    /// Scripts, or folders that are searched for files that end in .pkt
    #[arg(required = true, value_name = "DIR|FILE")]
    places: Vec<PathBuf>,
    /// Define a symbol for #ifdef
    #[arg(long, short = 'D', value_name = "NAME", default_value = "FreeBSD")]
    define: Vec<String>,
    /// Print a line for each script, not only for those that did not pass
    #[arg(long, short)]
    verbose: bool,
    /// Print the scripts that are not applicable, and why
    #[arg(long)]
    lacking: bool,
    /// Print each call and packet of each script with its time
    #[arg(long)]
    trace: bool,
    /// Write the verdict on each script to a file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  anabranch-conformance crates/conformance/scripts
  anabranch-conformance suites/ETSI-SCTP-Conformance-Testsuite/sctp-d-tests
  anabranch-conformance --verbose my-script.pkt

The language: docs/conformance.md. A script passes, fails, or is not applicable: then it needs something that the core
lacks, which is named. Exit status: 0 if no script failed, 1 if one did, 2 if a file cannot be read.";

fn main() -> ExitCode {
    let options = Options::parse();
    let symbols = Symbols::new(options.define.iter().map(String::as_str));
    let mut totals: BTreeMap<PathBuf, Count> = BTreeMap::new();
    let mut rows = String::from("script,verdict,line,reason\n");
    for place in &options.places {
        let files = match find(place) {
            Ok(files) => files,
            Err(error) => {
                eprintln!("error: {}: {error}", place.display());
                return ExitCode::from(2);
            }
        };
        for file in files {
            let played = play_file(&file, &symbols);
            print(&options, &played);
            rows.push_str(&row(place, &played));
            let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
            totals.entry(folder).or_default().add(&played);
        }
    }
    if let Some(file) = &options.csv
        && let Err(error) = std::fs::write(file, rows)
    {
        eprintln!("error: {}: {error}", file.display());
        return ExitCode::from(2);
    }
    let sum = totals.values().fold(Count::default(), Count::plus);
    if totals.len() > 1 {
        for (folder, count) in &totals {
            println!("{count}  {}", folder.display());
        }
    }
    println!("{sum}  in all");
    if sum.unreadable > 0 {
        ExitCode::from(2)
    } else if sum.failed > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Scripts by verdict.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    passed: usize,
    failed: usize,
    lacking: usize,
    unreadable: usize,
}

impl Count {
    fn add(&mut self, played: &Played) {
        match played.verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::NotApplicable(_) => self.lacking += 1,
            Verdict::Unreadable(_) => self.unreadable += 1,
        }
    }

    fn plus(self, other: &Count) -> Count {
        Count {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            lacking: self.lacking + other.lacking,
            unreadable: self.unreadable + other.unreadable,
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count { passed, failed, lacking, unreadable } = self;
        write!(f, "{passed:>4} passed {failed:>4} failed {lacking:>4} not applicable")?;
        if *unreadable > 0 { write!(f, " {unreadable:>4} unreadable") } else { Ok(()) }
    }
}

/// The verdict on a script as a line of a table: its path inside the parent of `place`, the verdict, the line, the reason.
fn row(place: &Path, played: &Played) -> String {
    let base = place.canonicalize().ok().and_then(|place| place.parent().map(Path::to_owned));
    let file = played.file.canonicalize().unwrap_or_else(|_| played.file.clone());
    let name = base.and_then(|base| file.strip_prefix(base).ok().map(Path::to_owned)).unwrap_or(file);
    let (verdict, line, reason) = match &played.verdict {
        Verdict::Passed => ("passed", 0, ""),
        Verdict::Failed(failure) => ("failed", failure.line, failure.what.as_str()),
        Verdict::NotApplicable(Lacking { line, what }) => ("not applicable", *line, what.as_str()),
        Verdict::Unreadable(Lacking { line, what }) => ("unreadable", *line, what.as_str()),
    };
    let line = if line > 0 { line.to_string() } else { String::new() };
    format!("{},{verdict},{line},\"{}\"\n", name.display(), reason.replace('"', "\"\""))
}

/// Prints the verdict on a script, if the options ask for it.
fn print(options: &Options, played: &Played) {
    let file = played.file.display();
    if options.trace {
        println!("{file}");
        played.trace.iter().for_each(|line| println!("  {line}"));
    }
    let expected = if played.is_expected_to_fail { " (its authors expect that)" } else { "" };
    match &played.verdict {
        Verdict::Passed if options.verbose => println!("passed: {file}"),
        Verdict::Passed => {}
        Verdict::Failed(failure) => println!("failed{expected}: {file}:{failure}"),
        Verdict::NotApplicable(Lacking { line, what }) if options.verbose || options.lacking => {
            println!("not applicable: {file}:{line}: {what}");
        }
        Verdict::NotApplicable(_) => {}
        Verdict::Unreadable(Lacking { line, what }) => println!("unreadable: {file}:{line}: {what}"),
    }
}
