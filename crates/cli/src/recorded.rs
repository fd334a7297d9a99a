//! `anabranch scenario from`: makes a scenario from recordings of links.

mod document;
mod relative_path;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anabranch_lab::load::why;
use anabranch_observe::CannotWrite;
use anabranch_scenario::{Scenario, Source};
use anabranch_traces::{
    Fact, FactBasis, GivenLink, LARGEST, RecordedLink, Recording, TraceError, TraceKind, Written, decoded,
    grouped,
};

use crate::arguments::{FromArguments, ScenarioArguments, ScenarioCommand};
use crate::failure::{Failure, LabFailure};
use crate::interrupt::Interrupt;
use crate::notice;
use crate::report::{Outcome, print_line};
use crate::scenario::{parse_beside, refuse_replaced};

/// A scenario that was made, and of what.
struct Made {
    links: Vec<RecordedLink>,
    written: Written,
    scenario: Scenario,
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be read or written or that is wrong, files that are not of one link, or Ctrl-C.
pub(crate) async fn run(
    arguments: &ScenarioArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let ScenarioCommand::From(arguments) = &arguments.command;
    let given = arguments.files.iter().map(PathBuf::as_path).collect::<Vec<_>>();
    refuse_replaced("--write", destination(arguments), &given)?;
    let made = {
        let arguments = arguments.clone();
        interrupt.or_done(move || make(&arguments)).await??
    };
    let remarks = remarks(&made.links);
    let document = Some(document::of(&made, arguments.write.as_deref()));
    if let Some(path) = destination(arguments) {
        let written = anabranch_files::write(path, &made.written.text);
        written.map_err(|source| CannotWrite { path: path.to_owned(), source })?;
        let next = format!("{} has {}.\n", path.display(), counted(&made));
        return Ok(Outcome {
            document,
            summary: format!("{next}{remarks}"),
            failure: None,
            ..Outcome::default()
        });
    }
    if arguments.output.is_json() {
        return Ok(Outcome { document, ..Outcome::default() });
    }
    if !arguments.output.quiet && !remarks.is_empty() {
        notice::show(remarks.trim_end());
    }
    // The file on standard output is the result, also with --quiet.
    print_line(made.written.text.trim_end());
    Ok(Outcome::default())
}

fn make(arguments: &FromArguments) -> Result<Made, Failure> {
    let folder = destination(arguments).map(|path| path.parent().unwrap_or(Path::new("")).to_owned());
    let folder = folder.unwrap_or_default();
    let mut links = Vec::new();
    for GivenLink { name, files } in given_links(arguments)? {
        let recordings = files.iter().map(|file| recording(Path::new(file), arguments, &folder));
        let recordings = recordings.collect::<Result<Vec<Recording>, Failure>>()?;
        links.push(RecordedLink::join(&name, recordings)?);
    }
    let written = Written::of(&links, &arguments.choices())?;
    let name = destination(arguments).map_or("<stdout>".to_owned(), |path| path.display().to_string());
    let scenario = parse_beside(&Source::new(name, written.text.clone()), &folder)?;
    Ok(Made { links, written, scenario })
}

/// Where the scenario goes; `None` for standard output.
fn destination(arguments: &FromArguments) -> Option<&Path> {
    arguments.write.as_deref().filter(|path| path.as_os_str() != "-")
}

/// The links by their files, those of `--link` last.
fn given_links(arguments: &FromArguments) -> Result<Vec<GivenLink>, Failure> {
    let files: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    let mut links = grouped(&files);
    let names = &arguments.names;
    if !names.is_empty() && names.len() != links.len() {
        let found = links.into_iter().map(|link| link.name).collect::<Vec<_>>();
        return Err(TraceError::NameCount { names: names.len(), links: found.len(), found }.into());
    }
    for (link, name) in links.iter_mut().zip(names) {
        link.name.clone_from(name);
    }
    links.extend(arguments.links.iter().map(|link| link.0.clone()));
    Ok(links)
}

/// Reads a file; one that scenarios can name is named as it is found from `folder`.
fn recording(file: &Path, arguments: &FromArguments, folder: &Path) -> Result<Recording, Failure> {
    let is_stdin = file.as_os_str() == "-";
    let bytes = if is_stdin { bounded(io::stdin().lock()) } else { File::open(file).and_then(bounded) };
    let bytes = bytes.map_err(|error| LabFailure::NoRecording { file: file.to_owned(), why: why(&error) })?;
    let name = if is_stdin { "<stdin>".to_owned() } else { file.display().to_string() };
    let source = Source::new(name, decoded(&bytes));
    let kind = arguments.kind.map(|kind| kind.0);
    let mut recording = Recording::read(&source, kind, &arguments.choices())?;
    if recording.kind == TraceKind::Mahimahi && !is_stdin && !arguments.inline {
        recording.reference = relative_path::as_seen_from(folder, file);
    }
    Ok(recording)
}

/// The bytes, and one more than a recording may have where there are too many.
fn bounded(file: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `2 links and 60 s`.
fn counted(made: &Made) -> String {
    let links = match made.links.len() {
        1 => "1 link".to_owned(),
        many => format!("{many} links"),
    };
    let time = made.scenario.run.time.unwrap_or_default();
    format!("{links} and runs for {:.0} s", time.as_secs_f64())
}

/// Returns the remarks that a user must see before a run: a rate that was not measured.
fn remarks(links: &[RecordedLink]) -> String {
    let is_assumed = |fact: &Fact| fact.what == "rate" && fact.basis == FactBasis::Assumed;
    let assumed = links.iter().filter(|link| link.facts().iter().any(is_assumed));
    assumed
        .map(|link| {
            let name = &link.name;
            format!("The rate of {name} was not measured: 10 Mbit/s is assumed; `sim --set link.{name}.rate=…` changes it.\n")
        })
        .collect()
}
