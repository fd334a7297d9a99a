//! Dials the other end again and again.

use std::time::Duration;

use anabranch_net::Config;
use tokio::time::sleep;

use super::ends::LocalEnd;
use crate::arguments::{ForwardArguments, Output};
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::notice;
use crate::peer::Partner;
use crate::report::Outcome;

/// Dials until Ctrl-C. Each way in which it fails is shown once.
///
/// # Errors
/// Invalid input at the first attempt, and Ctrl-C.
pub(super) async fn run(
    arguments: &ForwardArguments,
    config: &Config,
    end: LocalEnd,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let security = key::to_dial(&arguments.secrecy, interrupt).await?;
    let partner = if arguments.serve { Partner::Programs } else { Partner::Destinations };
    let quiet = Output { quiet: true, ..arguments.output() };
    let mut shown = None;
    let mut pause = SHORTEST;
    let mut is_first = true;
    loop {
        let output = if is_first { arguments.output() } else { quiet };
        let dialer = Dialer { config: config.clone(), security: security.clone(), partner, output };
        let failure = match Route::find(dialer, &arguments.to, &arguments.via).await {
            // The name of a link or the form of an address does not become right by waiting.
            Err(failure @ (Failure::Arguments(_) | Failure::Via(_))) if is_first => return Err(failure),
            Err(failure) => failure,
            Ok(route) => {
                let carried = route.dial(interrupt, async |connected, interrupt| {
                    if !arguments.quiet {
                        notice::tell(&format!("connected to {}", connected.peer));
                    }
                    (shown, pause) = (None, SHORTEST);
                    let name = connected.peer.to_string();
                    let handle = connected.association.clone();
                    tokio::select! {
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
        if shown.as_ref() != Some(&what) {
            notice::tell(&format!("{what}; trying again until it answers"));
            shown = Some(what);
        }
        tokio::select! {
            () = sleep(pause) => {}
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        }
        pause = (pause * 2).min(LONGEST);
    }
}

const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);
