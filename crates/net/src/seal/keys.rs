//! One pair of keys, from the handshake that agreed on them to their end: the numbers given to packets, and those that
//! arrived.

use std::collections::BTreeMap;

use super::cipher::{Cipher, PacketKeys};
use super::datagram::{Datagram, PacketNumber, Route, SessionId};
use super::window::Window;

/// When keys have served long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The packets both ways after which the end that initiated the session initiates a handshake for fresh keys.
    pub renew_after: u64,
    /// The packets that are sealed with the same keys at most.
    pub most_sealed: u64,
    /// The last number of a route: more packets are not sealed with the same keys.
    pub last_counter: u64,
    /// The forgeries after which nothing is opened any more with the same keys.
    pub most_forged: u64,
}

/// A pair of keys, one for each direction.
#[derive(Debug)]
pub struct Keys {
    keys: PacketKeys,
    limits: Limits,
    /// The id that the peer's packets carry.
    pub local: SessionId,
    /// The id that this end's packets carry.
    pub peer: SessionId,
    /// The next number of each route.
    counters: BTreeMap<Route, u64>,
    windows: BTreeMap<Route, Window>,
    sealed: u64,
    opened: u64,
    forged: u64,
}

/// A packet that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// None of its route that was sent later has come.
    Latest,
    /// One has.
    Late,
}

impl Default for Limits {
    /// Those of ChaCha20-Poly1305: fresh keys after 2^32 packets; all 48 bits of a counter; 2^36 forgeries (RFC 9001 §6.6).
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
    /// These limits, and those of the cipher. Of AES-256-GCM RFC 9001 §6.6 permits 2^23 packets under one key; fresh keys
    /// are due after half as many.
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
    /// Keys that nothing was sealed with.
    pub fn new(keys: PacketKeys, limits: Limits, local: SessionId, peer: SessionId) -> Keys {
        let limits = limits.of(keys.cipher());
        let (counters, windows) = (BTreeMap::new(), BTreeMap::new());
        Keys { keys, limits, local, peer, counters, windows, sealed: 0, opened: 0, forged: 0 }
    }

    /// Appends the packets, sealed with the next numbers of their route, to `out`. The number of those that were
    /// appended: fewer when the numbers of the route are used up.
    pub fn seal<'a>(
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
            // From here on the number is used, whatever becomes of the packet.
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

    /// Opens what was sealed where it lies, and returns it. `None`, and what lies there has no meaning, when it was not
    /// sealed with these keys, came before, or is too old.
    pub fn open<'a>(&mut self, number: PacketNumber, sealed: &'a mut [u8]) -> Option<(Order, &'a mut [u8])> {
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
            // Only for a packet that the peer sealed: what others send leaves nothing behind.
            None => self.windows.entry(route).or_default(),
        };
        Some((if window.note(number.counter()) { Order::Latest } else { Order::Late }, plain))
    }

    /// Returns true if it is time for fresh keys.
    pub fn is_worn(&self) -> bool {
        self.sealed.saturating_add(self.opened) >= self.limits.renew_after
    }

    /// The cipher.
    pub fn cipher(&self) -> Cipher {
        self.keys.cipher()
    }

    /// The number of packets that were sealed.
    pub fn sealed(&self) -> u64 {
        self.sealed
    }

    /// The number of packets that were opened.
    pub fn opened(&self) -> u64 {
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
