//! Scenario files as commands take them: a file or standard input, with the changes of the command line.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anabranch_planner::live;
use anabranch_scenario::{
    Assignment, Files, NoFiles, ParsedDocument, Registry, Scenario, ScenarioError, Source,
};
use anabranch_transfer::hex;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// A scenario, and what it was read from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What it says, changes included.
    pub scenario: Scenario,
    /// The file as it is.
    pub text: String,
    /// Its hash.
    pub sha256: String,
    /// What it is called: the file's name without folder and ending.
    pub name: String,
    /// Where the files are that it names; `None` where it may name none.
    pub folder: Option<PathBuf>,
    /// The changes.
    pub settings: Vec<Assignment>,
    /// What it is called in errors.
    pub source: String,
}

/// Reads a scenario from `file`, `-` being standard input, and makes the changes, each `KEY=VALUE`.
///
/// # Errors
/// A file that cannot be read, a scenario or a change that is wrong.
pub fn load(file: &Path, changes: &[String]) -> Result<Loaded, Failure> {
    load_as(file, changes, ParsedDocument::scenario)
}

/// The same for programs of others on its links: its flows play no part, and need no end.
///
/// # Errors
/// A file that cannot be read, a scenario or a change that is wrong.
pub fn load_links(file: &Path, changes: &[String]) -> Result<Loaded, Failure> {
    load_as(file, changes, ParsedDocument::links)
}

type LoadStep = fn(&ParsedDocument, &dyn Files, &[Assignment], &Registry) -> Result<Scenario, ScenarioError>;

fn load_as(file: &Path, changes: &[String], reading: LoadStep) -> Result<Loaded, Failure> {
    let is_stdin = file.as_os_str() == "-";
    let bytes = if is_stdin { read_stdin() } else { std::fs::read(file) };
    let bytes = bytes.map_err(|error| Failure::NoScenario { file: file.to_owned(), why: why(&error) })?;
    let name = if is_stdin { "<stdin>".to_owned() } else { file.display().to_string() };
    let source = Source::from_bytes(name, &bytes)?;
    let settings = changes.iter().map(|change| Assignment::parse(change)).collect::<Result<Vec<_>, _>>()?;
    let folder = if is_stdin { PathBuf::new() } else { file.parent().unwrap_or(Path::new("")).to_owned() };
    Ok(Loaded {
        scenario: reading(
            &ParsedDocument::parse(&source)?,
            &BesideFiles(folder.clone()),
            &settings,
            &live::registry(),
        )?,
        text: source.text,
        sha256: hex(&Sha256::digest(&bytes).into()),
        name: file
            .file_stem()
            .filter(|_| !is_stdin)
            .map_or("stdin".into(), |stem| stem.to_string_lossy().into()),
        folder: Some(folder),
        settings,
        source: source.name,
    })
}

/// The scenario that a text says, with files beside it in `folder`.
///
/// # Errors
/// It is wrong.
pub fn parse_beside(source: &Source, folder: &Path) -> Result<Scenario, ScenarioError> {
    Scenario::parse(source, &BesideFiles(folder.to_owned()), &[], &live::registry())
}

impl Loaded {
    /// Every setting as used, for documents.
    pub fn resolved(&self) -> Json {
        anabranch_observe::resolved(&self.scenario)
    }

    /// That the association of a flow cannot be so, for a reason that reading the scenario does not know.
    pub fn complaint(&self, flow: &str, key: &str, message: &str) -> Failure {
        match ParsedDocument::parse(&Source::new(self.source.clone(), self.text.clone())) {
            Ok(document) => document.complaint(&self.settings, flow, key, message).into(),
            Err(error) => error.into(),
        }
    }

    /// What `text` says in the place of this scenario's own, without changes.
    ///
    /// # Errors
    /// It is wrong.
    pub fn read_again(&self, text: &str) -> Result<Scenario, ScenarioError> {
        let source = Source::new(self.source.clone(), text);
        match &self.folder {
            Some(folder) => {
                Scenario::parse(&source, &BesideFiles(folder.clone()), &[], &self.scenario.registry)
            }
            None => Scenario::parse(&source, &NoFiles, &[], &self.scenario.registry),
        }
    }
}

/// The files beside a scenario.
struct BesideFiles(PathBuf);

impl Files for BesideFiles {
    fn read(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.0.join(name)).map_err(|error| error.to_string())
    }
}

/// What the matter is with a file.
pub fn why(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}
