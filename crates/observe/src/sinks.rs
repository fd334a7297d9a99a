//! The records of one run: their files, and the observations they need.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anabranch_base::Time;
use anabranch_sim::observe::{Observation, Watch};
use anabranch_sim::result::RunResult;

use super::page_file::PageFile;
use super::write_error::{CannotWrite, at};
use super::{About, pcap, trace};

/// The records to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The folder of captures.
    pub pcap: Option<PathBuf>,
    /// The folder of tables.
    pub trace: Option<PathBuf>,
    /// The file of the page. It describes one run: of several, request it for one.
    pub report: Option<PathBuf>,
}

/// The records of a run in progress. The caller holds in memory only the observations since the last call of
/// [`Sinks::take`].
pub struct Sinks<'a> {
    about: About<'a>,
    pcap: Option<(PathBuf, pcap::PcapSink<Out>)>,
    trace: Option<(trace::Outputs<PathBuf>, trace::TraceSink<Out>)>,
    report: Option<PageFile>,
    /// The bytes of captures and tables so far, and their limit.
    written: Rc<Cell<u64>>,
    most: u64,
    ends_at: Option<Time>,
}

type Out = Counted<BufWriter<File>>;

impl Selection {
    /// The observations that these records need.
    pub fn watch(&self) -> Watch {
        let has_course = self.trace.is_some() || self.report.is_some();
        Watch {
            paths: has_course,
            queues: has_course,
            packets: has_course || self.pcap.is_some(),
            waits: false,
            deliveries: self.report.is_some(),
            frames: has_course || self.pcap.is_some(),
        }
    }
}

impl<'a> Sinks<'a> {
    /// Begins the selected records. Captures and tables are in files named after scenario and seed; their folders are
    /// made.
    ///
    /// # Errors
    /// A file cannot be written; likewise below.
    pub fn open(selection: &Selection, about: About<'a>) -> Result<Sinks<'a>, CannotWrite> {
        let stem = format!("{}-seed{}", file_name(about.name), about.seed);
        let written = Rc::new(Cell::new(0));
        let begin = Begin { stem: &stem, about: &about, written: &written };
        Ok(Sinks {
            about,
            pcap: selection.pcap.as_deref().map(|dir| begin.capture(dir)).transpose()?,
            trace: selection.trace.as_deref().map(|dir| begin.tables(dir)).transpose()?,
            written: Rc::clone(&written),
            most: MOST_WRITTEN,
            ends_at: None,
            report: selection.report.as_deref().map(|path| PageFile::open(path, &about)).transpose()?,
        })
    }

    /// Adds observations to every record, unless it is [full](Sinks::ends_at).
    pub fn take(&mut self, observations: &[Observation]) -> Result<(), CannotWrite> {
        for observation in observations {
            if self.ends_at.is_none() && self.written.get() >= self.most {
                self.ends_at = Some(observation.at);
            }
            if let Some((path, sink)) = self.pcap.as_mut().filter(|_| self.ends_at.is_none()) {
                sink.take(observation).map_err(at(path))?;
            }
            if let Some((paths, sink)) = self.trace.as_mut().filter(|_| self.ends_at.is_none()) {
                sink.take(observation).map_err(at(&paths.packets))?;
            }
            if let Some(page) = &mut self.report {
                page.take(observation);
            }
        }
        Ok(())
    }

    /// The time from which captures and tables are incomplete, having reached [`MOST_WRITTEN`] bytes.
    pub fn ends_at(&self) -> Option<Time> {
        self.ends_at
    }

    /// Ends all records with the result of the run and returns their files.
    pub fn finish(self, result: &RunResult) -> Result<Vec<PathBuf>, CannotWrite> {
        self.finish_among(result, &[])
    }

    /// Like [`finish`](Sinks::finish), for the first of several replications: the page shows all `runs`.
    pub fn finish_among(self, result: &RunResult, runs: &[RunResult]) -> Result<Vec<PathBuf>, CannotWrite> {
        let mut files = Vec::new();
        if let Some((path, sink)) = self.pcap {
            sink.finish().map_err(at(&path))?;
            files.push(path);
        }
        if let Some((paths, sink)) = self.trace {
            sink.finish().map_err(at(&paths.packets))?;
            files.extend([paths.paths, paths.links, paths.packets]);
            files.extend(paths.frames);
        }
        if let Some(page) = self.report {
            files.push(page.finish(&self.about, result, runs)?);
        }
        Ok(files)
    }
}

/// The most bytes of captures and tables of a run together, so that a long run does not fill the disk.
pub const MOST_WRITTEN: u64 = 4 << 30;

/// The common start of the files of a run.
struct Begin<'a> {
    stem: &'a str,
    about: &'a About<'a>,
    written: &'a Rc<Cell<u64>>,
}

