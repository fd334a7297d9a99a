//! `anabranch doctor`: measures the links to another host, says why the bond over them is slow, and what would help.

mod conducting;
mod document;
mod meeting;
mod progress;
mod pronounced;
mod silence;
mod simulated;
mod table;
mod tests_of_bond;
mod verified;
mod written;

use crate::arguments::DoctorArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;
use crate::settings;

/// Runs the command.
///
/// # Errors
/// The other end does not answer or does not measure, or nothing could be measured.
pub(crate) async fn run(arguments: &DoctorArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let base = settings::measurable(settings::for_tools());
    let config = settings::changed(base, &arguments.settings)?;
    if let Some(folder) = &arguments.disk {
        let cannot = |error| {
            Failure::Arguments(format!("--disk: cannot write a file in {}: {error}", folder.display()))
        };
        anabranch_probe::check_folder(folder).map_err(cannot)?;
    }
    meeting::run(arguments, &config, interrupt).await
}
