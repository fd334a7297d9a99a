//! Handshakes of several ends with one that may be restarted, and an attacker without a key that sees, keeps, repeats,
//! mixes and changes all datagrams. The ends have one key, or each client has its own.

use std::net::SocketAddr;

use anabranch_net::seal::{Ciphers, Datagram, Limits, Opened, Route, Sealed, Sealing, initiated};
use anabranch_net::{ClientKey, Clients, Key};
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint::{Channel, ChannelUse};
use anabranch_sctp::policy::PathId;

/// An end that initiates sessions, one after another.
struct Client {
    layer: Sealing,
    /// The number of sessions it initiated.
    initiated: u64,
}

struct Meeting {
    /// The server's table; `None` if all ends have one key.
    table: Option<Clients>,
    /// True for each client in the table.
    is_known: [bool; CLIENTS],
    /// True if a client was ever removed.
    has_removed: bool,
    server: Sealing,
    clients: [Client; CLIENTS],
    /// The datagrams ever sent.
    seen: Vec<Vec<u8>>,
    /// For each packet, true if it was opened, and the end that sealed it.
    packets: Vec<(bool, usize)>,
    /// Channels on which the server has received something since its start.
    heard: Vec<Channel>,
    restarts: u32,
}

/// The bytes choose which end initiates a session, which one seals, and which datagram is delivered where and how it
/// is changed. Every opened packet was sealed by the other side, and is opened once in each life of the server. No
/// end learns of a lost session before one was lost. A response is not longer than its initiation. The state is
/// bounded.
pub(crate) fn sealed_handshake(bytes: &[u8]) {
    Meeting::new(None).play(bytes);
}

/// The same with a key for each client, which the bytes also remove and add: every session is that of the client
/// whose packets it opens, and no removed client opens one.
pub(crate) fn sealed_clients(bytes: &[u8]) {
    Meeting::new(Some(Clients::new(Key::from_bytes([7; Key::LEN])))).play(bytes);
}

impl Meeting {
    fn new(table: Option<Clients>) -> Meeting {
        let clients = std::array::from_fn(|index| {
            let own = table.is_some().then_some(index);
            Client { layer: layer(own, ciphers(index)), initiated: 0 }
        });
        let server = server(table.as_ref(), Ciphers::ALL);
        let (seen, packets, heard) = (Vec::new(), Vec::new(), Vec::new());
        let (is_known, has_removed) = ([false; CLIENTS], false);
        let mut meeting =
            Meeting { table, is_known, has_removed, server, clients, seen, packets, heard, restarts: 0 };
        meeting.replace([true; CLIENTS]);
        meeting
    }

    fn play(&mut self, bytes: &[u8]) {
        let meeting = self;
        let mut rest = bytes;
        while let [deed, who, which, left @ ..] = rest {
            rest = left;
            let (client, which) = (usize::from(*who) % CLIENTS, usize::from(*which));
            match deed % 16 {
                0 => meeting.initiate(client),
                1..=4 => meeting.seal_for_server(client),
                5 | 6 => meeting.seal_at_server(which),
                7 => meeting.probe(client),
                8 => meeting.release(client),
                9 if deed / 16 == 0 => meeting.restart(),
                9 => meeting.replace(std::array::from_fn(|index| which >> index & 1 == 0 || index == client)),
                10 => meeting.deliver(usize::from(*who), which, |datagram| {
                    let at = which % datagram.len();
                    datagram[at] ^= 1 << (deed >> 5);
                }),
                // Another kind's header before the same message.
                11 => meeting.deliver(usize::from(*who), which, |datagram| datagram[0] = deed / 16),
                _ => meeting.deliver(usize::from(*who), which, |_| {}),
            }
            meeting.check();
        }
    }

    /// Puts these clients alone into the server's table.
    fn replace(&mut self, is_known: [bool; CLIENTS]) {
        let Some(table) = &self.table else { return };
        let rows = (0..CLIENTS).filter(|index| is_known[*index]).map(|index| (index.to_string(), own(index)));
        let gone = table.replace(rows).expect("different keys");
        let expected = (0..CLIENTS).filter(|index| self.is_known[*index] && !is_known[*index]);
        assert_eq!(gone, expected.map(|index| index.to_string()).collect::<Vec<_>>());
        self.has_removed |= !gone.is_empty();
        self.is_known = is_known;
    }

    fn initiate(&mut self, client: usize) {
        let client = &mut self.clients[client];
        client.initiated += 1;
        client.layer.on_use(ChannelUse::Taken(initiated(client.initiated)));
    }

    fn release(&mut self, client: usize) {
        let client = &mut self.clients[client];
        client.layer.on_use(ChannelUse::Released(initiated(client.initiated)));
    }

    fn restart(&mut self) {
        self.restarts += 1;
        self.server = server(self.table.as_ref(), ciphers(self.restarts as usize + 1));
        self.heard.clear();
    }

    fn seal_for_server(&mut self, client: usize) {
        let channel = initiated(self.clients[client].initiated);
        let number = self.packets.len();
        self.packets.push((false, client));
        let layer = &mut self.clients[client].layer;
        Meeting::seal(layer, channel, number, &mut self.seen);
    }

