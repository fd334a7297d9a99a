//! `anabranch predict`: predicts throughput with analytic models.

mod groups;
mod table;

use anabranch_observe::predictions;
use anabranch_sim::predict::forecasts;

use crate::arguments::PredictArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;
use crate::scenario::load;

/// Runs the command.
///
/// # Errors
/// The scenario is invalid, or Ctrl-C.
pub(crate) async fn run(arguments: &PredictArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let loaded = load(&arguments.scenario, &arguments.settings, interrupt).await?;
    let (wanted, loss) = (arguments.selected(), arguments.loss_model.round_loss());
    let work = move || {
        let forecasts = forecasts(&loaded.scenario, &wanted, loss);
        (loaded, forecasts)
    };
    let (loaded, forecasts) = interrupt.or_done(work).await?;
    Ok(Outcome {
        document: Some(predictions(&loaded.scenario, loss, &forecasts).about(loaded.sha256.clone())),
        summary: table::predictions(&loaded.scenario, &forecasts),
        failure: None,
        ..Outcome::default()
    })
}