impl Begin<'_> {
    fn capture(&self, dir: &Path) -> Result<(PathBuf, pcap::PcapSink<Out>), CannotWrite> {
        fs::create_dir_all(dir).map_err(at(dir))?;
        let path = dir.join(format!("{}.pcapng", self.stem));
        let sink =
            self.create(&path).and_then(|out| pcap::PcapSink::new(out, self.about)).map_err(at(&path))?;
        Ok((path, sink))
    }

    fn tables(&self, dir: &Path) -> Result<(trace::Outputs<PathBuf>, trace::TraceSink<Out>), CannotWrite> {
        fs::create_dir_all(dir).map_err(at(dir))?;
        let columns = dir.join("columns.csv");
        self.create(&columns).and_then(trace::write_columns).map_err(at(&columns))?;
        let path = |table: &str| dir.join(format!("{}-{table}.csv", self.stem));
        let has_mesh = !self.about.scenario.nodes.is_empty();
        let paths = trace::Outputs {
            paths: path("paths"),
            links: path("links"),
            packets: path("packets"),
            frames: has_mesh.then(|| path("frames")),
        };
        let create = |path: &Path| self.create(path).map_err(at(path));
        let outputs = trace::Outputs {
            paths: create(&paths.paths)?,
            links: create(&paths.links)?,
            packets: create(&paths.packets)?,
            frames: paths.frames.as_deref().map(create).transpose()?,
        };
        let sink = trace::TraceSink::new(outputs, self.about).map_err(at(&paths.packets))?;
        Ok((paths, sink))
    }

    fn create(&self, path: &Path) -> io::Result<Out> {
        let out = BufWriter::new(File::create(path)?);
        Ok(Counted { out, written: Rc::clone(self.written) })
    }
}

/// Counts the bytes written.
struct Counted<W> {
    out: W,
    written: Rc<Cell<u64>>,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.written.set(self.written.get() + count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// `name` as part of a file's name: characters other than letters, digits, dots and dashes become dashes.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.trim_start_matches('.').chars().map(plain).collect();
    if name.is_empty() { "scenario".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Time;
    use anabranch_sim::observe::Step;

    use super::*;
    use crate::testing;

    #[test]
    fn every_record_goes_to_a_file_named_for_scenario_and_seed() {
        let dir = tempfile::tempdir().unwrap();
        let selection = Selection {
            pcap: Some(dir.path().join("a/b")),
            trace: Some(dir.path().join("c")),
            report: Some(dir.path().join("d.html")),
        };
        let scenario = testing::scenario();
        let mut sinks = Sinks::open(&selection, testing::about(&scenario)).unwrap();
        sinks.take(&[testing::data(Time::ZERO, &[1], Step::Sent)]).unwrap();
        let files = sinks.finish(&testing::result()).unwrap();
        let names: Vec<&str> =
            files.iter().map(|file| file.strip_prefix(dir.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "a/b/phone-seed7.pcapng",
                "c/phone-seed7-paths.csv",
                "c/phone-seed7-links.csv",
                "c/phone-seed7-packets.csv",
                "d.html"
            ]
        );
        assert!(files.iter().all(|file| fs::metadata(file).unwrap().len() > 0));
        assert!(dir.path().join("c/columns.csv").exists());
    }

    #[test]
    fn a_record_that_is_full_ends_and_says_when() {
        let dir = tempfile::tempdir().unwrap();
        let selection =
            Selection { pcap: Some(dir.path().to_owned()), trace: Some(dir.path().to_owned()), report: None };
        let scenario = testing::scenario();
        let mut sinks = Sinks::open(&selection, testing::about(&scenario)).unwrap();
        sinks.most = 10_000;
        let milliseconds = |ms| Time::ZERO + anabranch_base::Duration::from_millis(ms);
        for ms in 0..1_000 {
            sinks.take(&[testing::data(milliseconds(ms), &[1], Step::Sent)]).unwrap();
        }
        let ends_at = sinks.ends_at().expect("it is full");
        assert!((milliseconds(5)..milliseconds(100)).contains(&ends_at), "{ends_at:?}");
        let files = sinks.finish(&testing::result()).unwrap();
        let sum: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        assert!((10_000..12_000).contains(&sum), "{sum}");
    }

    #[test]
    fn a_folder_that_is_a_file_is_named_in_the_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let selection = Selection { pcap: Some(file.path().to_owned()), ..Selection::default() };
        let scenario = testing::scenario();
        let error = Sinks::open(&selection, testing::about(&scenario)).err().unwrap();
        assert_eq!(error.path, file.path());
        assert!(error.to_string().starts_with("cannot write \""), "{error}");
    }

    #[test]
    fn nothing_wanted_is_nothing_watched() {
        assert_eq!(Selection::default().watch(), Watch::default());
    }

    #[test]
    fn a_scenarios_name_cannot_leave_the_folder() {
        assert_eq!(["../x", "a b/c", "", "-"].map(file_name), ["-x", "a-b-c", "scenario", "-"]);
    }
}
