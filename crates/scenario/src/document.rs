//! A scenario file that was read once, and can be read again with other settings. It knows the order of
//! things: text, tree, settings, values.

use crate::error::ScenarioError;
use crate::files::Files;
use crate::model::Scenario;
use crate::read;
use crate::setting::Setting;
use crate::source::Source;
use crate::tree::{self, Table};

/// A scenario file as a tree: sound TOML, of which nothing more is known yet.
#[derive(Clone, Debug)]
pub struct Document {
    source: Source,
    root: Table,
}

impl Document {
    /// Reads the text.
    ///
    /// # Errors
    /// It is no TOML, or nests too deep.
    pub fn parse(source: &Source) -> Result<Document, ScenarioError> {
        let root = tree::document(&source.text).map_err(|fault| fault.shown(source, &[]))?;
        Ok(Document { source: source.clone(), root })
    }

    /// The scenario that it describes, with these settings, each on top of those before it. The document stays
    /// as it was: a sweep asks again and again.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn scenario(&self, files: &dyn Files, settings: &[Setting]) -> Result<Scenario, ScenarioError> {
        let mut root = self.root.clone();
        let applied =
            settings.iter().enumerate().try_for_each(|(index, setting)| setting.apply(index, &mut root));
        let read = applied.and_then(|()| read::scenario(&root, files));
        read.map_err(|fault| fault.at_key(&root).shown(&self.source, settings))
    }
}

impl Scenario {
    /// Reads a scenario file with settings of the command line. Trace files that it names are read through
    /// `files`.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(
        source: &Source,
        files: &dyn Files,
        settings: &[Setting],
    ) -> Result<Scenario, ScenarioError> {
        Document::parse(source)?.scenario(files, settings)
    }
}
