//! The files that were asked for: the scenario of the links, and the page.

use std::path::Path;

use anabranch_diagnose::LinkEstimate;
use anabranch_diagnose::recording::Recording;
use anabranch_observe::{CannotWrite, Measurement, write_measurement_page};

use super::pronounced::Pronounced;
use super::simulated::Simulated;
use crate::arguments::DoctorArguments;
use crate::failure::Failure;
use crate::peer::Peer;

/// Writes the files.
///
/// # Errors
/// A file that cannot be written; links that make no scenario.
pub(super) fn files(
    arguments: &DoctorArguments,
    recording: &Recording,
    links: &[LinkEstimate],
    simulated: Option<&Simulated>,
    pronounced: &Pronounced,
    peer: &Peer,
) -> Result<(), Failure> {
    if let Some(path) = &arguments.write {
        let Some(Simulated { file, .. }) = simulated else {
            let why = "no link was measured well enough for a scenario: nothing was written";
            return Err(Failure::PeerGone(why.to_owned()));
        };
        for trace in &file.traces {
            write(&path.with_file_name(&trace.name), &trace.text)?;
        }
        write(path, &file.text)?;
    }
    if let Some(path) = &arguments.report {
        let title = format!("Paths to {peer}");
        let page =
            Measurement { recording, links, findings: &pronounced.sentences, title: &title, command: "" };
        write_measurement_page(path, &page)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |source| CannotWrite { path: path.to_owned(), source };
    Ok(anabranch_files::write(path, text).map_err(cannot)?)
}
