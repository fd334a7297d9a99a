//! A feed of items to listeners: each listener has a bounded queue, and learns how many items it missed if it was too
//! slow.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::task::{Context, Poll, Waker};

use crate::sync::{Arc, Mutex, MutexGuard};

/// The sending side. It keeps no items itself, and has no cost without a listener.
#[derive(Debug)]
pub(crate) struct Feed<T> {
    mailboxes: Vec<Arc<Mailbox<T>>>,
}

/// The receiving side.
#[derive(Debug)]
pub(crate) struct Listener<T> {
    /// `None` if the feed was closed before.
    mailbox: Option<Arc<Mailbox<T>>>,
}

/// The number of items a slow listener missed: the oldest are dropped for the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} items were missed: read the stream more often")]
pub struct Missed(pub u64);

#[derive(Debug)]
struct Mailbox<T> {
    /// The most queued items.
    most: usize,
    inside: Mutex<Inside<T>>,
}

#[derive(Debug)]
struct Inside<T> {
    waiting: VecDeque<Item<T>>,
    /// The number of minor items among them.
    minor: usize,
    missed: u64,
    is_over: bool,
    waker: Option<Waker>,
}

#[derive(Debug)]
struct Item<T> {
    content: T,
    is_minor: bool,
}

impl<T> Default for Feed<T> {
    fn default() -> Feed<T> {
        Feed { mailboxes: Vec::new() }
    }
}

impl<T: Clone> Feed<T> {
    /// Adds a listener to all items from now on, for which at most `most` are queued.
    pub(crate) fn listen(&mut self, most: usize) -> Listener<T> {
        self.drop_closed();
        let inside = Inside { waiting: VecDeque::new(), minor: 0, missed: 0, is_over: false, waker: None };
        let mailbox = Arc::new(Mailbox { most, inside: Mutex::new(inside) });
        self.mailboxes.push(mailbox.clone());
        Listener { mailbox: Some(mailbox) }
    }

    /// Sends `item` to all listeners.
    pub(crate) fn publish(&mut self, item: &T) {
        for mailbox in &self.mailboxes {
            mailbox.put(Item { content: item.clone(), is_minor: false });
        }
    }

    /// Sends `item` to all listeners. Of those that a slow listener misses, minor items are the first.
    pub(crate) fn publish_minor(&mut self, item: &T) {
        for mailbox in &self.mailboxes {
            mailbox.put(Item { content: item.clone(), is_minor: true });
        }
    }
}

impl<T> Feed<T> {
    /// Ends the feed. Listeners get the queued items, and then the end.
    pub(crate) fn close(&mut self) {
        for mailbox in self.mailboxes.drain(..) {
            let waker = {
                let mut inside = mailbox.lock();
                inside.is_over = true;
                inside.waker.take()
            };
            wake(waker);
        }
    }

    /// Returns true if every listener was dropped.
    pub(crate) fn has_no_listener(&mut self) -> bool {
        self.drop_closed();
        self.mailboxes.is_empty()
    }

    /// Removes mailboxes that only the feed holds, because their listener was dropped.
    fn drop_closed(&mut self) {
        self.mailboxes.retain(|mailbox| Arc::strong_count(mailbox) > 1);
    }
}

impl<T> Drop for Feed<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T> Listener<T> {
    /// A listener to a feed that has ended.
    pub(crate) fn too_late() -> Listener<T> {
        Listener { mailbox: None }
    }

    /// The next item; `None` after the last.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Missed>>> {
        let Some(mailbox) = &self.mailbox else { return Poll::Ready(None) };
        let mut inside = mailbox.lock();
        if inside.missed > 0 {
            return Poll::Ready(Some(Err(Missed(std::mem::take(&mut inside.missed)))));
        }
        if let Some(item) = inside.waiting.pop_front() {
            inside.minor -= usize::from(item.is_minor);
            return Poll::Ready(Some(Ok(item.content)));
        }
        if inside.is_over {
            return Poll::Ready(None);
        }
        let before = inside.waker.replace(context.waker().clone());
        // Dropping the waker may run code that takes the lock.
        drop(inside);
        drop(before);
        Poll::Pending
    }
}

impl<T> Mailbox<T> {
    fn put(&self, item: Item<T>) {
        let waker = {
            let mut inside = self.lock();
            if inside.waiting.len() >= self.most {
                inside.drop_oldest();
            }
            inside.minor += usize::from(item.is_minor);
            inside.waiting.push_back(item);
            inside.waker.take()
        };
        wake(waker);
    }

