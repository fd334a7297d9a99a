//! The values of earlier runs, in memory and in a file, so that a study of hours can be interrupted and continued.
//!
//! A run is identified by its scenario's text, its seed, and a name for the simulator's behaviour, which the study
//! chooses ([`by_recorded_results`], [`by_this_program`]). Rows of other behaviour do not count.
//!
//! Each row is appended in one write when its run ends, and the file is synced once a second and at the end. A kill
//! loses the runs in progress, a power failure also those of the last second. Every row ends with a digest of itself: a
//! truncated or damaged line is skipped, and its run made again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anabranch_sim::RunResult;
use sha2::{Digest, Sha256};

use crate::grid::{self, GridError, GridPoint, ProgressLines, RunGauge, RunWatch};
use crate::stopwatch;

/// The recorded results of the simulator's own tests.
const RECORDED: [&str; 2] = [include_str!("../data/goodput.snap"), include_str!("../data/scenarios.snap")];

/// The name of the file in a study's folder.
const FILE: &str = "runs.csv";

/// The values that a study reads from a run: a few numbers, which fit a file where a whole result would not.
pub trait KeptValues: Copy + Send + Sync {
    /// The names of their columns, separated by commas.
    const COLUMNS: &str;

    /// The gauge that reads values before a run's end.
    type Gauge: RunGauge;

    /// The values of a run.
    fn of(run: &RunResult, gauge: Self::Gauge) -> Self;

    /// The cells of the values, separated by commas. They read back as the same values.
    fn cells(&self) -> String;

    /// Reads the cells; `None` for those of other columns.
    fn from_cells(cells: &[&str]) -> Option<Self>;
}

/// Runs with their values.
#[derive(Debug)]
pub struct KeptRuns<V> {
    /// The name of the simulator's behaviour.
    behaviour: String,
    rows: BTreeMap<RunKey, V>,
    /// The last row of another behaviour, by run.
    foreign: BTreeMap<RunKey, V>,
    file: Option<Mutex<RunFile>>,
    counts: RunCounts,
    watch: Arc<dyn RunWatch>,
}

/// The numbers of runs and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Runs with values kept earlier.
    pub taken: usize,
    /// Runs that were made.
    pub made: usize,
    /// Rows of other behaviour in the file.
    pub foreign: usize,
    /// Truncated or damaged lines in the file.
    pub damaged: usize,
}

/// A study's file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep runs in {}: {error}", path.display())]
pub struct KeepError {
    path: PathBuf,
    error: io::Error,
}

/// The reason why rows are refused.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The rows are of another behaviour.
    #[error("these runs are of another version of the simulator: every process needs the same")]
    OtherSimulator,
    /// A line is truncated or changed.
    #[error("a row of these runs is damaged")]
    Damaged,
    /// The file cannot be written.
    #[error(transparent)]
    NotKept(#[from] KeepError),
}

/// The digest of a scenario's text, and a seed.
type RunKey = (String, u64);

/// A file to which rows are appended.
#[derive(Debug)]
struct RunFile {
    path: PathBuf,
    file: File,
    /// The time of the last sync, in seconds of the clock.
    synced: f64,
}

impl RunFile {
    fn append(&mut self, row: &str) -> io::Result<()> {
        self.file.write_all(row.as_bytes())?;
        match stopwatch::now().clock - self.synced {
            unsynced if unsynced < SYNC_EVERY => Ok(()),
            _ => self.sync(),
        }
    }

    /// Syncs the file: its rows survive a power failure.
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        self.synced = stopwatch::now().clock;
        Ok(())
    }
}

/// The time between syncs, in seconds.
const SYNC_EVERY: f64 = 1.0;

/// A line of the file.
enum Line<V> {
    Row { behaviour: String, key: RunKey, values: V },
    Damaged,
}

/// The behaviour recorded by the snapshots in `crates/sim/tests/snapshots`, which the tests of that crate compare with
/// the simulator. A change that does not alter them leaves older rows valid; if it alters the runs of a study
/// nevertheless, the folder has to be removed.
pub fn by_recorded_results() -> String {
    digest(RECORDED.concat())
}

