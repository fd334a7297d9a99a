//! A queue of datagrams that wait for the bond, bounded in its number and in its bytes: one that finds no room is dropped,
//! as by a router.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Bytes that several queues share. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<Semaphore>);

/// The end of a queue that datagrams enter. Clones enter the same queue.
#[derive(Clone, Debug)]
pub(crate) struct QueueSender {
    queue: mpsc::Sender<Waiting>,
    own: Budget,
    shared: Budget,
}

/// The end of a queue that datagrams leave.
#[derive(Debug)]
pub(crate) struct QueueReceiver(mpsc::Receiver<Waiting>);

/// A queue whose other end is gone.
#[derive(Debug)]
pub(crate) struct Closed;

#[derive(Debug)]
struct Waiting {
    datagram: Bytes,
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Budget {
        Budget(Arc::new(Semaphore::new(bytes)))
    }

    fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_many_owned(u32::try_from(bytes).ok()?).ok()
    }
}

/// An empty queue, whose bytes count against `shared`.
pub(crate) fn queue(shared: &Budget) -> (QueueSender, QueueReceiver) {
    let (queue, receiver) = mpsc::channel(MOST_WAITING);
    let sender = QueueSender { queue, own: Budget::new(MOST_BYTES), shared: shared.clone() };
    (sender, QueueReceiver(receiver))
}

impl QueueSender {
    /// Adds a datagram, or drops it if the queue is full.
    ///
    /// # Errors
    /// The receiver is gone.
    pub(crate) fn offer(&self, datagram: Bytes) -> Result<(), Closed> {
        if self.is_closed() {
            return Err(Closed);
        }
        let charge = datagram.len() + OVERHEAD;
        if let Some(_own) = self.own.take(charge)
            && let Some(_shared) = self.shared.take(charge)
        {
            let _ = self.queue.try_send(Waiting { datagram, _own, _shared });
        }
        Ok(())
    }

    /// Returns true if the receiver is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }
}

impl QueueReceiver {
    /// Waits for the next datagram. `None` when the queue is empty and every sender is gone.
    pub(crate) async fn recv(&mut self) -> Option<Bytes> {
        self.0.recv().await.map(|waiting| waiting.datagram)
    }

    /// The next datagram, if one waits.
    pub(crate) fn try_recv(&mut self) -> Option<Bytes> {
        self.0.try_recv().ok().map(|waiting| waiting.datagram)
    }
}

/// The datagrams that wait in one queue.
const MOST_WAITING: usize = 256;
/// The bytes that wait in one queue.
const MOST_BYTES: usize = 1 << 20;
/// The memory of a datagram beyond its bytes.
const OVERHEAD: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(number: u16, length: usize) -> Bytes {
        let mut bytes = vec![0; length];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        bytes.into()
    }

    #[tokio::test]
    async fn a_full_queue_drops_the_newest() {
        let (sender, mut receiver) = queue(&Budget::new(16 << 20));
        for number in 0..10_000 {
            sender.offer(datagram(number, 100)).expect("open");
        }
        for number in 0..256 {
            assert_eq!(receiver.recv().await, Some(datagram(number, 100)));
        }
        assert_eq!(receiver.try_recv(), None);
        sender.offer(datagram(7, 100)).expect("open");
        assert_eq!(receiver.recv().await, Some(datagram(7, 100)), "there is room again");
        drop(receiver);
        assert!(sender.offer(datagram(8, 100)).is_err());
    }

    #[tokio::test]
    async fn bytes_are_bounded_in_each_queue_and_in_all_of_them() {
        let shared = Budget::new(3 << 20);
        let mut queues: Vec<_> = (0..10).map(|_| queue(&shared)).collect();
        for (sender, _) in &queues {
            for number in 0..100 {
                sender.offer(datagram(number, 65_000)).expect("open");
            }
        }
        let waiting = |receiver: &mut QueueReceiver| std::iter::from_fn(|| receiver.try_recv()).count();
        let counts: Vec<usize> = queues.iter_mut().map(|(_, receiver)| waiting(receiver)).collect();
        assert_eq!(counts, [16, 16, 16, 0, 0, 0, 0, 0, 0, 0]);
        let (sender, receiver) = &mut queues[9];
        sender.offer(datagram(1, 65_000)).expect("open");
        assert_eq!(waiting(receiver), 1, "what was read made room");
        // A queue that is dropped gives its bytes back.
        for (sender, _) in &queues {
            for number in 0..100 {
                sender.offer(datagram(number, 65_000)).expect("open");
            }
        }
        drop(queues);
        assert_eq!(shared.0.available_permits(), 3 << 20);
    }
}
