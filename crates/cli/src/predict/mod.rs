//! `anabranch predict`: predicts throughput with analytic models.

mod alike;
mod document;
mod forecast;
mod table;

use anabranch_sim::predict::ModelFlow;

use crate::arguments::PredictArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;
use crate::scenario::{Loaded, load};

pub use forecast::{Forecast, forecast, markov};

/// Runs the command.
///
/// # Errors
/// The scenario is wrong, or Ctrl-C.
pub async fn run(arguments: &PredictArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let loaded = load(&arguments.scenario, &arguments.settings)?;
    let (wanted, loss) = (arguments.wanted(), arguments.loss_model);
    let work = move || {
        let flows = ModelFlow::all(&loaded.scenario);
        let names = loaded.scenario.flows.iter().map(|flow| flow.name.as_str());
        let forecasts = names.zip(&flows).map(|(name, flow)| match flow {
            Ok(flow) => forecast(flow, &wanted, loss),
            Err(why) => forecast::none(name, &wanted, why),
        });
        let forecasts = forecasts.collect();
        (loaded, forecasts)
    };
    let (loaded, forecasts): (Loaded, Vec<Forecast>) = interrupt.or_done(work).await?;
    Ok(Outcome {
        document: Some(document::predictions(&loaded, loss, &forecasts)),
        summary: table::predictions(&loaded.scenario, &forecasts),
        failure: None,
    })
}
