//! The queue of tasks that wait for room in a send buffer, in the order of their calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Mutex, MutexGuard};

/// The queue of waiting senders. Nothing is locked while no task waits, which is almost always.
#[derive(Debug, Default)]
pub(crate) struct SendQueue {
    queue: Mutex<()>,
    /// The number of tasks in the queue, including the first.
    queued: AtomicUsize,
}

/// The first place in the queue: later tasks wait until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    // Dropped in this order: a task that finds the queue empty finds it unlocked.
    _lock: MutexGuard<'a, ()>,
    _place: Place<'a>,
}

/// A place in the queue.
#[derive(Debug)]
struct Place<'a>(&'a AtomicUsize);

impl SendQueue {
    /// Returns true if no task waits, so that none is overtaken.
    pub(crate) fn is_free(&self) -> bool {
        self.queued.load(Ordering::Acquire) == 0
    }

    /// Waits until the caller is first. Cancellation-safe: a future that is dropped leaves the queue.
    pub(crate) async fn wait(&self) -> Turn<'_> {
        self.queued.fetch_add(1, Ordering::AcqRel);
        let place = Place(&self.queued);
        Turn { _lock: self.queue.lock().await, _place: place }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn tasks_have_their_turns_in_the_order_of_their_calls_and_a_dropped_one_leaves_the_queue() {
        let queue = SendQueue::default();
        let mut context = Context::from_waker(Waker::noop());
        assert!(queue.is_free());
        let mut first = pin!(queue.wait());
        let Poll::Ready(held) = first.as_mut().poll(&mut context) else { panic!("it is the first") };
        assert!(!queue.is_free());
        let mut second = Box::pin(queue.wait());
        let mut third = pin!(queue.wait());
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert!(third.as_mut().poll(&mut context).is_pending());
        drop(second);
        drop(held);
        assert!(!queue.is_free(), "the third waits");
        let Poll::Ready(held) = third.as_mut().poll(&mut context) else { panic!("the third is first now") };
        drop(held);
        assert!(queue.is_free());
    }
}
