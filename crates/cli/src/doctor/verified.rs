//! The best simulated change, tried really.

use std::fmt;

use anabranch_base::Duration;
use anabranch_bench::protocol::RequestedDirection;
use anabranch_net::Config;

use super::progress::View;
use super::simulated::Simulated;
use super::tests_of_bond::{self, Bond};
use crate::bench::shown_rate;
use crate::dialing::Route;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::peer::Connected;
use crate::settings;

/// A change that was tried.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Verified {
    /// The change, as the command line takes it.
    pub set: String,
    /// The goodput without it.
    pub before_bps: f64,
    /// The goodput with it.
    pub with_bps: f64,
    /// The goodput that the simulator promised.
    pub promised_bps: f64,
}

/// Tries the best change for data to the other end; `None` where none promises anything.
///
/// # Errors
/// The other end does not answer again, or Ctrl-C.
pub(super) async fn run(
    simulated: Option<&Simulated>,
    bond: &Bond,
    route: &Route,
    view: &mut View,
    interrupt: &mut Interrupt,
) -> Result<Option<Verified>, Failure> {
    let best = simulated.and_then(Simulated::best_there).zip(bond.forward_bps());
    let Some((best, before_bps)) = best else { return Ok(None) };
    view.step(&format!("trying {}", best.set), 0.0);
    let mut changed = route.clone();
    changed.dialer.config = settings::with(changed.dialer.config, &best.change.settings())?;
    let config = changed.dialer.config.clone();
    let work = async |other: Connected, interrupt: &mut Interrupt| test(&other, &config, interrupt).await;
    let with_bps = changed.dial(interrupt, work).await?;
    let promised_bps = best.outcome.goodput_bps.value;
    Ok(Some(Verified { set: best.set.clone(), before_bps, with_bps, promised_bps }))
}

async fn test(other: &Connected, config: &Config, interrupt: &mut Interrupt) -> Result<f64, Failure> {
    let measured = tests_of_bond::one(other, config, RequestedDirection::Forward, LONG, interrupt).await?;
    let _ = tokio::time::timeout(CLOSING, other.association.close()).await;
    Ok(measured.directions().0.goodput_bps())
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, with, promised] = [self.before_bps, self.with_bps, self.promised_bps].map(shown_rate);
        writeln!(f, "\ntried: {} carries {with} there, {before} without it; simulated {promised}", self.set)
    }
}

const LONG: Duration = Duration::from_secs(8);
const CLOSING: std::time::Duration = std::time::Duration::from_secs(2);