    fn lock(&self) -> MutexGuard<'_, Inside<T>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Inside<T> {
    /// Drops the oldest minor item, or the oldest of all if none is minor.
    fn drop_oldest(&mut self) {
        let minor = if self.minor > 0 { self.waiting.iter().position(|item| item.is_minor) } else { None };
        self.waiting.remove(minor.unwrap_or(0));
        self.minor -= usize::from(minor.is_some());
        self.missed += 1;
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Every order in which a feed and a listener may run (`make loom`).
#[cfg(all(test, anabranch_loom))]
mod orders {
    use std::future::poll_fn;

    use loom::future::block_on;
    use loom::thread;

    use super::*;

    /// Hears a feed to its end; returns the items.
    fn all(mut listener: Listener<u32>) -> Vec<Result<u32, Missed>> {
        let mut heard = Vec::new();
        while let Some(item) = block_on(poll_fn(|context| listener.poll_next(context))) {
            heard.push(item);
        }
        heard
    }

    #[test]
    fn a_listener_that_waits_is_woken_by_each_item_and_by_the_end() {
        loom::model(|| {
            let mut feed = Feed::default();
            let listener = feed.listen(8);
            let publisher = thread::spawn(move || {
                feed.publish(&1);
                feed.publish(&2);
                feed.close();
            });
            assert_eq!(all(listener), [Ok(1), Ok(2)]);
            publisher.join().expect("no panic");
        });
    }

    #[test]
    fn a_slow_listener_counts_what_it_missed_in_every_order() {
        loom::model(|| {
            let mut feed = Feed::default();
            let listener = feed.listen(1);
            let publisher = thread::spawn(move || (1..=3).for_each(|number| feed.publish(&number)));
            let heard = all(listener);
            let missed: u64 =
                heard.iter().filter_map(|item| item.as_ref().err()).map(|missed| missed.0).sum();
            let items: Vec<u32> = heard.iter().filter_map(|item| item.as_ref().ok()).copied().collect();
            assert_eq!(items.len() as u64 + missed, 3, "{heard:?}");
            assert!(items.is_sorted() && items.last() == Some(&3), "{heard:?}");
            publisher.join().expect("no panic");
        });
    }

    #[test]
    fn a_listener_that_goes_while_items_come_leaves_nothing() {
        loom::model(|| {
            let mut feed = Feed::default();
            let listener = feed.listen(1);
            let leaving = thread::spawn(move || drop(listener));
            feed.publish(&1);
            leaving.join().expect("no panic");
            assert!(feed.has_no_listener());
        });
    }
}

#[cfg(all(test, not(anabranch_loom)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    /// Counts wake-ups.
    #[derive(Default)]
    struct Bell(AtomicUsize);

    impl Wake for Bell {
        fn wake(self: Arc<Bell>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn hear(listener: &mut Listener<u32>) -> Poll<Option<Result<u32, Missed>>> {
        listener.poll_next(&mut Context::from_waker(Waker::noop()))
    }

    fn heard(item: u32) -> Poll<Option<Result<u32, Missed>>> {
        Poll::Ready(Some(Ok(item)))
    }

    #[test]
    fn each_listener_receives_the_items_published_while_it_listens() {
        let mut feed = Feed::default();
        feed.publish(&0);
        let mut early = feed.listen(8);
        feed.publish(&1);
        let mut late = feed.listen(8);
        feed.publish(&2);
        assert_eq!(
            [hear(&mut early), hear(&mut early), hear(&mut early)],
            [heard(1), heard(2), Poll::Pending]
        );
        assert_eq!([hear(&mut late), hear(&mut late)], [heard(2), Poll::Pending]);
    }

    #[test]
    fn a_slow_listener_keeps_the_newest_and_is_told_how_many_it_missed() {
        let mut feed = Feed::default();
        let mut slow = feed.listen(3);
        (0..10).for_each(|number| feed.publish(&number));
        assert_eq!(hear(&mut slow), Poll::Ready(Some(Err(Missed(7)))));
        assert_eq!([hear(&mut slow), hear(&mut slow)], [heard(7), heard(8)]);
        (10..13).for_each(|number| feed.publish(&number));
        assert_eq!(hear(&mut slow), Poll::Ready(Some(Err(Missed(1)))));
        assert_eq!(hear(&mut slow), heard(10));
    }

    #[test]
    fn many_minor_items_push_out_each_other_and_no_others() {
        let mut feed = Feed::default();
        let mut slow = feed.listen(3);
        feed.publish(&0);
        (1..100).for_each(|number| feed.publish_minor(&number));
        feed.publish(&100);
        assert_eq!(hear(&mut slow), Poll::Ready(Some(Err(Missed(98)))));
        assert_eq!([hear(&mut slow), hear(&mut slow), hear(&mut slow)], [heard(0), heard(99), heard(100)]);
        (0..5).for_each(|number| feed.publish(&number));
        feed.publish_minor(&5);
        assert_eq!(hear(&mut slow), Poll::Ready(Some(Err(Missed(3)))));
        assert_eq!([hear(&mut slow), hear(&mut slow), hear(&mut slow)], [heard(3), heard(4), heard(5)]);
    }

    #[test]
    fn the_end_comes_after_the_last_item() {
        let mut feed = Feed::default();
        let mut listener = feed.listen(8);
        feed.publish(&1);
        drop(feed);
        assert_eq!([hear(&mut listener), hear(&mut listener)], [heard(1), Poll::Ready(None)]);
        assert_eq!(hear(&mut Listener::too_late()), Poll::Ready(None));
    }

    #[test]
    fn a_waiting_listener_is_woken_once_by_an_item_and_by_the_end() {
        let (mut feed, bell) = (Feed::default(), Arc::new(Bell::default()));
        let waker = Waker::from(bell.clone());
        let mut listener = feed.listen(8);
        for (told, woken) in [(true, 1), (false, 2)] {
            assert!(listener.poll_next(&mut Context::from_waker(&waker)).is_pending());
            if told {
                feed.publish(&1);
                feed.publish(&2);
                assert_eq!([hear(&mut listener), hear(&mut listener)], [heard(1), heard(2)]);
            } else {
                feed.close();
            }
            assert_eq!(bell.0.load(Ordering::Relaxed), woken);
        }
    }

    #[test]
    fn nothing_is_kept_for_listeners_that_were_dropped() {
        let mut feed: Feed<u32> = Feed::default();
        let (first, second) = (feed.listen(8), feed.listen(8));
        drop(first);
        assert!(!feed.has_no_listener());
        drop(second);
        assert!(feed.has_no_listener());
        assert!(feed.mailboxes.is_empty());
    }
}
