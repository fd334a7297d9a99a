//! Loads scenarios: a file with its neighbours, or a text with a folder, and the changes of a command line.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anabranch_scenario::{
    Assignment, Files, NoFiles, ParsedDocument, Registry, Scenario, ScenarioError, Source,
};

use crate::digest;

/// A scenario with its source.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario, changes included.
    pub scenario: Scenario,
    /// The unchanged text of the file.
    pub text: String,
    /// The SHA-256 of the text, in hexadecimal digits.
    pub sha256: String,
    /// The name: the file's name without folder and extension.
    pub name: String,
    /// The folder of the files it names; `None` where it may name none.
    pub folder: Option<PathBuf>,
    /// The changes.
    pub settings: Vec<Assignment>,
    /// The name in errors.
    pub source: String,
}

/// The source of a text: its names, and the folder of the files it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The name in records of its runs: a file's name without folder and extension.
    pub name: String,
    /// The name in errors.
    pub source: String,
    /// The folder of its neighbours; `None` where it may name none.
    pub folder: Option<PathBuf>,
}

/// The purpose of reading a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To run its flows.
    Flows,
    /// To use its links for other programs: its flows are ignored, and need no end.
    Links,
}

/// The reason why a scenario was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read the scenario {file:?}: {why}")]
    NotRead {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: String,
    },
    /// The scenario, or a change of it, is invalid.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

/// Reads a scenario file and applies the changes, each `KEY=VALUE`. Policies are those of `registry`.
///
/// # Errors
/// A file that cannot be read, or an invalid scenario or change.
pub fn load(
    file: &Path,
    changes: &[String],
    purpose: Purpose,
    registry: &Registry,
) -> Result<Loaded, LoadError> {
    let bytes =
        contents(file).map_err(|error| LoadError::NotRead { file: file.to_owned(), why: why(&error) })?;
    Ok(load_bytes(&bytes, Origin::of_file(file), changes, purpose, registry)?)
}

/// Like [`load`], from bytes.
///
/// # Errors
/// Bytes that are not UTF-8, or an invalid scenario or change.
pub fn load_bytes(
    bytes: &[u8],
    origin: Origin,
    changes: &[String],
    purpose: Purpose,
    registry: &Registry,
) -> Result<Loaded, ScenarioError> {
    let files = files_in(origin.folder.as_deref());
    load_with(bytes, origin, changes, purpose, &*files, registry)
}

/// Like [`load_bytes`], with `files` in place of those in the folder.
///
/// # Errors
/// Bytes that are not UTF-8, or an invalid scenario or change.
pub fn load_with(
    bytes: &[u8],
    origin: Origin,
    changes: &[String],
    purpose: Purpose,
    files: &dyn Files,
    registry: &Registry,
) -> Result<Loaded, ScenarioError> {
    let source = Source::from_bytes(origin.source, bytes)?;
    let settings = changes.iter().map(|change| Assignment::parse(change)).collect::<Result<Vec<_>, _>>()?;
    let document = ParsedDocument::parse(&source)?;
    let scenario = match purpose {
        Purpose::Flows => document.scenario(files, &settings, registry)?,
        Purpose::Links => document.links(files, &settings, registry)?,
    };
    Ok(Loaded {
        scenario,
        text: source.text,
        sha256: digest::hex(&digest::sha256(bytes)),
        name: origin.name,
        folder: origin.folder,
        settings,
        source: source.name,
    })
}

/// The bytes of a scenario or a trace, up to [`LARGEST`].
///
/// # Errors
/// A file that cannot be read, or is larger, such as a device without end.
pub fn contents(file: &Path) -> std::io::Result<Vec<u8>> {
    bounded(File::open(file)?)
}

