//! One pair of keys, from the handshake that agreed on them to their end: the numbers given to packets, and those that
//! arrived.

use std::collections::BTreeMap;

use snow::StatelessTransportState;

use super::datagram::{Datagram, PacketNumber, Route, SessionId};
use super::window::Window;

/// When keys have served long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The packets both ways after which the end that asked first asks for fresh keys.
    pub renew_after: u64,
    /// The last number of a route: more packets are not sealed with the same keys.
    pub last_counter: u64,
    /// The forgeries after which nothing is opened any more with the same keys.
    pub most_forged: u64,
}

/// A pair of keys, one for each direction.
#[derive(Debug)]
pub struct Keys {
    cipher: StatelessTransportState,
    limits: Limits,
    /// What the peer calls us with these keys.
    pub local: SessionId,
    /// What we call the peer with them.
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
    /// Fresh keys after 2^32 packets; all 48 bits of a counter; 2^36 forgeries (RFC 9001 §6.6, for this cipher).
    fn default() -> Limits {
        Limits { renew_after: 1 << 32, last_counter: PacketNumber::LAST_COUNTER, most_forged: 1 << 36 }
    }
}

impl Keys {
    /// Keys that nothing was sealed with.
    pub fn new(cipher: StatelessTransportState, limits: Limits, local: SessionId, peer: SessionId) -> Keys {
        let (counters, windows) = (BTreeMap::new(), BTreeMap::new());
        Keys { cipher, limits, local, peer, counters, windows, sealed: 0, opened: 0, forged: 0 }
    }

    /// Appends the packet, sealed with the next number of its route, to `out`. `None`, and nothing is appended, when
    /// the numbers of the route are used up.
    pub fn seal(&mut self, route: Route, packet: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let counter = self.counters.entry(route).or_insert(0);
        if *counter > self.limits.last_counter {
            return None;
        }
        let number = PacketNumber::new(route, *counter);
        let start = out.len();
        Datagram::Packet { to: self.peer, number, sealed: &[] }.write(out);
        let body = out.len();
        out.resize(start + packet.len() + Datagram::OVERHEAD, 0);
        if self.cipher.write_message(number.nonce(), packet, &mut out[body..]).is_err() {
            out.truncate(start);
            return None;
        }
        // Only now, and whatever becomes of the packet: the number is used.
        *counter += 1;
        self.sealed += 1;
        Some(())
    }

    /// Appends what was sealed to `out`. `None`, and nothing is appended, when it was not sealed with these keys, came
    /// before, or is too old.
    pub fn open(&mut self, number: PacketNumber, sealed: &[u8], out: &mut Vec<u8>) -> Option<Order> {
        let route = number.route();
        let is_known = self.windows.get(&route).is_some_and(|window| !window.is_new(number.counter()));
        if is_known || !route.is_used() || self.forged >= self.limits.most_forged {
            return None;
        }
        let start = out.len();
        // All of it, not only what is left without the tag: the cipher works in place.
        out.resize(start + sealed.len(), 0);
        let Ok(len) = self.cipher.read_message(number.nonce(), sealed, &mut out[start..]) else {
            out.truncate(start);
            self.forged += 1;
            return None;
        };
        out.truncate(start + len);
        self.opened += 1;
        let is_highest = self.windows.entry(route).or_default().note(number.counter());
        Some(if is_highest { Order::Latest } else { Order::Late })
    }

    /// Whether it is time for fresh keys.
    pub fn is_worn(&self) -> bool {
        self.sealed.saturating_add(self.opened) >= self.limits.renew_after
    }

    /// How many packets were sealed.
    pub fn sealed(&self) -> u64 {
        self.sealed
    }

    /// How many packets were opened.
    pub fn opened(&self) -> u64 {
        self.opened
    }
}
