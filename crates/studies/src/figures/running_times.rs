//! The running times of figures, kept in a table beside their curves: `figure`, and `processor_s`, the seconds of all
//! processors together for all runs and models of the full scale. Machines differ; within the table, figures can be
//! compared.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::session::WriteError;
use super::{FIGURES, FigureEntry};

/// The table's file.
pub const FILE: &str = "times.csv";

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunningTime {
    /// The figure's name.
    pub figure: String,
    /// Seconds of all processors together.
    pub processor_s: f64,
}

/// The table of a folder; empty if it has none.
///
/// # Errors
/// It cannot be read, or is none.
pub fn read(folder: &Path) -> Result<Vec<RunningTime>, csv::Error> {
    match fs::read(folder.join(FILE)) {
        Ok(bytes) => csv::Reader::from_reader(&bytes[..]).deserialize().collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Writes what a figure took into the table of a folder, in the place of what it took before.
///
/// # Errors
/// The table cannot be read or written.
pub fn note(folder: &Path, figure: &FigureEntry, processor_s: f64) -> Result<(), WriteError> {
    let fault = |error: csv::Error| WriteError { path: folder.join(FILE), error: io::Error::other(error) };
    let mut rows = read(folder).map_err(fault)?;
    rows.retain(|row| row.figure != figure.id);
    // Tenths of a second: the rest is chance.
    rows.push(RunningTime { figure: figure.id.to_owned(), processor_s: (processor_s * 10.0).round() / 10.0 });
    let place = |row: &RunningTime| FIGURES.iter().position(|one| one.id == row.figure);
    rows.sort_by_key(place);
    let mut writer = csv::Writer::from_path(folder.join(FILE)).map_err(fault)?;
    rows.iter().try_for_each(|row| writer.serialize(row)).map_err(fault)?;
    writer.flush().map_err(|error| fault(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{iy, ye};

    #[test]
    fn the_last_time_of_a_figure_counts_and_figures_keep_their_order() {
        let folder = tempfile::tempdir().expect("there is room");
        let (string, zero_loss) = (&ye::string::throughput::ENTRY, &iy::zero_loss::ENTRY);
        for (figure, seconds) in [(string, 9.0), (zero_loss, 1.0), (string, 8.26)] {
            note(folder.path(), figure, seconds).expect("it can be written");
        }
        let rows = read(folder.path()).expect("it is a table");
        let told: Vec<(&str, f64)> = rows.iter().map(|row| (row.figure.as_str(), row.processor_s)).collect();
        assert_eq!(told, [("IY-F4", 1.0), ("YE-F7-F9", 8.3)]);
    }
}