/// The behaviour of this program: rows of another build do not count.
///
/// # Errors
/// The program's own file cannot be read.
pub fn by_this_program() -> Result<String, KeepError> {
    let path = std::env::current_exe().map_err(|error| KeepError { path: PathBuf::new(), error })?;
    fs::read(&path).map(digest).map_err(|error| KeepError { path, error })
}

impl<V: KeptValues> KeptRuns<V> {
    /// Keeps runs in memory only, until the end of the program.
    pub fn in_memory() -> KeptRuns<V> {
        KeptRuns {
            behaviour: String::new(),
            rows: BTreeMap::new(),
            foreign: BTreeMap::new(),
            file: None,
            counts: RunCounts::default(),
            watch: Arc::new(ProgressLines::default()),
        }
    }

    /// Adds a watch on the runs.
    pub fn watched_by(self, watch: Arc<dyn RunWatch>) -> KeptRuns<V> {
        KeptRuns { watch, ..self }
    }

    /// The watch on the runs.
    pub fn watch(&self) -> &dyn RunWatch {
        &*self.watch
    }

    /// The number of these runs whose values are missing.
    pub fn lacks(&self, points: &[GridPoint]) -> usize {
        self.missing(points).iter().map(|point| point.seeds.clone().count()).sum()
    }

    /// Keeps runs in memory, for a simulator of this behaviour.
    pub fn named(behaviour: &str) -> KeptRuns<V> {
        KeptRuns { behaviour: behaviour.to_owned(), ..KeptRuns::in_memory() }
    }

    /// Keeps runs in a file in `folder`, which is created if missing; `behaviour` is a name without commas.
    ///
    /// # Errors
    /// A folder that cannot be made, or a file that cannot be read or appended to.
    pub fn in_folder(folder: &Path, behaviour: &str) -> Result<KeptRuns<V>, KeepError> {
        let path = folder.join(FILE);
        let fault = |error| KeepError { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(fault)?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(fault(error)),
        };
        let mut kept = KeptRuns { behaviour: behaviour.to_owned(), ..KeptRuns::in_memory() };
        String::from_utf8_lossy(&bytes).lines().for_each(|line| kept.on_line(line));
        let mut file = anabranch_files::open_to_append(&path).map_err(fault)?;
        if bytes.is_empty() {
            file.write_all(format!("{}\n", head::<V>()).as_bytes()).map_err(fault)?;
        } else if !bytes.ends_with(b"\n") {
            // The next row must not be appended to a truncated one.
            file.write_all(b"\n").map_err(fault)?;
        }
        kept.file = Some(Mutex::new(RunFile { path, file, synced: stopwatch::now().clock }));
        Ok(kept)
    }

    /// The values of these runs, kept ones and those of runs made now, in the order of the points and of their seeds.
    ///
    /// # Errors
    /// A scenario that cannot be run, or a row that cannot be written.
    pub fn values<E>(&mut self, points: &[GridPoint]) -> Result<Vec<Vec<V>>, E>
    where
        E: From<GridError> + From<KeepError> + Send,
    {
        let missing = self.missing(points);
        let of_seeds = |point: &GridPoint| point.seeds.clone().count();
        let all: usize = points.iter().map(of_seeds).sum();
        let made: usize = missing.iter().map(of_seeds).sum();
        let rows: Result<Vec<Vec<(RunKey, V)>>, E> =
            grid::run_watched(&missing, &*self.watch, |point, run, gauge: V::Gauge| {
                let (key, values) = ((digest(&point.scenario), run.seed), V::of(&run, gauge));
                self.append(&key, &values)?;
                Ok::<_, E>((key, values))
            });
        self.with_file(RunFile::sync)?;
        let rows = rows?;
        self.rows.extend(rows.into_iter().flatten());
        self.counts.made += made;
        self.counts.taken += all - made;
        let value = |scenario: &str, seed| self.rows.get(&(scenario.to_owned(), seed)).copied();
        let of_point = |point: &GridPoint| {
            let scenario = digest(&point.scenario);
            point.seeds.clone().filter_map(|seed| value(&scenario, seed)).collect()
        };
        Ok(points.iter().map(of_point).collect())
    }

