//! A scenario in Python: the text, the settings on top of it, and the values of both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_lab::{Loaded, Origin, Purpose, load_with};
use anabranch_scenario::{Assignment, Files, ScenarioError};
use pyo3::prelude::*;

use crate::errors::wrong_scenario;
use crate::policies::registry;

/// A parsed scenario.
#[pyclass(frozen, module = "anabranch._native")]
pub struct Parsed {
    loaded: Arc<Loaded>,
    files: BTreeMap<String, String>,
}

#[pymethods]
impl Parsed {
    /// Reads a scenario's text. `files` are the contents of files that it names; others are read from `folder`.
    #[new]
    #[allow(clippy::needless_pass_by_value, reason = "pyo3 gives lists as vectors")]
    fn new(
        file: &str,
        text: &[u8],
        settings: Vec<String>,
        files: BTreeMap<String, String>,
        folder: Option<PathBuf>,
    ) -> PyResult<Parsed> {
        let beside = KeptFiles { folder, kept: Mutex::new(files) };
        let loaded = read(file, text, &settings, &beside).map_err(|error| wrong_scenario(&error))?;
        let files = beside.kept.into_inner().unwrap_or_default();
        Ok(Parsed { loaded: loaded.into(), files })
    }

    /// The name in errors.
    #[getter]
    fn file(&self) -> &str {
        &self.loaded.source
    }

    /// The name in the names of records.
    #[getter]
    fn name(&self) -> &str {
        &self.loaded.name
    }

    #[getter]
    fn text(&self) -> &str {
        &self.loaded.text
    }

    #[getter]
    fn sha256(&self) -> &str {
        &self.loaded.sha256
    }

    #[getter]
    fn settings(&self) -> Vec<&str> {
        self.loaded.settings.iter().map(Assignment::text).collect()
    }

    /// The contents of the files that it names.
    #[getter]
    fn files(&self) -> BTreeMap<String, String> {
        self.files.clone()
    }

    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.loaded.folder.clone()
    }

    #[getter]
    fn title(&self) -> &str {
        &self.loaded.scenario.title
    }

    /// The names of its links, with copies.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.loaded.scenario.links.iter().map(|link| link.name.as_str()).collect()
    }

    #[getter]
    fn nodes(&self) -> Vec<&str> {
        self.loaded.scenario.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    #[getter]
    fn paths(&self) -> Vec<&str> {
        self.loaded.scenario.paths.iter().map(|path| path.name.as_str()).collect()
    }

    #[getter]
    fn flows(&self) -> Vec<&str> {
        self.loaded.scenario.flows.iter().map(|flow| flow.name.as_str()).collect()
    }

    /// Every setting as used, as JSON.
    fn resolved(&self) -> String {
        anabranch_observe::resolved(&self.loaded.scenario).to_string()
    }
}

impl Parsed {
    /// The loaded scenario, for work that outlives the call.
    pub fn loaded(&self) -> Arc<Loaded> {
        self.loaded.clone()
    }

    /// The files that it names, and those beside it.
    pub(crate) fn kept_files(&self) -> KeptFiles {
        KeptFiles { folder: self.loaded.folder.clone(), kept: Mutex::new(self.files.clone()) }
    }
}

fn read(file: &str, text: &[u8], settings: &[String], files: &KeptFiles) -> Result<Loaded, ScenarioError> {
    let origin = Origin { folder: files.folder.clone(), ..Origin::of_file(Path::new(file)) };
    load_with(text, origin, settings, Purpose::Flows, files, &registry())
}

/// The files that a scenario names: those kept, and others beside it, which are kept once read.
#[derive(Debug)]
pub(crate) struct KeptFiles {
    folder: Option<PathBuf>,
    kept: Mutex<BTreeMap<String, String>>,
}

impl Files for KeptFiles {
    fn read(&self, name: &str) -> Result<String, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = kept.get(name) {
            return Ok(text.clone());
        }
        let folder = self.folder.as_ref().ok_or("this scenario has no files beside it")?;
        let text = std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string())?;
        kept.insert(name.to_owned(), text.clone());
        Ok(text)
    }
}
