//! The memory of an attacker on the path: the packets that passed, of this association and of earlier ones.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Checksum, Chunk, Packet};
use bytes::Bytes;

use super::shot::Shot;
use crate::pair::{End, Line, Pair};

/// The packets of the honest two, and the highest TSN that each association sent.
#[derive(Debug, Default)]
pub(crate) struct Witness {
    /// The last packets of the present association.
    pub(crate) present: Vec<Seen>,
    /// Packets of the associations before, each from its beginning on.
    pub(crate) earlier: Vec<Vec<Seen>>,
    heard: BTreeMap<(End, AssociationId), Tsn>,
}

/// A packet that was seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) to: End,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) bytes: Bytes,
}

impl Witness {
    /// A packet left.
    pub(crate) fn note(&mut self, pair: &Pair, line: &Line) {
        if let (Some(id), true) = (line.by, line.text.contains("DATA")) {
            self.hear((line.from, id), &line.bytes);
        }
        let to = line.from.other();
        let is_between = (0..pair.pipes.len()).any(|pipe| pair.address(to, pipe) == line.remote);
        if !is_between {
            return;
        }
        // The beginning is always kept, because it has the handshake.
        if self.present.len() == MOST_SEEN {
            self.present.remove(FIRST_SEEN);
        }
        let (local, remote) = (line.remote, line.local);
        self.present.push(Seen { to, local, remote, bytes: line.bytes.clone() });
    }

    /// The present association is over.
    pub(crate) fn turn_page(&mut self) {
        self.earlier.push(std::mem::take(&mut self.present));
    }

    /// The highest TSN that an association of an end sent.
    pub(crate) fn highest(&self, end: End, id: AssociationId) -> Option<Tsn> {
        self.heard.get(&(end, id)).copied()
    }

    fn hear(&mut self, who: (End, AssociationId), bytes: &Bytes) {
        let Ok(packet) = Packet::decode(bytes, Checksum::Omitted) else { return };
        for chunk in packet.chunks() {
            let tsn = match chunk {
                Ok(Chunk::Data(data)) => data.tsn,
                Ok(Chunk::IData(data)) => data.tsn,
                _ => continue,
            };
            self.heard.entry(who).and_modify(|highest| *highest = highest.later(tsn)).or_insert(tsn);
        }
    }
}

impl Seen {
    /// The packet again, as it came.
    pub(crate) fn again(&self) -> Shot {
        Shot { to: self.to, local: self.local, remote: self.remote, bytes: self.bytes.to_vec() }
    }
}

/// The number of packets of an association that are remembered, and how many of them from its beginning.
const MOST_SEEN: usize = 160;
const FIRST_SEEN: usize = 40;
