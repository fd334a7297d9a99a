//! `anabranch demo`: the comparison on the scenario that is compiled into the program.

use anabranch_scenario::{Assignment, NoFiles, Scenario, Source};
use anabranch_transfer::hex;
use sha2::{Digest, Sha256};

use crate::arguments::DemoArguments;
use crate::compare::{ComparisonPlan, Emulation, VariantChoice, compare};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::policies;
use crate::report::Outcome;
use crate::scenario::Loaded;

/// Runs the command.
///
/// # Errors
/// A setting is invalid, or a socket cannot be opened.
pub(crate) async fn run(arguments: &DemoArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let settings =
        arguments.settings.iter().map(|change| Assignment::parse(change)).collect::<Result<Vec<_>, _>>()?;
    let loaded = Loaded {
        scenario: scenario(&settings)?,
        text: SCENARIO.to_owned(),
        sha256: hex(&Sha256::digest(SCENARIO).into()),
        name: "phone".to_owned(),
        folder: None,
        settings,
        source: NAME.to_owned(),
    };
    let encapsulation = arguments.encapsulation.encapsulation();
    let plan = ComparisonPlan {
        scope: VariantChoice::AloneAndTogether,
        encapsulation,
        emulation: Emulation::Relay,
        repeats: REPEATS,
    };
    compare(&loaded, plan, arguments.output, interrupt).await
}

/// The scenario, with `changes`.
///
/// # Errors
/// A change is invalid.
pub(crate) fn scenario(changes: &[Assignment]) -> Result<Scenario, Failure> {
    Ok(Scenario::parse(&Source::new(NAME, SCENARIO), &NoFiles, changes, &policies::registry())?)
}

const NAME: &str = "phone.toml";
const SCENARIO: &str = include_str!("../data/phone.toml");

/// The number of real transfers over both links.
const REPEATS: usize = 3;
