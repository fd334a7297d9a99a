//! A sweep: every point of a grid, run with the same seeds, as often as needed.
//!
//! A [`Sweep`] is a value. It hands out [`Batch`]es and accepts their [`Rows`]; a driver runs them: [`run_here`] on
//! threads, or a program that sends their bytes to other machines.

mod axis;
mod batch;
mod estimate;
mod files;
mod grid;
mod here;
mod job;
mod journal;
mod key;
mod progress;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anabranch_base::Duration;
use anabranch_scenario::{Assignment, Files, ParsedDocument, Registry, Scenario, ScenarioError, Source};
use anabranch_sim::{BuildError, Run, Stop, TooFewSeeds, Watch};

pub use axis::{Axis, AxisError};
pub use batch::{Batch, BatchError, Rows};
pub use estimate::estimate;
pub use grid::{Combination, Grid, GridError};
pub use here::run_here;
pub use journal::{FILE as JOURNAL, JournalError};
pub use progress::Progress;
pub use rows::{FlowEstimate, PointSummary, Written};

use batch::Part;
use files::RecordedFiles;
use job::Job;
use journal::Journal;
use key::ScenarioKey;

use crate::columns::{ColumnInfo, columns_of, union};
use crate::load::{Origin, files_in};
use crate::table::TableError;

/// The definition of a sweep.
#[derive(Clone, Debug)]
pub struct Design {
    /// The scenario file.
    pub text: String,
    /// The source of the text.
    pub origin: Origin,
    /// Changes at every point, each `KEY=VALUE`; `run.seed` and `run.runs` apply to all points.
    pub changes: Vec<String>,
    /// The keys that vary from point to point.
    pub axes: Vec<Axis>,
    /// The combination of axes into points.
    pub combination: Combination,
    /// The relative precision of every flow's goodput at which a point is complete; `run.runs` is then the minimum.
    pub until: Option<f64>,
    /// The policies that the scenario may name.
    pub registry: Registry,
}

/// A sweep in progress.
#[derive(Debug)]
pub struct Sweep {
    source: Source,
    document: ParsedDocument,
    files: RecordedFiles,
    changes: Vec<Assignment>,
    grid: Grid,
    registry: Registry,
    seed: u64,
    stop: Stop,
    /// The scenario of the first point.
    first: Scenario,
    /// The columns of results, of all points.
    results: Vec<ColumnInfo>,
    /// The runs of each scenario; equivalent points share them.
    jobs: Vec<Job>,
    by_key: BTreeMap<ScenarioKey, usize>,
    /// The job of each point.
    points: Vec<usize>,
    journal: Journal,
    folder: Option<PathBuf>,
    /// The jobs that may have runs to hand out.
    open: BTreeSet<usize>,
    /// The runs handed out, by batch.
    out: BTreeMap<u64, Vec<(usize, Range<u64>)>>,
    batches: u64,
    /// The runs present when the sweep was opened.
    reused: u64,
    wall: Duration,
    timed: u64,
}

