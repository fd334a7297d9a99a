//! Waits for a condition that another task or thread changes: polls it, and again at each notification.

use tokio::sync::Notify;

/// Waits until `poll` returns something; polls immediately, and again whenever `news` notifies all waiters.
///
/// A notification during the poll, or between the poll and the wait, is not missed: the wait begins before the poll
/// (`Notify::notify_waiters` wakes each `Notified` made before, polled or not).
///
/// Cancellation-safe if `poll` takes nothing unless it returns something.
pub(crate) async fn until<T>(news: &Notify, mut poll: impl FnMut() -> Option<T>) -> T {
    loop {
        let told = news.notified();
        if let Some(seen) = poll() {
            return seen;
        }
        told.await;
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn what_is_there_is_not_waited_for() {
        let news = Notify::new();
        let waiting = pin!(until(&news, || Some("here")));
        assert_eq!(waiting.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready("here"));
    }

    /// The change comes after the poll and before the wait: the moment at which a wake-up can get lost.
    #[test]
    fn news_between_the_look_and_the_waiting_are_not_missed() {
        let (news, changes) = (Notify::new(), AtomicU32::new(0));
        let mut waiting = pin!(until(&news, || {
            let seen = changes.load(Ordering::Relaxed);
            if seen < 3 {
                changes.store(seen + 1, Ordering::Relaxed);
                news.notify_waiters();
                return None;
            }
            Some(seen)
        }));
        assert_eq!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(3));
    }

    #[test]
    fn a_waiting_task_checks_only_when_notified_and_then_every_task_does() {
        let (news, looks) = (Notify::new(), Arc::new(AtomicU32::new(0)));
        let poll = || {
            looks.fetch_add(1, Ordering::Relaxed);
            None::<()>
        };
        let (mut first, mut second) = (pin!(until(&news, poll)), pin!(until(&news, poll)));
        let mut context = Context::from_waker(Waker::noop());
        for round in 1..4 {
            for _ in 0..5 {
                assert!(first.as_mut().poll(&mut context).is_pending());
                assert!(second.as_mut().poll(&mut context).is_pending());
            }
            assert_eq!(looks.load(Ordering::Relaxed), 2 * round);
            news.notify_waiters();
        }
    }
}
