//! The bytes of one flow, counted as its messages pass.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use anabranch_base::ByteCount;

use super::Carried;
use crate::destination::Destination;

/// The bytes of one flow so far, and its destination.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    sent: AtomicU64,
    received: AtomicU64,
    destination: OnceLock<Destination>,
}

impl Traffic {
    /// Notes the destination of a connection.
    pub(crate) fn leads_to(&self, destination: Destination) {
        let _ = self.destination.set(destination);
    }

    /// Counts bytes that were sent to the other end.
    pub(crate) fn on_sent(&self, bytes: usize) {
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that arrived from the other end.
    pub(crate) fn on_received(&self, bytes: usize) {
        self.received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The bytes so far.
    pub(super) fn carried(&self) -> Carried {
        let bytes = |count: &AtomicU64| ByteCount::new(count.load(Ordering::Relaxed));
        Carried { sent: bytes(&self.sent), received: bytes(&self.received) }
    }

    /// The destination; of datagrams the first one.
    pub(super) fn destination(&self) -> Option<&Destination> {
        self.destination.get()
    }

    /// The bytes of a message with a datagram that count: those behind its address. The first address is that of the flow.
    pub(crate) fn payload(&self, message: &[u8]) -> usize {
        if self.destination.get().is_none()
            && let Ok(Some((first, _))) = Destination::decode(message)
        {
            self.leads_to(first);
        }
        message.len().saturating_sub(Destination::length_in(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_are_counted_without_their_addresses_and_the_first_address_stays() {
        let traffic = Traffic::default();
        for address in ["game.example:5000", "192.0.2.1:53", "[2001:db8::1]:53"] {
            let destination: Destination = address.parse().expect("a destination");
            let mut message = Vec::new();
            destination.encode(&mut message);
            message.extend([7; 100]);
            traffic.on_sent(traffic.payload(&message));
            traffic.on_received(traffic.payload(&message[..message.len() - 1]));
        }
        let carried = Carried { sent: ByteCount::new(300), received: ByteCount::new(297) };
        assert_eq!(traffic.carried(), carried);
        assert_eq!(traffic.destination().map(ToString::to_string).as_deref(), Some("game.example:5000"));
    }

    #[test]
    fn a_malformed_datagram_counts_for_nothing() {
        let traffic = Traffic::default();
        for message in [&[][..], &[9, 1, 2, 3], &[3], &[3, 200, 1], &[1, 2]] {
            assert_eq!(traffic.payload(message), 0, "{message:?}");
        }
        assert_eq!(traffic.destination(), None);
    }
}
