//! `anabranch-conformance`: plays packetdrill's SCTP scripts against the protocol core.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
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
    /// Print a line for each script, not only for those that fail
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
    /// The folder to which names in that file are relative
    #[arg(long, value_name = "DIR", default_value = ".", requires = "csv")]
    relative_to: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  anabranch-conformance crates/conformance/scripts
  anabranch-conformance suites/ETSI-SCTP-Conformance-Testsuite/sctp-d-tests
  anabranch-conformance --trace my-script.pkt

The language: docs/conformance.md. A script passes, fails, or is not applicable: then it needs something that the core
lacks, which is named. Exit status: 0 if no script failed, 1 if one did, 2 if a file cannot be read.";

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options).and_then(|count| report(&format!("{count}  in all\n")).map(|()| count)) {
        Ok(Count { unreadable: 1.., .. }) => ExitCode::from(2),
        Ok(Count { failed: 1.., .. }) => ExitCode::FAILURE,
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed too.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Plays the scripts that `options` name, and returns their numbers by verdict.
fn run(options: &Options) -> io::Result<Count> {
    let symbols = Symbols::new(options.define.iter().map(String::as_str));
    let mut totals: BTreeMap<PathBuf, Count> = BTreeMap::new();
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["script", "verdict", "line", "reason"])?;
    for place in &options.places {
        for file in find(place).map_err(|error| about(place, &error))? {
            let played = play_file(&file, &symbols);
            report(&told(options, &played))?;
            table.write_record(row(&options.relative_to, &played))?;
            let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
            totals.entry(folder).or_default().add(&played);
        }
    }
    if let Some(file) = &options.csv {
        let rows = table.into_inner().map_err(csv::IntoInnerError::into_error)?;
        std::fs::write(file, rows).map_err(|error| about(file, &error))?;
    }
    if totals.len() > 1 {
        for (folder, count) in &totals {
            report(&format!("{count}  {}\n", folder.display()))?;
        }
    }
    Ok(totals.values().fold(Count::default(), Count::plus))
}

/// The error with the name of its file.
fn about(file: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", file.display()))
}

fn report(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
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

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { passed, failed, lacking, unreadable } = self;
        write!(f, "{passed:>4} passed {failed:>4} failed {lacking:>4} not applicable")?;
        if *unreadable > 0 { write!(f, " {unreadable:>4} unreadable") } else { Ok(()) }
    }
}

/// The verdict on a script as a row of a table: its path inside `folder`, the verdict, the line and the reason.
fn row(folder: &Path, played: &Played) -> [String; 4] {
    let name = played.file.strip_prefix(folder).unwrap_or(&played.file);
    let (verdict, line, reason) = match &played.verdict {
        Verdict::Passed => ("passed", 0, ""),
        Verdict::Failed(failure) => ("failed", failure.line, failure.what.as_str()),
        Verdict::NotApplicable(Lacking { line, what }) => ("not applicable", *line, what.as_str()),
        Verdict::Unreadable(Lacking { line, what }) => ("unreadable", *line, what.as_str()),
    };
    let line = if line > 0 { line.to_string() } else { String::new() };
    [name.display().to_string(), verdict.to_owned(), line, reason.to_owned()]
}

/// The lines about a script that the options ask for.
fn told(options: &Options, played: &Played) -> String {
    let file = played.file.display();
    let mut text = String::new();
    if options.trace {
        text = format!("{file}\n");
        for line in &played.trace {
            let _ = writeln!(text, "  {line}");
        }
    }
    let expected = if played.is_expected_to_fail { " (its authors expect that)" } else { "" };
    let verdict = match &played.verdict {
        Verdict::Passed if options.verbose => format!("passed: {file}\n"),
        Verdict::Failed(failure) => format!("failed{expected}: {file}:{failure}\n"),
        Verdict::NotApplicable(Lacking { line, what }) if options.verbose || options.lacking => {
            format!("not applicable: {file}:{line}: {what}\n")
        }
        Verdict::Passed | Verdict::NotApplicable(_) => String::new(),
        Verdict::Unreadable(Lacking { line, what }) => format!("unreadable: {file}:{line}: {what}\n"),
    };
    text + &verdict
}