    /// The rows of these runs in the form of the file, for a process that [accepts](KeptRuns::accept) them.
    ///
    /// # Errors
    /// As for [`KeptRuns::values`].
    pub fn rows<E>(&mut self, points: &[GridPoint]) -> Result<String, E>
    where
        E: From<GridError> + From<KeepError> + Send,
    {
        let values = self.values::<E>(points)?;
        let of_point = |(point, values): (&GridPoint, &Vec<V>)| {
            let scenario = digest(&point.scenario);
            let row = |(seed, values)| row(&self.behaviour, &(scenario.clone(), seed), values);
            point.seeds.clone().zip(values).map(row).collect::<String>()
        };
        Ok(points.iter().zip(&values).map(of_point).collect())
    }

    /// Keeps rows that another process made.
    ///
    /// # Errors
    /// A damaged line, rows of other behaviour, or a file that cannot be written.
    pub fn accept(&mut self, rows: &str) -> Result<(), AcceptError> {
        for line in rows.lines() {
            match Line::<V>::read(line) {
                Line::Row { behaviour, key, values } if behaviour == self.behaviour => {
                    self.append(&key, &values)?;
                    self.rows.insert(key, values);
                }
                Line::Row { .. } => return Err(AcceptError::OtherSimulator),
                Line::Damaged => return Err(AcceptError::Damaged),
            }
        }
        Ok(self.with_file(RunFile::sync)?)
    }

    /// Lets rows of other behaviour count for those of these runs that have none of this behaviour. Returns the number
    /// of such runs.
    pub fn trust(&mut self, points: &[GridPoint]) -> usize {
        let mut trusted = 0;
        for point in points {
            let scenario = digest(&point.scenario);
            for key in point.seeds.clone().map(|seed| (scenario.clone(), seed)) {
                if self.rows.contains_key(&key) {
                    continue;
                }
                if let Some(values) = self.foreign.remove(&key) {
                    self.rows.insert(key, values);
                    trusted += 1;
                }
            }
        }
        trusted
    }

    /// The numbers of runs and rows so far.
    pub fn counts(&self) -> RunCounts {
        self.counts
    }

    /// The runs without values, each once, in a point for each unbroken range of seeds.
    pub fn missing(&self, points: &[GridPoint]) -> Vec<GridPoint> {
        let (mut missing, mut named) = (Vec::<GridPoint>::new(), BTreeSet::<RunKey>::new());
        for point in points {
            let scenario = digest(&point.scenario);
            for seed in point.seeds.clone() {
                let key = (scenario.clone(), seed);
                if self.rows.contains_key(&key) || !named.insert(key) {
                    continue;
                }
                match missing.last_mut() {
                    Some(last) if last.scenario == point.scenario && last.seeds.end == seed => {
                        last.seeds.end = seed + 1;
                    }
                    _ => missing.push(GridPoint { scenario: point.scenario.clone(), seeds: seed..seed + 1 }),
                }
            }
        }
        missing
    }

    fn append(&self, key: &RunKey, values: &V) -> Result<(), KeepError> {
        let row = row(&self.behaviour, key, values);
        self.with_file(|file| file.append(&row))
    }

    /// Applies `work` to the file, if there is one.
    fn with_file(&self, work: impl FnOnce(&mut RunFile) -> io::Result<()>) -> Result<(), KeepError> {
        let Some(file) = &self.file else { return Ok(()) };
        // A thread that panicked had written its row or not: the file is consistent.
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        work(&mut file).map_err(|error| KeepError { path: file.path.clone(), error })
    }

    fn on_line(&mut self, line: &str) {
        match Line::read(line) {
            _ if line == head::<V>() || line.is_empty() => {}
            Line::Damaged => self.counts.damaged += 1,
            Line::Row { behaviour, key, values } if behaviour != self.behaviour => {
                self.counts.foreign += 1;
                self.foreign.insert(key, values);
            }
            Line::Row { key, values, .. } => {
                self.rows.insert(key, values);
            }
        }
    }
}

