//! The values of runs that were made before, in memory and in a file, so that a study of hours can be interrupted and
//! continued.
//!
//! A run is known by its scenario's text, its seed, and how the simulator behaves. Rows that a simulator of other
//! behaviour wrote do not count. Behaviour is what the snapshots in `crates/sim/tests/snapshots` record, which the tests
//! of that crate compare with the simulator: a change that alters no recorded result does not make older rows invalid, and
//! after one that alters the runs of a figure and none of these, the folder has to be removed.
//!
//! Each row is appended when its run ends, in one write. A kill loses the runs that are under way, a power failure also
//! those that the system had not written yet. Every row ends with a digest of itself: a line that was cut off or damaged
//! is passed over, and its run is made again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sha2::{Digest, Sha256};

use super::FigureError;
use super::run_values::RunValues;
use crate::grid::{self, GridPoint};

/// The results that the simulator's own tests hold it to.
const RECORDED: [&str; 2] = [
    include_str!("../../../sim/tests/snapshots/golden__goodput_by_loss_buffer_and_ratio_of_round_trips.snap"),
    include_str!(
        "../../../sim/tests/snapshots/scenario_files__every_shipped_scenario_has_the_recorded_result.snap"
    ),
];

/// The file in a study's folder.
const FILE: &str = "runs.csv";

/// Its first line: the columns.
const HEAD: &str = "behaviour,scenario,seed,time,throughput,sacks_by_timer,shared_sacks,fast_retransmits,timeouts,\
     delivered,seconds,check";

/// Runs with their values.
#[derive(Debug)]
pub struct KeptRuns {
    /// The digest of the simulator's behaviour.
    behaviour: String,
    rows: BTreeMap<RunKey, RunValues>,
    file: Option<Mutex<RunFile>>,
    counts: RunCounts,
}

/// How many runs and rows there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Runs whose values were kept before.
    pub taken: usize,
    /// Runs that were made.
    pub made: usize,
    /// Rows in the file that were written by a simulator of other behaviour.
    pub foreign: usize,
    /// Lines in the file that are cut off or damaged.
    pub damaged: usize,
}

/// A folder's file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep runs in {}: {error}", path.display())]
pub struct KeepError {
    path: PathBuf,
    error: io::Error,
}

/// The digest of a scenario's text, and a seed.
type RunKey = (String, u64);

/// A file whose rows are appended.
#[derive(Debug)]
struct RunFile {
    path: PathBuf,
    file: File,
}

/// A line of the file, in so far as it is a row.
enum Line {
    Row { behaviour: String, key: RunKey, values: RunValues },
    Damaged,
}

impl KeptRuns {
    /// Without a file: what was run once is not run again, until the end of the program.
    pub fn in_memory() -> KeptRuns {
        KeptRuns {
            behaviour: digest(&RECORDED.concat()),
            rows: BTreeMap::new(),
            file: None,
            counts: RunCounts::default(),
        }
    }

    /// With a file in `folder`, which is made where it is not there.
    ///
    /// # Errors
    /// A folder that cannot be made, or a file that cannot be read or appended to.
    pub fn in_folder(folder: &Path) -> Result<KeptRuns, KeepError> {
        let path = folder.join(FILE);
        let fault = |error| KeepError { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(fault)?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(fault(error)),
        };
        let mut kept = KeptRuns::in_memory();
        String::from_utf8_lossy(&bytes).lines().for_each(|line| kept.on_line(line));
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(fault)?;
        if bytes.is_empty() {
            file.write_all(format!("{HEAD}\n").as_bytes()).map_err(fault)?;
        } else if !bytes.ends_with(b"\n") {
            // The next row is not to be appended to the rest of one that was cut off.
            file.write_all(b"\n").map_err(fault)?;
        }
        kept.file = Some(Mutex::new(RunFile { path, file }));
        Ok(kept)
    }

