//! A transfer in progress, driven by requests for its next event.

use std::fmt;
use std::pin::Pin;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Event;

/// A transfer in progress, at either end. It makes progress only while [`Transfer::next`] is awaited; dropped, it
/// stops, and the owner aborts the association.
pub struct Transfer<'a, E> {
    work: Option<BoxedTransfer<'a, E>>,
    events: UnboundedReceiver<Event>,
    error: Option<E>,
}

type BoxedTransfer<'a, E> = Pin<Box<dyn Future<Output = Result<(), E>> + Send + 'a>>;

/// The channel for the events of a transfer. They wait for one poll at most, so their number is bounded.
#[derive(Clone, Debug)]
pub(crate) struct Teller(UnboundedSender<Event>);

impl<'a, E> Transfer<'a, E> {
    /// The transfer performed by `work`, which sends its events to the [`Teller`] it gets.
    pub(crate) fn new<F>(work: impl FnOnce(Teller) -> F) -> Transfer<'a, E>
    where
        F: Future<Output = Result<(), E>> + Send + 'a,
    {
        let (sender, events) = unbounded_channel();
        Transfer { work: Some(Box::pin(work(Teller(sender)))), events, error: None }
    }

    /// Continues to the next event; `None` when the transfer is complete. If the future is dropped, no event is lost.
    ///
    /// # Errors
    /// The transfer is not complete. Earlier events have been returned.
    pub async fn next(&mut self) -> Result<Option<Event>, E> {
        loop {
            let Some(work) = &mut self.work else {
                return match (self.events.try_recv().ok(), self.error.take()) {
                    (Some(event), error) => {
                        self.error = error;
                        Ok(Some(event))
                    }
                    (None, Some(error)) => Err(error),
                    (None, None) => Ok(None),
                };
            };
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => return Ok(Some(event)),
                ended = work => {
                    self.work = None;
                    self.error = ended.err();
                }
            }
        }
    }

    /// Continues to the end without returning events.
    ///
    /// # Errors
    /// The transfer is not complete.
    pub async fn finish(mut self) -> Result<(), E> {
        while self.next().await?.is_some() {}
        Ok(())
    }
}

impl<E> fmt::Debug for Transfer<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer").field("is_over", &self.work.is_none()).finish_non_exhaustive()
    }
}

impl Teller {
    /// Sends an event. Once the transfer is dropped, events are dropped too.
    pub(crate) fn tell(&self, event: Event) {
        let _ = self.0.send(event);
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;

    #[tokio::test]
    async fn events_come_in_order_and_before_the_error() {
        let progress = |bytes| Event::Progress(ByteCount::new(bytes));
        let mut transfer = Transfer::new(|teller: Teller| async move {
            teller.tell(progress(1));
            tokio::task::yield_now().await;
            teller.tell(progress(2));
            teller.tell(progress(3));
            Err("broken")
        });
        for bytes in [1, 2, 3] {
            assert_eq!(transfer.next().await, Ok(Some(progress(bytes))));
        }
        assert_eq!(transfer.next().await, Err("broken"));
        assert_eq!(transfer.next().await, Ok(None), "an error is reported once");
    }

    #[tokio::test]
    async fn a_dropped_question_loses_no_event() {
        let mut transfer = Transfer::new(|teller: Teller| async move {
            for bytes in 0..100 {
                teller.tell(Event::Progress(ByteCount::new(bytes)));
                tokio::task::yield_now().await;
            }
            Ok::<(), ()>(())
        });
        let mut told = Vec::new();
        loop {
            tokio::select! {
                biased;
                event = transfer.next() => match event {
                    Ok(Some(Event::Progress(bytes))) => told.push(bytes.get()),
                    other => break assert_eq!(other, Ok(None)),
                },
                () = tokio::task::yield_now() => {}
            }
        }
        assert_eq!(told, (0..100).collect::<Vec<_>>());
    }
}
