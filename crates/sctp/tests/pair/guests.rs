//! Strangers that open an association with Z by hand: INIT, and the cookie that comes back or does not.

use std::net::SocketAddr;

use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Chunk, CommonHeader, CookieEcho, Init, Parameter, VerificationTag};

use super::{End, PORT, Pair, chunks, packet_with};

/// A host that does not belong to the pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guest {
    /// Where it is.
    pub(crate) remote: SocketAddr,
    /// The SCTP port.
    pub(crate) port: u16,
}

/// Z's answer to a guest's INIT.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    /// Z's tag.
    pub(crate) tag: VerificationTag,
    /// The state cookie.
    pub(crate) cookie: Vec<u8>,
}

impl Pair {
    /// A guest sends INIT, and Z answers it.
    pub(crate) fn invite(&mut self, guest: Guest) -> Invitation {
        let init = Init {
            initiate_tag: VerificationTag::new(77),
            a_rwnd: 100_000,
            outbound_streams: 1,
            inbound_streams: 1,
            initial_tsn: Tsn::new(1),
            parameters: Vec::new(),
        };
        self.keep_packets();
        let bytes = packet_with(guest.header(VerificationTag::ZERO), &[&init]);
        self.inject_from(End::Z, guest.remote, bytes);
        let answer = self.log.pop().expect("Z answers at once").bytes;
        let [Chunk::InitAck(ack)] = &chunks(&answer)[..] else { panic!("no INIT-ACK") };
        let Some(Parameter::StateCookie(cookie)) = ack.parameters.first() else { panic!("no cookie") };
        Invitation { tag: ack.initiate_tag, cookie: cookie.clone() }
    }

    /// The guest gives the cookie back.
    pub(crate) fn accept(&mut self, guest: Guest, Invitation { tag, cookie }: &Invitation) {
        let bytes = packet_with(guest.header(*tag), &[&CookieEcho { cookie }]);
        self.inject_from(End::Z, guest.remote, bytes);
    }
}

impl Guest {
    fn header(self, verification_tag: VerificationTag) -> CommonHeader {
        CommonHeader { source_port: self.port, destination_port: PORT, verification_tag }
    }
}