    fn seal_at_server(&mut self, which: usize) {
        let Some(&channel) = self.heard.get(which % self.heard.len().max(1)) else { return };
        let number = self.packets.len();
        self.packets.push((false, CLIENTS));
        Meeting::seal(&mut self.server, channel, number, &mut self.seen);
    }

    fn seal(layer: &mut Sealing, channel: Channel, number: usize, seen: &mut Vec<Vec<u8>>) {
        let route = Route::of(PathId::FIRST).expect("the first");
        let mut datagram = Vec::new();
        let packet = (number as u32).to_be_bytes();
        if layer.seal(channel, route, [&packet[..]].into_iter(), &mut datagram) != Sealed::Nothing {
            seen.push(datagram);
        }
        let mut control = Vec::new();
        if layer.take_control(channel, &mut control).is_some() {
            seen.push(control);
        }
    }

    fn probe(&mut self, client: usize) {
        let client = &mut self.clients[client];
        let mut datagram = Vec::new();
        if client.layer.probe(initiated(client.initiated), &mut datagram).is_some() {
            self.seen.push(datagram);
        }
    }

    /// Delivers any datagram sent so far to any end; later ones are more likely.
    fn deliver(&mut self, to: usize, which: usize, change: impl FnOnce(&mut Vec<u8>)) {
        if self.seen.is_empty() {
            return;
        }
        let mut datagram = self.seen[self.seen.len() - 1 - which % self.seen.len()].clone();
        change(&mut datagram);
        // Half of all goes to the server.
        let to = if to.is_multiple_of(2) { CLIENTS } else { to / 2 % CLIENTS };
        // Initiations between clients are not delivered: an end with the key may shake hands with any other, and
        // rightly has no session of a third.
        if to != CLIENTS && matches!(datagram[0], INITIATION | PROBE) {
            return;
        }
        let layer = if to == CLIENTS { &mut self.server } else { &mut self.clients[to].layer };
        let mut out = Vec::new();
        match layer.handle(addresses(), &mut datagram, &mut out) {
            Opened::Nothing => assert!(out.is_empty()),
            Opened::Reply => {
                let lens = [Datagram::HANDSHAKE_LEN, Datagram::CLIENT_HANDSHAKE_LEN];
                let is_handshake = lens.contains(&datagram.len());
                assert!(!is_handshake || out.len() <= datagram.len(), "{} for {}", out.len(), datagram.len());
                self.seen.push(out);
            }
            Opened::Forgotten(_) => {
                assert!(to < CLIENTS && (self.restarts > 0 || self.has_removed), "no session was lost");
            }
            Opened::Packet { channel, len, .. } => {
                let packet = datagram[Datagram::PACKET_AT..].first_chunk().filter(|_| len == 4);
                let number = u32::from_be_bytes(*packet.expect("what was sealed"));
                let (was_opened, by) = &mut self.packets[number as usize];
                assert_eq!(to == CLIENTS, *by != CLIENTS, "what the other side sealed");
                assert!(!std::mem::replace(was_opened, true), "twice the same");
                if to == CLIENTS && self.table.is_some() {
                    assert_eq!(self.server.client_name(channel), Some(by.to_string().as_str()));
                    assert!(self.heard.contains(&channel) || self.is_known[*by], "a removed client");
                }
                if to == CLIENTS && !self.heard.contains(&channel) {
                    self.heard.push(channel);
                    self.server.on_use(ChannelUse::Taken(channel));
                }
            }
        }
    }

    fn check(&self) {
        assert!(self.server.len() <= self.heard.len() + 512, "{} sessions", self.server.len());
        for client in &self.clients {
            assert!(
                client.layer.len() as u64 <= client.initiated.min(256) + client.initiated,
                "more than were initiated"
            );
        }
    }
}

/// Every third end has only ChaCha20-Poly1305.
fn ciphers(index: usize) -> Ciphers {
    if index.is_multiple_of(3) { Ciphers::CHACHA20_ALONE } else { Ciphers::ALL }
}

/// The layer of an end that initiates, of the client with this index or with the only key.
fn layer(client: Option<usize>, ciphers: Ciphers) -> Sealing {
    let shared = Key::from_bytes([7; Key::LEN]);
    match client {
        Some(index) => Sealing::of_client(&ClientKey::new(shared, own(index)), ciphers, LIMITS),
        None => Sealing::new(&shared, ciphers, LIMITS),
    }
}

fn server(table: Option<&Clients>, ciphers: Ciphers) -> Sealing {
    match table {
        Some(table) => Sealing::of_clients(table.clone(), ciphers, LIMITS),
        None => layer(None, ciphers),
    }
}

/// The own key of a client.
fn own(index: usize) -> Key {
    Key::from_bytes([index as u8; Key::LEN])
}

/// The layer does not trust source addresses.
fn addresses() -> PathAddresses {
    let (local, remote): (SocketAddr, SocketAddr) = (([10, 0, 0, 1], 1).into(), ([10, 0, 0, 2], 2).into());
    PathAddresses { local, remote }
}

const LIMITS: Limits = Limits { renew_after: 20, most_sealed: 100, last_counter: 60, most_forged: 1 << 20 };
const CLIENTS: usize = 3;
const INITIATION: u8 = 1;
const PROBE: u8 = 4;
