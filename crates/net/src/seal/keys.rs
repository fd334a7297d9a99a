//! One pair of keys, from the handshake that agreed on them to their end: the numbers assigned to sent packets, and
//! those received.

use std::collections::BTreeMap;

use super::cipher::{Cipher, PacketKeys};
use super::datagram::{Datagram, PacketNumber, Route, SessionId};
use super::window::Window;

/// The limits on the use of a pair of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The packets in both directions after which the session's initiator begins a handshake for fresh keys.
    pub renew_after: u64,
    /// The most packets sealed with the same keys.
    pub most_sealed: u64,
    /// The last counter of a route: no further packets are sealed with the same keys.
    pub last_counter: u64,
    /// The forgeries after which nothing more is opened with the same keys.
    pub most_forged: u64,
}

/// A pair of keys, one for each direction.
#[derive(Debug)]
pub(super) struct Keys {
    keys: PacketKeys,
    limits: Limits,
    /// The id that the peer's packets carry.
    pub local: SessionId,
    /// The id that this end's packets carry.
    pub peer: SessionId,
    /// The next counter of each route.
    counters: BTreeMap<Route, u64>,
    windows: BTreeMap<Route, Window>,
    sealed: u64,
    opened: u64,
    forged: u64,
}

/// The order of an opened packet on its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// No packet of its route that was sent later has arrived.
    Latest,
    /// A packet sent later has already arrived.
    Late,
}

impl Default for Limits {
    /// The limits of ChaCha20-Poly1305: fresh keys after 2^32 packets; all 48 bits of a counter; 2^36 forgeries (RFC
    /// 9001 §6.6).
    fn default() -> Limits {
        Limits {
            renew_after: 1 << 32,
            most_sealed: u64::MAX,
            last_counter: PacketNumber::LAST_COUNTER,
            most_forged: 1 << 36,
        }
    }
}

impl Limits {
    /// These limits, lowered to those of the cipher. For AES-256-GCM RFC 9001 §6.6 permits 2^23 packets under one
    /// key; fresh keys are due after half of them.
    fn of(self, cipher: Cipher) -> Limits {
        match cipher {
            Cipher::ChaCha20Poly1305 => self,
            Cipher::Aes256Gcm => Limits {
                renew_after: self.renew_after.min(1 << 22),
                most_sealed: self.most_sealed.min(1 << 23),
                ..self
            },
        }
    }
}

impl Keys {
    /// Keys with which nothing was sealed.
    pub(super) fn new(keys: PacketKeys, limits: Limits, local: SessionId, peer: SessionId) -> Keys {
        let limits = limits.of(keys.cipher());
        let (counters, windows) = (BTreeMap::new(), BTreeMap::new());
        Keys { keys, limits, local, peer, counters, windows, sealed: 0, opened: 0, forged: 0 }
    }

    /// Appends the packets to `out`, sealed with the next numbers of their route. Returns the number appended, which
    /// is smaller when the numbers of the route are used up.
    pub(super) fn seal<'a>(
        &mut self,
        route: Route,
        packets: impl Iterator<Item = &'a [u8]>,
        out: &mut Vec<u8>,
    ) -> usize {
        let counter = self.counters.entry(route).or_insert(0);
        let mut appended = 0;
        for packet in packets {
            if *counter > self.limits.last_counter || self.sealed >= self.limits.most_sealed {
                break;
            }
            let number = PacketNumber::new(route, *counter);
            // From here on the number is used, even if the packet is not sent.
            *counter += 1;
            self.sealed += 1;
            let start = out.len();
            out.reserve(packet.len() + Datagram::OVERHEAD);
            Datagram::Packet { to: self.peer, number, sealed: &[] }.write(out);
            match self.keys.seal(number, packet, out) {
                Some(()) => appended += 1,
                None => out.truncate(start),
            }
        }
        appended
    }

    /// Opens a sealed packet in place. `None`, with undefined content left in place, if it was not sealed with these
    /// keys, is a duplicate, or is too old.
    pub(super) fn open<'a>(
        &mut self,
        number: PacketNumber,
        sealed: &'a mut [u8],
    ) -> Option<(Order, &'a mut [u8])> {
        let route = number.route();
        let known = self.windows.get_mut(&route);
        let is_known = known.as_ref().is_some_and(|window| !window.is_new(number.counter()));
        if is_known || !route.is_used() || self.forged >= self.limits.most_forged {
            return None;
        }
        let Some(plain) = self.keys.open(number, sealed) else {
            self.forged += 1;
            return None;
        };
        self.opened += 1;
        let window = match known {
            Some(window) => window,
            // Only a packet sealed by the peer creates state.
            None => self.windows.entry(route).or_default(),
        };
        Some((if window.note(number.counter()) { Order::Latest } else { Order::Late }, plain))
    }

    /// Returns true if fresh keys are due.
    pub(crate) fn is_worn(&self) -> bool {
        self.sealed.saturating_add(self.opened) >= self.limits.renew_after
    }

    /// The cipher.
    pub(super) fn cipher(&self) -> Cipher {
        self.keys.cipher()
    }

    /// The number of sealed packets.
    pub(super) fn sealed(&self) -> u64 {
        self.sealed
    }

    /// The number of opened packets.
    pub(super) fn opened(&self) -> u64 {
        self.opened
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aes_has_limits_of_its_own() {
        let limits = Limits::default().of(Cipher::Aes256Gcm);
        assert_eq!((limits.renew_after, limits.most_sealed), (4_194_304, 8_388_608));
        assert_eq!(limits.most_forged, 1 << 36, "RFC 9001 permits 2^52");
        let sooner = Limits { renew_after: 20, ..Limits::default() };
        assert_eq!(sooner.of(Cipher::Aes256Gcm).renew_after, 20);
        assert_eq!(Limits::default().of(Cipher::ChaCha20Poly1305), Limits::default());
    }
}
