//! A batch of runs for any process with this package: it carries the scenario, its files and the seeds, and its rows
//! return as bytes.

use std::collections::BTreeMap;

use anabranch_planner::live;
use anabranch_scenario::{Assignment, ParsedDocument, Registry, ScenarioError, Source};
use anabranch_sim::{BuildError, Watcher, run_once};
use serde::{Deserialize, Serialize};

use super::files::RecordedFiles;
use super::key::ScenarioKey;
use crate::PROGRAM;
use crate::cell::Cell;
use crate::columns::{cells_of, columns_of};

/// Runs to be made together, about a second of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// The number by which the sweep identifies the batch.
    pub(super) id: u64,
    /// The name of the scenario in errors.
    pub(super) source: String,
    /// The scenario file.
    pub(super) text: String,
    /// The files beside it, by name.
    pub(super) files: BTreeMap<String, String>,
    /// The points and their seeds.
    pub(super) parts: Vec<Part>,
    /// The policies that the scenario may name. They are not serialized: a process that reads a batch has its own.
    #[serde(skip, default = "live::registry")]
    pub(super) registry: Registry,
}

/// Seeds of one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// The digest of the point's scenario.
    pub key: String,
    /// The changes of the scenario file.
    pub settings: Vec<String>,
    /// The first seed; the others follow it.
    pub first_seed: u64,
    /// The number of seeds.
    pub seeds: u64,
}

/// The rows of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    pub(super) batch: u64,
    /// Program and version that made the rows.
    pub(super) program: String,
    pub(super) parts: Vec<PartRows>,
}

/// The rows of one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PartRows {
    pub key: String,
    /// The names of the cells.
    pub columns: Vec<String>,
    pub rows: Vec<SeedRow>,
    /// The time of all runs, in nanoseconds.
    pub wall_ns: u64,
}

/// The row of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeedRow {
    pub seed: u64,
    /// The cells as written in tables.
    pub cells: Vec<String>,
}

/// The reason why a batch was not run.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The bytes are not a batch, or not rows, of this program.
    #[error("{what} cannot be read: {error}")]
    Bytes {
        /// The expected content.
        what: &'static str,
        /// The reason.
        error: serde_json::Error,
    },
    /// The scenario is invalid for this program.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario cannot be run.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// This program reads the scenario differently from the one that made the batch.
    #[error(
        "this program, {PROGRAM}, reads the scenario in another way than the program that runs the sweep: use the same version"
    )]
    OtherProgram,
}

impl Batch {
    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.parts.iter().map(|part| part.seeds).sum()
    }

    /// Serializes the batch for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads the bytes of [`Batch::to_bytes`].
    ///
    /// # Errors
    /// Other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Batch, BatchError> {
        serde_json::from_slice(bytes).map_err(|error| BatchError::Bytes { what: "a batch", error })
    }

    /// The batch with the policies of `registry`.
    #[must_use]
    pub fn with_policies(self, registry: Registry) -> Batch {
        Batch { registry, ..self }
    }

    /// Makes the runs, one after another. After a cancellation the rows are those of the runs that ended.
    ///
    /// # Errors
    /// An invalid scenario, which the sweep refused before.
    pub fn run(&self, watcher: &Watcher) -> Result<Rows, BatchError> {
        let document = ParsedDocument::parse(&Source::new(self.source.clone(), self.text.clone()))?;
        let files = RecordedFiles::of_texts(self.files.clone());
        let parts =
            self.parts.iter().map(|part| run_part(part, (&document, &files, &self.registry), watcher));
        Ok(Rows { batch: self.id, program: PROGRAM.to_owned(), parts: parts.collect::<Result<_, _>>()? })
    }
}

