//! A silence beside the measurement: which paths a translator (NAT) forgets while nothing is sent.

use anabranch_base::Duration;
use anabranch_diagnose::recording::Recording;
use anabranch_probe::{SilentPaths, fall_silent};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::progress::View;
use crate::dialing::Route;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// A silence on an association of its own. Dropping it ends the association.
pub(super) struct Silence {
    running: JoinSet<Option<SilentPaths>>,
}

impl Silence {
    /// Falls silent on another association to the other end of `route`; without one nothing is learned.
    pub(super) fn beside(route: Option<&Route>) -> Silence {
        let mut running = JoinSet::new();
        if let Some(route) = route.cloned() {
            running.spawn(async move { timeout(LONGEST, silent_paths(&route)).await.ok().flatten() });
        }
        Silence { running }
    }

    /// Waits for the end of the silence, and notes what it says of the paths.
    ///
    /// # Errors
    /// Ctrl-C.
    pub(super) async fn end_into(
        mut self,
        recording: &mut Recording,
        view: &mut View,
        interrupt: &mut Interrupt,
    ) -> Result<(), Failure> {
        if self.running.is_empty() {
            return Ok(());
        }
        view.step("paths after a silence", 0.9);
        let ended = tokio::select! {
            ended = self.running.join_next() => ended,
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        };
        if let Some(Ok(Some(paths))) = ended {
            paths.put_into(recording);
        }
        Ok(())
    }
}

/// The paths after a silence. An other end that does not take part, because it is older or answers another client, is no
/// failure: nothing is known then.
async fn silent_paths(route: &Route) -> Option<SilentPaths> {
    let (endpoint, association) = route.open_beside().await.ok()?;
    let result = fall_silent(&endpoint, &association, SILENCE).await;
    if let Err(error) = &result {
        association.abort(&error.to_string());
    }
    let _ = timeout(CLOSING, association.close()).await;
    result.ok()
}

/// A translator that keeps UDP for 30 s, as many do, passes.
const SILENCE: Duration = Duration::from_secs(25);
/// The longest time of all of it.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(75);
const CLOSING: std::time::Duration = std::time::Duration::from_secs(1);
