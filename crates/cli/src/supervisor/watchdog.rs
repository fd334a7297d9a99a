//! Tells the service manager's watchdog that bytes flow, at half of its period.
//!
//! The watchdog is not told while the runtime does not carry out a new task, or while an association is stuck
//! ([`Vitality`]). An end without an association is well: it waits, or dials for ever.

use std::convert::Infallible;
use std::future::pending;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anabranch_net::Association;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::vitality::{LONGEST, Sample, Vitality};
use super::{alive, watchdog_period};
use crate::notice;

/// An association that the watchdog asks about, until this is dropped.
#[derive(Debug)]
#[must_use = "the association is watched until this is dropped"]
pub(crate) struct Watched(Option<u64>);

/// Lets the watchdog ask about `association`, if there is a watchdog. The association must outlive the returned value: a
/// handle is held until then.
pub(crate) fn watch(association: &Association) -> Watched {
    if PERIOD.is_none() {
        return Watched(None);
    }
    let mut members = members();
    members.latest += 1;
    let number = members.latest;
    members.all.push(Member { number, association: association.clone(), vitality: Vitality::default() });
    Watched(Some(number))
}

/// Tells the watchdog that the program is well, while it is. Never ends.
pub(crate) async fn keep_watchdog() -> Infallible {
    let Some(period) = *PERIOD else { return pending().await };
    let mut ticks = interval(period / 2);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut latest, mut was_well) = (Instant::now(), true);
    loop {
        ticks.tick().await;
        let now = Instant::now();
        let runs = timeout(ANSWER.min(period / 4), tokio::spawn(async {})).await.is_ok();
        let is_well = runs & members().are_sound(now - latest);
        latest = now;
        if is_well {
            alive();
        } else if was_well && runs {
            notice::tell_failure(&format!(
                "nothing was acknowledged for {} s, though data waits and a path works: the watchdog of the service \
                 manager is not answered until something is",
                LONGEST.as_secs()
            ));
        }
        was_well = is_well;
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(number) = self.0 else { return };
        let mut members = members();
        let found = members.all.iter().position(|member| member.number == number);
        let removed = found.map(|index| members.all.swap_remove(index));
        // The handle is dropped without the lock.
        drop(members);
        drop(removed);
    }
}

/// The associations that are watched.
struct Members {
    all: Vec<Member>,
    /// The number of the latest.
    latest: u64,
}

struct Member {
    number: u64,
    association: Association,
    vitality: Vitality,
}

impl Members {
    /// Judges all, so long after the last time.
    fn are_sound(&mut self, elapsed: Duration) -> bool {
        let mut is_sound = true;
        for member in &mut self.all {
            member.vitality.on_sample(elapsed, Sample::of(&member.association));
            is_sound &= member.vitality.is_sound();
        }
        is_sound
    }
}

fn members() -> MutexGuard<'static, Members> {
    MEMBERS.lock().unwrap_or_else(PoisonError::into_inner)
}

static MEMBERS: Mutex<Members> = Mutex::new(Members { all: Vec::new(), latest: 0 });
static PERIOD: LazyLock<Option<Duration>> = LazyLock::new(watchdog_period);
/// The time in which the runtime carries out a task.
const ANSWER: Duration = Duration::from_secs(1);