fn run_part(
    part: &Part,
    (document, files, registry): (&ParsedDocument, &RecordedFiles, &Registry),
    watcher: &Watcher,
) -> Result<PartRows, BatchError> {
    let settings = part.settings.iter().map(|text| Assignment::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let scenario = document.scenario(files, &settings, registry)?;
    if ScenarioKey::of(&scenario, &files.take_used()).to_string() != part.key {
        return Err(BatchError::OtherProgram);
    }
    let (mut columns, mut rows, mut wall_ns) = (Vec::new(), Vec::new(), 0);
    for index in 0..part.seeds {
        let ended = run_once(&scenario, part.first_seed.wrapping_add(index), watcher)?;
        if !ended.is_whole {
            break;
        }
        wall_ns += ended.wall.as_nanos();
        if columns.is_empty() {
            columns = columns_of(&ended.result).into_iter().map(|column| column.name).collect();
        }
        let cells = cells_of(&ended.result).iter().map(Cell::shown).collect();
        rows.push(SeedRow { seed: ended.result.seed, cells });
    }
    Ok(PartRows { key: part.key.clone(), columns, rows, wall_ns })
}

impl Rows {
    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.parts.iter().map(|part| part.rows.len() as u64).sum()
    }

    /// Serializes the rows for the process of the sweep.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads the bytes of [`Rows::to_bytes`].
    ///
    /// # Errors
    /// Other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Rows, BatchError> {
        serde_json::from_slice(bytes).map_err(|error| BatchError::Bytes { what: "rows", error })
    }
}

/// A value of texts and whole numbers, which JSON represents exactly.
fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(key: &str) -> Batch {
        let part = |rate: &str| Part {
            key: key.to_owned(),
            settings: vec![format!("link.a.rate={rate}")],
            first_seed: 4,
            seeds: 2,
        };
        let text =
            "run = { time = \"1 s\" }\n[[link]]\nname = \"a\"\nrate = { trace = \"up\" }\nloss = 0.1\n";
        Batch {
            id: 3,
            source: "two.toml".to_owned(),
            text: text.to_owned(),
            files: BTreeMap::from([("up".to_owned(), "10\n".to_owned())]),
            parts: vec![part("1 Mbit/s")],
            registry: live::registry(),
        }
    }

    /// The key of the only part.
    fn key(batch: &Batch) -> String {
        let document = ParsedDocument::parse(&Source::new("two.toml", batch.text.clone())).expect("TOML");
        let settings = [Assignment::parse(&batch.parts[0].settings[0]).expect("a setting")];
        let files = RecordedFiles::of_texts(batch.files.clone());
        let scenario = document.scenario(&files, &settings, &live::registry()).expect("a scenario");
        ScenarioKey::of(&scenario, &files.take_used()).to_string()
    }

    #[test]
    fn a_batch_that_travelled_gives_the_same_rows() {
        let here = batch(&key(&batch("")));
        let there = Batch::from_bytes(&here.to_bytes()).expect("a batch");
        assert_eq!(there, here);
        let watcher = Watcher::new(|| anabranch_base::Duration::ZERO);
        let rows = there.run(&watcher).expect("rows");
        assert_eq!(rows, here.run(&watcher).expect("rows"));
        assert_eq!(Rows::from_bytes(&rows.to_bytes()).expect("rows"), rows);
        assert_eq!((rows.runs(), rows.parts[0].rows[1].seed), (2, 5));
        assert_eq!(rows.parts[0].rows[0].cells.len(), rows.parts[0].columns.len());
    }

    #[test]
    fn a_program_that_reads_the_scenario_in_another_way_makes_no_rows() {
        let refused = batch("00").run(&Watcher::new(|| anabranch_base::Duration::ZERO));
        assert!(matches!(refused, Err(BatchError::OtherProgram)), "{refused:?}");
    }

    #[test]
    fn a_batch_that_is_cancelled_has_no_half_rows() {
        let watcher = Watcher::new(|| anabranch_base::Duration::ZERO);
        watcher.call_off();
        assert_eq!(batch(&key(&batch(""))).run(&watcher).expect("no rows").runs(), 0);
    }

    #[test]
    fn bytes_of_something_else_are_refused() {
        assert!(Batch::from_bytes(b"{}").is_err() && Rows::from_bytes(b"\xff").is_err());
    }
}