    /// The values of all these runs: kept ones, and those of runs that are made now. They stand in the order of the
    /// points and of their seeds.
    ///
    /// # Errors
    /// A scenario that cannot be run, or a row that cannot be written.
    pub fn values(&mut self, points: &[GridPoint]) -> Result<Vec<Vec<RunValues>>, FigureError> {
        let missing = self.missing(points);
        let of_seeds = |point: &GridPoint| point.seeds.clone().count();
        let all: usize = points.iter().map(of_seeds).sum();
        let made: usize = missing.iter().map(of_seeds).sum();
        let rows: Vec<Vec<(RunKey, RunValues)>> = grid::run_each(&missing, |point, run| {
            let (key, values) = ((digest(&point.scenario), run.seed), RunValues::of(&run));
            self.append(&key, &values)?;
            Ok::<_, FigureError>((key, values))
        })?;
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

    /// How many runs and rows there were so far.
    pub fn counts(&self) -> RunCounts {
        self.counts
    }

    /// The runs whose values are not there, each once, a point for each unbroken range of seeds.
    fn missing(&self, points: &[GridPoint]) -> Vec<GridPoint> {
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

    fn append(&self, key: &RunKey, values: &RunValues) -> Result<(), KeepError> {
        let Some(file) = &self.file else { return Ok(()) };
        let row = row(&self.behaviour, key, values);
        // A thread that panicked had written its row or not: the file is as it was.
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let written = file.file.write_all(row.as_bytes());
        written.map_err(|error| KeepError { path: file.path.clone(), error })
    }

    fn on_line(&mut self, line: &str) {
        match Line::read(line) {
            _ if line == HEAD || line.is_empty() => {}
            Line::Damaged => self.counts.damaged += 1,
            Line::Row { behaviour, .. } if behaviour != self.behaviour => self.counts.foreign += 1,
            Line::Row { key, values, .. } => {
                self.rows.insert(key, values);
            }
        }
    }
}

impl Line {
    fn read(line: &str) -> Line {
        let Some((cells, check)) = line.rsplit_once(',') else { return Line::Damaged };
        if check != short_digest(cells) {
            return Line::Damaged;
        }
        let cells: Vec<&str> = cells.split(',').collect();
        Line::of_cells(&cells).unwrap_or(Line::Damaged)
    }

    /// `None` for a row of other columns.
    fn of_cells(cells: &[&str]) -> Option<Line> {
        let [behaviour, scenario, seed, time, rest @ ..] = cells else { return None };
        let [throughput, sacks_by_timer, shared_sacks, fast_retransmits, timeouts, delivered, seconds] = rest
        else {
            return None;
        };
        let number = |cell: &str| cell.parse::<f64>().ok();
        let values = RunValues {
            time: if time.is_empty() { None } else { Some(number(time)?) },
            throughput: number(throughput)?,
            sacks_by_timer: number(sacks_by_timer)?,
            shared_sacks: number(shared_sacks)?,
            fast_retransmits: number(fast_retransmits)?,
            timeouts: number(timeouts)?,
            delivered: delivered.parse().ok()?,
            seconds: number(seconds)?,
        };
        let key = ((*scenario).to_owned(), seed.parse().ok()?);
        Some(Line::Row { behaviour: (*behaviour).to_owned(), key, values })
    }
}

/// A row with its line's end. A printed float is the shortest that reads as the same number.
fn row(behaviour: &str, (scenario, seed): &RunKey, values: &RunValues) -> String {
    let time = values.time.map(|time| time.to_string()).unwrap_or_default();
    let RunValues { throughput, sacks_by_timer, shared_sacks, .. } = values;
    let RunValues { fast_retransmits, timeouts, delivered, seconds, .. } = values;
    let cells = format!(
        "{behaviour},{scenario},{seed},{time},{throughput},{sacks_by_timer},{shared_sacks},{fast_retransmits},\
         {timeouts},{delivered},{seconds}"
    );
    format!("{cells},{}\n", short_digest(&cells))
}

/// 128 bits of SHA-256, in hexadecimal digits.
fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Enough of them to find a line that was cut off.
fn short_digest(text: &str) -> String {
    digest(text).chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the packets are lost at random: each seed has values of its own.
    const UDP: &str = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nloss = 0.5\n[[flow]]\n\
        protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"100 kbit/s\", message = \"100 B\" }\n";

    fn points() -> Vec<GridPoint> {
        let slower = UDP.replace("100 kbit/s", "50 kbit/s");
        vec![
            GridPoint { scenario: UDP.to_owned(), seeds: 1..6 },
            GridPoint { scenario: slower, seeds: 1..4 },
            GridPoint { scenario: UDP.to_owned(), seeds: 2..5 },
        ]
    }

    /// What the runs give that nobody interrupts.
    fn uninterrupted() -> Vec<Vec<RunValues>> {
        KeptRuns::in_memory().values(&points()).expect("they can be run")
    }

    fn counts(taken: usize, made: usize) -> RunCounts {
        RunCounts { taken, made, ..RunCounts::default() }
    }

    /// A folder with all runs, and its file.
    fn folder_with_runs() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("there is room");
        let mut kept = KeptRuns::in_folder(folder.path()).expect("it can be written");
        assert_eq!(kept.values(&points()).expect("they can be run"), uninterrupted());
        assert_eq!(kept.counts(), counts(3, 8), "three runs stand there twice");
        let file = folder.path().join(FILE);
        (folder, file)
    }

    /// Reads the folder anew, and takes or makes all runs.
    fn continued(folder: &Path) -> RunCounts {
        let mut kept = KeptRuns::in_folder(folder).expect("it can be read");
        assert_eq!(kept.values(&points()).expect("they can be run"), uninterrupted());
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
            // A line that lacks nothing but its end is whole.
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
        let absurd = RunValues { throughput: 1e9, time: None, ..uninterrupted()[0][0] };
        let (behaviour, key) = (KeptRuns::in_memory().behaviour, (digest(UDP), 1));
        let values = |behaviour: &str| {
            fs::write(folder.path().join(FILE), row(behaviour, &key, &absurd)).expect("it can be written");
            let mut kept = KeptRuns::in_folder(folder.path()).expect("it can be read");
            let point = GridPoint { scenario: UDP.to_owned(), seeds: 1..2 };
            (kept.values(&[point]).expect("it can be run")[0][0], kept.counts())
        };
        assert_eq!(values(&behaviour), (absurd, counts(1, 0)));
        let foreign = RunCounts { foreign: 1, ..counts(0, 1) };
        assert_eq!(values(&digest("another")), (uninterrupted()[0][0], foreign));
    }

    #[test]
    fn a_row_reads_as_the_values_that_were_written() {
        let values = RunValues {
            time: Some(0.1 + 0.2),
            throughput: 1e-9,
            sacks_by_timer: 3.0,
            shared_sacks: 1.0 / 3.0,
            fast_retransmits: 0.0,
            timeouts: 1e15,
            delivered: u64::MAX,
            seconds: f64::MIN_POSITIVE,
        };
        for values in [values, RunValues { time: None, ..values }] {
            let line = row("b", &("s".to_owned(), 7), &values);
            let Line::Row { behaviour, key, values: read } = Line::read(line.trim_end()) else {
                panic!("{line}")
            };
            assert_eq!((behaviour.as_str(), key, read), ("b", ("s".to_owned(), 7), values));
        }
    }
}
