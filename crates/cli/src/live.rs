//! Runs a transfer and observes it: the view, the events, Ctrl-C.

use std::convert::Infallible;
use std::future::Future;

use anabranch_net::reason::BUSY;
use anabranch_net::{Association, Endpoint};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::links::all_used_up;
use crate::report::Outcome;
use crate::transfer::Progress;
use crate::view::ProgressView;
use anabranch_net::monitor::PathMonitor;

/// Runs `work` to its end. After Ctrl-C the association is aborted, and `work` ends by that.
///
/// # Errors
/// `work`'s own, or [`Failure::Interrupted`].
pub async fn watched(
    association: &Association,
    monitor: &mut PathMonitor,
    view: &mut ProgressView,
    progress: &Progress,
    interrupt: &mut Interrupt,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    tokio::pin!(work);
    monitor.update(association);
    view.on_connected(monitor);
    let mut ticks = interval(std::time::Duration::from_millis(100));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut events = association.subscribe();
    let mut events_end = false;
    let (mut is_interrupted, mut used_up) = (false, None);
    let result = loop {
        tokio::select! {
            result = &mut work => break result,
            _ = ticks.tick() => {
                monitor.update(association);
                view.show(monitor, progress);
                if used_up.is_none() {
                    used_up = all_used_up(monitor.links());
                    used_up.iter().for_each(|why| association.abort(why));
                }
            }
            next = events.next(), if !events_end => match next {
                Some(Ok(happened)) => {
                    monitor.update(association);
                    view.on_event(monitor, &happened);
                }
                // The ticks show what is missed here.
                Some(Err(_)) => {}
                None => events_end = true,
            },
            () = interrupt.pressed() => {
                // A second one does not wait for the last packets.
                if is_interrupted {
                    break Err(Failure::Interrupted);
                }
                is_interrupted = true;
                association.abort(INTERRUPTED);
            }
        }
    };
    monitor.update(association);
    view.show_remarks(progress);
    view.finish();
    match (is_interrupted, used_up) {
        (true, _) => Err(Failure::Interrupted),
        (_, Some(why)) if result.is_err() => Err(Failure::LinksUsedUp(why)),
        _ => result,
    }
}

/// Waits briefly until the last packets have left, so that the peer learns of the end.
pub async fn farewell(endpoint: &Endpoint) {
    let _ = timeout(std::time::Duration::from_secs(1), endpoint.settled()).await;
}

/// The program is about to end so: peers that came and were not served yet are told why, and the last packets leave.
pub async fn dismiss(endpoint: &Endpoint, ended: &Result<Outcome, Failure>) {
    let failure = ended.as_ref().map_or_else(Some, |outcome| outcome.failure.as_ref());
    let why = if matches!(failure, Some(Failure::Interrupted)) { INTERRUPTED } else { ENDED };
    while let Ok(Some(association)) = timeout(std::time::Duration::ZERO, endpoint.accept()).await {
        association.abort(why);
    }
    farewell(endpoint).await;
}

/// While one transfer or test (`work`) runs, others are told so. Never ends.
pub async fn turn_away(endpoint: &Endpoint, work: &str) -> Infallible {
    while let Some(association) = endpoint.accept().await {
        association.abort(&busy_with(work));
    }
    std::future::pending().await
}

/// The reason sent to a peer that comes while another has its transfer or test (`work`).
pub fn busy_with(work: &str) -> String {
    format!("{BUSY}{work}; try again later")
}

/// The reason sent to a peer after Ctrl-C at this end.
pub const INTERRUPTED: &str = "interrupted by its user";
/// The reason for a peer that came too late.
const ENDED: &str = "it has finished and is exiting";