impl<V: KeptValues> Line<V> {
    fn read(line: &str) -> Line<V> {
        let Some((cells, check)) = line.rsplit_once(',') else { return Line::Damaged };
        if check != short_digest(cells) {
            return Line::Damaged;
        }
        let cells: Vec<&str> = cells.split(',').collect();
        Line::of_cells(&cells).unwrap_or(Line::Damaged)
    }

    /// Parses a row; `None` for one of other columns.
    fn of_cells(cells: &[&str]) -> Option<Line<V>> {
        let [behaviour, scenario, seed, values @ ..] = cells else { return None };
        let key = ((*scenario).to_owned(), seed.parse().ok()?);
        Some(Line::Row { behaviour: (*behaviour).to_owned(), key, values: V::from_cells(values)? })
    }
}

/// The first line of the file, with the columns.
fn head<V: KeptValues>() -> String {
    format!("behaviour,scenario,seed,{},check", V::COLUMNS)
}

/// A row with its line end.
fn row<V: KeptValues>(behaviour: &str, (scenario, seed): &RunKey, values: &V) -> String {
    let cells = format!("{behaviour},{scenario},{seed},{}", values.cells());
    format!("{cells},{}\n", short_digest(&cells))
}

/// 128 bits of SHA-256, in hexadecimal digits.
fn digest(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The first digits of a digest, enough to detect a truncated line.
fn short_digest(text: &str) -> String {
    digest(text).chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    /// The name of the tests' behaviour.
    const BEHAVIOUR: &str = "as-recorded";

    /// Half of the packets are lost at random: each seed has its own values.
    const UDP: &str = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nloss = 0.5\n[[flow]]\n\
        protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"100 kbit/s\", message = \"100 B\" }\n";

    /// The values that the tests keep of a run.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Received {
        /// In bit/s.
        goodput: f64,
        /// Bytes; `None` if nothing arrived.
        delivered: Option<u64>,
    }

    impl KeptValues for Received {
        const COLUMNS: &str = "goodput,delivered";

        type Gauge = ();

        fn of(run: &RunResult, (): ()) -> Received {
            let [flow] = &run.flows[..] else { panic!("one flow: {}", run.flows.len()) };
            let delivered = flow.delivered.get();
            Received { goodput: flow.goodput_bps, delivered: (delivered > 0).then_some(delivered) }
        }

        fn cells(&self) -> String {
            format!("{},{}", self.goodput, self.delivered.map(|bytes| bytes.to_string()).unwrap_or_default())
        }

        fn from_cells(cells: &[&str]) -> Option<Received> {
            let [goodput, delivered] = cells else { return None };
            let delivered = if delivered.is_empty() { None } else { Some(delivered.parse().ok()?) };
            Some(Received { goodput: goodput.parse().ok()?, delivered })
        }
    }

    fn points() -> Vec<GridPoint> {
        let slower = UDP.replace("100 kbit/s", "50 kbit/s");
        vec![
            GridPoint { scenario: UDP.to_owned(), seeds: 1..6 },
            GridPoint { scenario: slower, seeds: 1..4 },
            GridPoint { scenario: UDP.to_owned(), seeds: 2..5 },
        ]
    }

    /// The values of runs without interruption.
    fn uninterrupted() -> Vec<Vec<Received>> {
        all_of(&mut KeptRuns::in_memory())
    }

    fn all_of(kept: &mut KeptRuns<Received>) -> Vec<Vec<Received>> {
        kept.values::<Box<dyn Error + Send + Sync>>(&points()).expect("they can be run")
    }

    fn counts(taken: usize, made: usize) -> RunCounts {
        RunCounts { taken, made, ..RunCounts::default() }
    }

    /// A folder with all runs, and its file.
    fn folder_with_runs() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("there is room");
        let mut kept = KeptRuns::in_folder(folder.path(), BEHAVIOUR).expect("it can be written");
        assert_eq!(all_of(&mut kept), uninterrupted());
        assert_eq!(kept.counts(), counts(3, 8), "three runs stand there twice");
        let file = folder.path().join(FILE);
        (folder, file)
    }

    /// Opens the folder again, and takes or makes all runs.
    fn continued(folder: &Path) -> RunCounts {
        let mut kept = KeptRuns::in_folder(folder, BEHAVIOUR).expect("it can be read");
        assert_eq!(all_of(&mut kept), uninterrupted());
        kept.counts()
    }

    #[test]
    fn what_was_run_is_not_run_again() {
        let (folder, file) = folder_with_runs();
        assert_eq!(continued(folder.path()), counts(11, 0));
        let text = fs::read_to_string(file).expect("it is there");
        assert_eq!(text.lines().count(), 9, "the head and a row a run:\n{text}");
    }

    #[test]
    fn a_study_that_was_cut_off_anywhere_gives_what_a_whole_one_gives() {
        let (folder, file) = folder_with_runs();
        let whole = fs::read(&file).expect("it is there");
        for length in (0..whole.len()).step_by(37).chain([whole.len() - 1]) {
            fs::write(&file, &whole[..length]).expect("it can be written");
            let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
            // A line lacking only its end is whole.
            let is_complete = whole[length] == b'\n' && lines > 0;
            let rows = lines.saturating_sub(1) + usize::from(is_complete);
            let found = continued(folder.path());
            let is_damaged = length > 0 && whole[length - 1] != b'\n' && whole[length] != b'\n';
            assert_eq!((found.made, found.damaged), (8 - rows, usize::from(is_damaged)), "{length} bytes");
            assert_eq!(continued(folder.path()).made, 0, "{length} bytes: all were appended");
        }
    }

    #[test]
    fn a_damaged_line_is_passed_over() {
        let (folder, file) = folder_with_runs();
        let mut bytes = fs::read(&file).expect("it is there");
        let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
        bytes[ends[2] - 12] ^= 1;
        bytes[ends[4] - 12] = 0xff;
        fs::write(&file, &bytes).expect("it can be written");
        let found = continued(folder.path());
        assert_eq!((found.made, found.damaged), (2, 2));
    }

    #[test]
    fn a_row_counts_only_for_the_simulator_that_wrote_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let absurd = Received { goodput: 1e9, delivered: None };
        let key = (digest(UDP), 1);
        let values = |behaviour: &str| {
            fs::write(folder.path().join(FILE), row(behaviour, &key, &absurd)).expect("it can be written");
            let mut kept = KeptRuns::in_folder(folder.path(), BEHAVIOUR).expect("it can be read");
            let point = GridPoint { scenario: UDP.to_owned(), seeds: 1..2 };
            let values = kept.values::<Box<dyn Error + Send + Sync>>(&[point]).expect("it can be run");
            (values[0][0], kept.counts())
        };
        assert_eq!(values(BEHAVIOUR), (absurd, counts(1, 0)));
        let foreign = RunCounts { foreign: 1, ..counts(0, 1) };
        assert_eq!(values("another"), (uninterrupted()[0][0], foreign));
    }

    #[test]
    fn rows_of_other_behaviour_count_where_they_are_trusted() {
        let (folder, _) = folder_with_runs();
        let mut kept = KeptRuns::<Received>::in_folder(folder.path(), "another").expect("it can be read");
        assert_eq!(kept.trust(&points()[..1]), 5);
        assert_eq!(kept.trust(&points()[..1]), 0, "they count already");
        assert_eq!(all_of(&mut kept), uninterrupted());
        assert_eq!(kept.counts(), RunCounts { foreign: 8, ..counts(8, 3) });
    }

    #[test]
    fn rows_of_this_program_are_named_by_its_file() {
        let name = by_this_program().expect("it can be read");
        assert_eq!(name, by_this_program().expect("it can be read"));
        assert!(name.len() == 32 && name != by_recorded_results(), "{name}");
    }
}