/// Like [`contents`], from any reader such as standard input.
///
/// # Errors
/// As for a file.
pub fn bounded(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(std::io::Error::other(format!("it has more than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}

/// The size limit of a scenario or a trace: an hour at 12 Mbit/s has 28 million bytes.
pub const LARGEST: u64 = 64 << 20;

/// The reason why a file was not read, in plain words.
pub fn why(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// The files in `folder`; none without a folder.
pub fn files_in(folder: Option<&Path>) -> Box<dyn Files + Send> {
    match folder {
        Some(folder) => Box::new(BesideFiles(folder.to_owned())),
        None => Box::new(NoFiles),
    }
}

impl Origin {
    /// A file, whose neighbours are in its folder.
    pub fn of_file(file: &Path) -> Origin {
        Origin {
            name: file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            source: file.display().to_string(),
            folder: Some(file.parent().unwrap_or(Path::new("")).to_owned()),
        }
    }

    /// A text without a file, which may name files in `folder`.
    pub fn of_text(name: &str, folder: Option<PathBuf>) -> Origin {
        Origin { name: name.to_owned(), source: format!("<{name}>"), folder }
    }
}

impl Loaded {
    /// The error for an association that is refused for a reason outside the format.
    pub fn complaint(&self, flow: &str, key: &str, message: &str) -> ScenarioError {
        match ParsedDocument::parse(&Source::new(self.source.clone(), self.text.clone())) {
            Ok(document) => document.complaint(&self.settings, flow, key, message),
            Err(error) => error,
        }
    }

    /// Reads `text` in place of the scenario's own, without changes.
    ///
    /// # Errors
    /// An invalid text.
    pub fn read_again(&self, text: &str) -> Result<Scenario, ScenarioError> {
        self.parse(text, &self.scenario.registry)
    }

    fn parse(&self, text: &str, registry: &Registry) -> Result<Scenario, ScenarioError> {
        let source = Source::new(self.source.clone(), text);
        Scenario::parse(&source, &*files_in(self.folder.as_deref()), &[], registry)
    }
}

/// The files beside a scenario.
#[derive(Debug)]
struct BesideFiles(PathBuf);

impl Files for BesideFiles {
    fn read(&self, name: &str) -> Result<String, String> {
        let bytes = contents(&self.0.join(name)).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use anabranch_planner::live;

    use super::*;

    const TRACED: &str =
        "run = { time = \"1 s\" }\n[[link]]\nname = \"a\"\nrate = { trace = \"up.mahimahi\" }\n";

    #[test]
    fn a_file_is_read_with_its_neighbours_and_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("traced.toml");
        std::fs::write(&file, TRACED).expect("room for a file");
        std::fs::write(folder.path().join("up.mahimahi"), "10\n20\n").expect("room for a file");
        let loaded =
            load(&file, &["run.seed=9".to_owned()], Purpose::Flows, &live::registry()).expect("a scenario");
        assert_eq!((loaded.name.as_str(), loaded.scenario.run.seed), ("traced", 9));
        assert_eq!(loaded.read_again(TRACED).expect("a scenario").run.seed, 1);
    }

    #[test]
    fn a_text_reads_files_only_from_the_folder_that_it_is_given() {
        let read = |folder| {
            load_bytes(
                TRACED.as_bytes(),
                Origin::of_text("text", folder),
                &[],
                Purpose::Flows,
                &live::registry(),
            )
        };
        assert!(read(None).expect_err("no files").to_string().contains("no files beside it"));
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("up.mahimahi"), "10\n").expect("room for a file");
        assert_eq!(read(Some(folder.path().to_owned())).expect("a scenario").source, "<text>");
    }

    #[test]
    fn a_scenario_or_a_trace_of_any_size_is_not_read_into_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = |name: &str| {
            let file = File::create(folder.path().join(name)).expect("room for a file");
            file.set_len(LARGEST + 1).expect("room for holes");
        };
        let file = folder.path().join("traced.toml");
        std::fs::write(&file, TRACED).expect("room for a file");
        for name in ["up.mahimahi", "traced.toml"] {
            long(name);
            let error =
                load(&file, &[], Purpose::Flows, &live::registry()).expect_err("too long").to_string();
            assert!(error.contains("it has more than 64 MiB"), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_told_in_words() {
        let error =
            load(Path::new("none.toml"), &[], Purpose::Flows, &live::registry()).expect_err("no file");
        assert_eq!(error.to_string(), "cannot read the scenario \"none.toml\": there is no such file");
    }

    #[test]
    fn links_for_other_programs_need_no_flow_that_ends() {
        let text = b"[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n";
        let read = |purpose| load_bytes(text, Origin::of_text("text", None), &[], purpose, &live::registry());
        assert!(read(Purpose::Flows).is_err());
        assert_eq!(read(Purpose::Links).expect("links").scenario.links.len(), 1);
    }
}
