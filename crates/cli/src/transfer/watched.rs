//! Runs a transfer and observes it: the view, the events, Ctrl-C.

use std::future::Future;

use anabranch_net::Association;
use anabranch_net::monitor::PathMonitor;
use tokio::time::{MissedTickBehavior, interval};

use super::{Progress, ProgressView};
use crate::closing::INTERRUPTED;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::links::all_used_up;

/// Runs `work` to its end. After Ctrl-C the association is aborted, and `work` ends by that.
///
/// # Errors
/// `work`'s own, or [`Failure::Interrupted`].
pub(crate) async fn watched(
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
