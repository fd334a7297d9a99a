//! Dials the other end again and again.

use std::convert::Infallible;
use std::time::Duration;

use anabranch_net::Config;
use tokio::time::{Instant, sleep};

use super::ends::LocalEnd;
use crate::arguments::{ForwardArguments, Output};
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::notice;
use crate::peer::Partner;
use crate::report::Outcome;
use crate::supervisor;

/// Dials until Ctrl-C. Each way in which it fails is shown once. Packets have the `mark`.
///
/// # Errors
/// Invalid input at the first attempt, and Ctrl-C.
pub(super) async fn run(
    arguments: &ForwardArguments,
    config: &Config,
    end: LocalEnd,
    mark: Option<u32>,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let security = key::to_dial(&arguments.secrecy, interrupt).await?;
    let partner = if arguments.serve { Partner::Programs } else { Partner::Destinations };
    let quiet = Output { quiet: true, ..arguments.output() };
    supervisor::ready(&format!("dialling {}", hosts(arguments)));
    let mut shown = None;
    let mut pause = SHORTEST;
    // True if the last bond ended soon for a reason that was shown: the next one is worth a line if it lasts.
    let mut is_brief = false;
    let mut is_first = true;
    loop {
        let output = if is_first { arguments.output() } else { quiet };
        let mut connected_at = None;
        let dialer = Dialer { config: config.clone(), security: security.clone(), mark, partner, output };
        let failure = match Route::find(dialer, &arguments.to, &arguments.via).await {
            // The form of an address does not become right by waiting, nor the name of a link that a person gave. A modem may
            // be found after its service has begun.
            Err(failure @ Failure::Arguments(_)) if is_first => return Err(failure),
            Err(failure @ Failure::Via(_)) if is_first && !supervisor::is_present() => return Err(failure),
            Err(failure) => failure,
            Ok(route) => {
                let carried = route.dial(interrupt, async |connected, interrupt| {
                    connected_at = Some(Instant::now());
                    let name = connected.peer.to_string();
                    supervisor::status(&format!("connected to {name}"));
                    let connected_line = async {
                        if is_brief {
                            sleep(LASTING).await;
                        }
                        if !arguments.quiet {
                            notice::tell(&format!("connected to {name}"));
                        }
                        std::future::pending::<Infallible>().await
                    };
                    let handle = connected.association.clone();
                    tokio::select! {
                        biased;
                        never = connected_line => match never {},
                        reason = end.carry(connected.association, &name) => Ok(connected.peer.failure(reason)),
                        () = interrupt.pressed() => {
                            handle.abort(crate::closing::INTERRUPTED);
                            Err(Failure::Interrupted)
                        }
                    }
                });
                match carried.await {
                    Err(Failure::Interrupted) => return Err(Failure::Interrupted),
                    Ok(failure) | Err(failure) => failure,
                }
            }
        };
        is_first = false;
        let what = failure.to_string();
        supervisor::status(&format!("{what}; trying again"));
        if connected_at.is_some_and(|since| since.elapsed() >= LASTING) {
            (shown, pause) = (None, SHORTEST);
        }
        is_brief = connected_at.is_some() && shown.as_ref() == Some(&what);
        if shown.as_ref() != Some(&what) {
            notice::warn(&format!("{what}; trying again until it answers"));
            shown = Some(what);
        }
        tokio::select! {
            () = sleep(pause) => {}
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        }
        pause = (pause * 2).min(LONGEST);
    }
}

/// The other end as it was given.
fn hosts(arguments: &ForwardArguments) -> String {
    arguments.to.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);
/// A bond that lasts is not one that the other end accepts and ends at once, as it does with too many of one client.
const LASTING: Duration = Duration::from_secs(30);