/// The reason why a sweep cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The scenario, or a value of an axis, is invalid.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario of a point cannot be run.
    #[error("{}{error}", at(.settings))]
    Build {
        /// The settings of the point.
        settings: String,
        /// The reason.
        error: BuildError,
    },
    /// There are fewer seeds than runs.
    #[error(transparent)]
    Seeds(#[from] TooFewSeeds),
    /// An axis is invalid.
    #[error(transparent)]
    Axis(#[from] AxisError),
    /// The axes do not go together.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The finished runs cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The tables cannot be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A batch cannot be run.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

impl Sweep {
    /// Reads and builds every point, and loads the runs that `folder` has of them. Without a folder, runs are kept in
    /// memory.
    ///
    /// # Errors
    /// An invalid point, or a folder that cannot be used.
    pub fn open(design: Design, folder: Option<&Path>) -> Result<Sweep, SweepError> {
        let files = files_in(design.origin.folder.as_deref());
        Sweep::open_with(design, files, folder)
    }

    /// Like [`open`](Self::open), with `files` in place of those in the scenario's folder.
    ///
    /// # Errors
    /// An invalid point, or a folder that cannot be used.
    pub fn open_with(
        design: Design,
        files: Box<dyn Files + Send>,
        folder: Option<&Path>,
    ) -> Result<Sweep, SweepError> {
        let source = Source::new(design.origin.source, design.text);
        let document = ParsedDocument::parse(&source)?;
        let files = RecordedFiles::new(files);
        let changes =
            design.changes.iter().map(|text| Assignment::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let grid = Grid::new(design.axes, design.combination)?;
        let registry = design.registry;
        let read = |point| read_point(&document, &files, &changes, &grid, &registry, point);
        let (first, _) = read(0)?;
        let stop = stop_rule(&first, design.until);
        stop.check_seeds(first.run.seed)?;
        let (mut jobs, mut by_key, mut points) =
            (Vec::new(), BTreeMap::new(), Vec::with_capacity(grid.len()));
        let mut lists: Vec<Vec<ColumnInfo>> = Vec::new();
        for point in 0..grid.len() {
            let (scenario, texts) = read(point)?;
            let key = ScenarioKey::of(&scenario, &texts);
            points.push(*by_key.entry(key).or_insert(jobs.len()));
            if points[point] == jobs.len() {
                jobs.push(Job::new(key, point, stop));
                let list = columns_at(&scenario, &grid, point)?;
                if !lists.contains(&list) {
                    lists.push(list);
                }
            }
        }
        let journal = match folder {
            Some(folder) => Journal::in_folder(folder)?,
            None => Journal::in_memory(),
        };
        let mut sweep = Sweep {
            results: union(lists.iter().map(Vec::as_slice)),
            open: (0..jobs.len()).collect(),
            seed: first.run.seed,
            folder: folder.map(Path::to_owned),
            out: BTreeMap::new(),
            batches: 0,
            reused: 0,
            wall: Duration::ZERO,
            timed: 0,
            source,
            document,
            files,
            changes,
            grid,
            registry,
            stop,
            first,
            jobs,
            by_key,
            points,
            journal,
        };
        (0..sweep.jobs.len()).try_for_each(|job| sweep.settle(job))?;
        sweep.reused = sweep.done();
        Ok(sweep)
    }

    /// Hands out runs, about a second of work; `None` if there are none to hand out now.
    pub fn take(&mut self) -> Option<Batch> {
        let (mut taken, mut left, mut room) = (Vec::new(), BATCH, MOST_OF_A_BATCH);
        while let Some(job) = self.open.first().copied() {
            let guess = self.jobs[job].wall().or(self.mean_wall());
            let most = guess.map_or(1, |wall| (left.as_nanos() / wall.as_nanos().max(1)).clamp(1, room));
            let (key, seed, journal) = (self.jobs[job].key, self.seed, &self.journal);
            let Some(runs) = self.jobs[job].take(most, |run| journal.has(key, seed + run)) else {
                self.open.remove(&job);
                continue;
            };
            let cost = guess.map_or(BATCH, |wall| wall * (runs.end - runs.start));
            (left, room) = (left.saturating_sub(cost), room - (runs.end - runs.start));
            taken.push((job, runs));
            if left < guess.unwrap_or(BATCH) || room == 0 {
                break;
            }
        }
        (!taken.is_empty()).then(|| self.batch(taken))
    }

    /// Keeps the rows of batches: on return, they are on disk.
    ///
    /// # Errors
    /// They cannot be kept.
    pub fn accept(&mut self, all: &[Rows]) -> Result<(), SweepError> {
        self.journal.append(all)?;
        for rows in all {
            for part in &rows.parts {
                let job = ScenarioKey::parse(&part.key).and_then(|key| self.by_key.get(&key).copied());
                if let Some(job) = job {
                    let (runs, wall) = (part.rows.len() as u64, Duration::from_nanos(part.wall_ns));
                    self.jobs[job].on_timed(runs, wall);
                    (self.timed, self.wall) = (self.timed + runs, self.wall + wall);
                    self.settle(job)?;
                }
            }
            self.give_back(rows.batch);
        }
        Ok(())
    }

    /// Takes back the runs of a failed batch, to be handed out again.
    pub fn on_failed(&mut self, batch: &Batch) {
        self.give_back(batch.id);
    }

    /// Returns true if every point has enough runs.
    pub fn is_complete(&self) -> bool {
        self.jobs.iter().all(Job::is_complete)
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.grid.len()
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The seed of each point's first run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The scenario of the first point.
    pub fn first_scenario(&self) -> &Scenario {
        &self.first
    }

    /// The runs present when the sweep was opened.
    pub fn reused(&self) -> u64 {
        self.reused
    }

    /// The number of damaged lines in the folder's journal, whose runs are made again; a truncated last line does not
    /// count.
    pub fn damaged(&self) -> u64 {
        self.journal.damaged()
    }

    /// The scenario at a point, with the files it names.
    fn read(&self, point: usize) -> Result<(Scenario, BTreeMap<String, String>), ScenarioError> {
        read_point(&self.document, &self.files, &self.changes, &self.grid, &self.registry, point)
    }

    fn batch(&mut self, taken: Vec<(usize, Range<u64>)>) -> Batch {
        let mut files = BTreeMap::new();
        let mut parts = Vec::with_capacity(taken.len());
        for (job, runs) in &taken {
            let job = &self.jobs[*job];
            if self.files.has_any() {
                // It was valid when the sweep was opened, and its files have been kept since.
                files.extend(self.read(job.point).map(|(_, texts)| texts).unwrap_or_default());
            }
            let own = self.grid.assignments(job.point);
            parts.push(Part {
                key: job.key.to_string(),
                settings: self.changes.iter().chain(&own).map(|setting| setting.text().to_owned()).collect(),
                first_seed: self.seed + runs.start,
                seeds: runs.end - runs.start,
            });
        }
        self.batches += 1;
        self.out.insert(self.batches, taken);
        let (source, text) = (self.source.name.clone(), self.source.text.clone());
        Batch { id: self.batches, source, text, files, parts, registry: self.registry.clone() }
    }

    /// Judges the runs of a job that are present without a gap.
    fn settle(&mut self, job: usize) -> Result<(), SweepError> {
        while let Some(run) = self.jobs[job].awaited() {
            let (key, seed) = (self.jobs[job].key, self.seed + run);
            if !self.journal.has(key, seed) {
                break;
            }
            let goodputs = match self.stop {
                Stop::After(_) => Vec::new(),
                Stop::Until { .. } => self.goodputs(key, seed)?,
            };
            self.jobs[job].on_run(&goodputs);
        }
        if self.jobs[job].is_complete() {
            self.open.remove(&job)
        } else {
            self.open.insert(job)
        };
        Ok(())
    }

    /// Takes back the runs of a batch that are missing.
    fn give_back(&mut self, batch: u64) {
        for (job, runs) in self.out.remove(&batch).unwrap_or_default() {
            let (key, seed, journal) = (self.jobs[job].key, self.seed, &self.journal);
            let missing = runs.filter(|run| !journal.has(key, seed + *run));
            self.jobs[job].give_back(missing);
            if !self.jobs[job].is_complete() {
                self.open.insert(job);
            }
        }
    }

    fn done(&self) -> u64 {
        self.jobs.iter().map(Job::counted).sum()
    }

    /// The mean time of all timed runs.
    fn mean_wall(&self) -> Option<Duration> {
        (self.timed > 0).then(|| self.wall / self.timed)
    }
}

/// The scenario of a point, with the files it names.
fn read_point(
    document: &ParsedDocument,
    files: &RecordedFiles,
    changes: &[Assignment],
    grid: &Grid,
    registry: &Registry,
    point: usize,
) -> Result<(Scenario, BTreeMap<String, String>), ScenarioError> {
    let settings: Vec<Assignment> = changes.iter().cloned().chain(grid.assignments(point)).collect();
    let scenario = document.scenario(files, &settings, registry)?;
    Ok((scenario, files.take_used()))
}

/// The columns of a point's results; checks that it can be run.
fn columns_at(scenario: &Scenario, grid: &Grid, point: usize) -> Result<Vec<ColumnInfo>, SweepError> {
    let run = Run::new(scenario, scenario.run.seed, Watch::default()).map_err(|error| {
        let settings = grid.assignments(point);
        let settings = settings.iter().map(Assignment::text).collect::<Vec<_>>().join(" ");
        SweepError::Build { settings, error }
    })?;
    Ok(columns_of(&run.finish()))
}

/// The rule of `sim`: a number of runs, or a minimum until a mean is precise.
fn stop_rule(scenario: &Scenario, until: Option<f64>) -> Stop {
    match until {
        Some(error) => Stop::Until { error, least: scenario.run.runs.max(Stop::LEAST), most: Stop::MOST },
        None => Stop::After(scenario.run.runs),
    }
}

fn at(settings: &str) -> String {
    if settings.is_empty() { String::new() } else { format!("at {settings}: ") }
}

/// The work of a batch.
const BATCH: Duration = Duration::from_secs(1);
/// The most runs of a batch: their rows are in memory until they are kept.
const MOST_OF_A_BATCH: u64 = 200;
