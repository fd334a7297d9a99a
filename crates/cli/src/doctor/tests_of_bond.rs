//! The goodput of the bond itself each way, with the settings in use.

use anabranch_base::Duration;
use anabranch_bench::protocol::RequestedDirection;
use anabranch_bench::{Exchange, Measured, TestRequest, agree, limits_of, summary_of};
use anabranch_diagnose::Transfer;
use anabranch_diagnose::recording::Lane;
use anabranch_net::Config;

use super::progress::View;
use crate::bench::{not_agreed, not_ended, shown_rate};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::peer::Connected;

/// The tests of the bond.
#[derive(Debug, Default)]
pub(super) struct Bond {
    /// From this end to the other.
    pub forward: Option<Measured>,
    /// From the other end to this one.
    pub reverse: Option<Measured>,
}

impl Bond {
    /// The transfers each way, for the judge, whose paths have the names of these lanes.
    pub(super) fn transfers(&self, config: &Config, lanes: &[Lane]) -> [Option<Transfer>; 2] {
        [&self.forward, &self.reverse]
            .map(|measured| measured.as_ref().map(|one| transfer(one, config, lanes)))
    }

    /// The goodput from this end to the other.
    pub(super) fn forward_bps(&self) -> Option<f64> {
        self.forward.as_ref().map(|measured| measured.directions().0.goodput_bps())
    }

    fn reverse_bps(&self) -> Option<f64> {
        self.reverse.as_ref().map(|measured| measured.directions().0.goodput_bps())
    }

    /// The line of the table.
    pub(super) fn summary(&self) -> String {
        match (self.forward_bps(), self.reverse_bps()) {
            (Some(there), Some(back)) => {
                format!("the bond carries {} there and {} back\n", shown_rate(there), shown_rate(back))
            }
            _ => String::new(),
        }
    }
}

/// The summary of a test, in which a path has the name of the lane with its addresses.
fn transfer(measured: &Measured, config: &Config, lanes: &[Lane]) -> Transfer {
    let mut transfer = summary_of(measured, config);
    let entries = measured.directions().0.paths;
    for (path, entry) in transfer.paths.iter_mut().zip(&entries) {
        let is_it = |lane: &&Lane| lane.local == entry.local && lane.remote == entry.remote;
        if let Some(lane) = lanes.iter().find(is_it) {
            path.name.clone_from(&lane.name);
        }
    }
    transfer
}

/// Tests the bond each way.
///
/// # Errors
/// The other end refuses or leaves, or Ctrl-C.
pub(super) async fn run(
    other: &Connected,
    config: &Config,
    view: &mut View,
    interrupt: &mut Interrupt,
) -> Result<Bond, Failure> {
    view.step("the bond there", 0.0);
    let forward = Some(one(other, config, RequestedDirection::Forward, LONG, interrupt).await?);
    view.step("the bond back", 0.5);
    let reverse = Some(one(other, config, RequestedDirection::Reverse, LONG, interrupt).await?);
    Ok(Bond { forward, reverse })
}

/// One test of the bond over an association.
///
/// # Errors
/// As [`run`].
pub(super) async fn one(
    other: &Connected,
    config: &Config,
    direction: RequestedDirection,
    duration: Duration,
    interrupt: &mut Interrupt,
) -> Result<Measured, Failure> {
    let Connected { association, peer, .. } = other;
    let wish = TestRequest { direction, duration, ..TestRequest::default() };
    let work = async {
        let agreed = agree(association, &limits_of(config), wish).await;
        let mut exchange = Exchange::begin(association, agreed.map_err(|error| not_agreed(peer, error))?);
        while exchange.next().await.map_err(|error| not_ended(association, peer, Some(error)))?.is_some() {}
        Ok(exchange.measured())
    };
    tokio::select! {
        measured = work => measured,
        () = interrupt.pressed() => {
            association.abort(&Failure::Interrupted.to_string());
            Err(Failure::Interrupted)
        }
    }
}

/// The time of a test: windows have grown, and the receive buffer too.
const LONG: Duration = Duration::from_secs(8);
