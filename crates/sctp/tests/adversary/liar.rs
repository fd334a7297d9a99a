//! A peer of Z that completes the handshake as it should and then lies.

use std::net::SocketAddr;

use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Chunk, CommonHeader, CookieEcho, IData, IForwardTsn, Init, Parameter, VerificationTag,
};

use super::blind::header;
use super::shot::Shot;
use crate::pair::{End, Line, PORT, Pair, chunks, packet};

/// The peer, and its association with Z if it has one.
#[derive(Debug)]
pub(crate) struct Liar {
    pub(crate) address: SocketAddr,
    /// The tag of the liar.
    pub(crate) tag: VerificationTag,
    pub(crate) id: Option<AssociationId>,
    /// The number of handshakes it completed.
    pub(crate) openings: u32,
}

impl Liar {
    pub(crate) fn new(number: usize) -> Liar {
        let address = SocketAddr::from(([10, 66, number as u8, 1], PORT));
        Liar { address, tag: VerificationTag::ZERO, id: None, openings: 0 }
    }

    /// The INIT by which it begins anew.
    pub(crate) fn init(&mut self, pair: &Pair, draw: u64) -> Shot {
        self.openings += 1;
        self.tag = VerificationTag::new(draw as u32 | 1);
        let init = Init {
            initiate_tag: self.tag,
            a_rwnd: 1 << 20,
            outbound_streams: 2048,
            inbound_streams: 16,
            initial_tsn: Tsn::new((draw >> 32) as u32),
            parameters: vec![
                Parameter::SupportedExtensions(vec![IData::KIND, IForwardTsn::KIND]),
                Parameter::ForwardTsnSupported,
            ],
        };
        self.shot(pair, packet(VerificationTag::ZERO, &[&init]))
    }

    /// The COOKIE-ECHO, if Z answered the INIT.
    pub(crate) fn echo(&self, pair: &Pair) -> Option<Shot> {
        let answer = pair.log.iter().rev().find(|line| self.is_told(line))?;
        let Some(Chunk::InitAck(ack)) = chunks(&answer.bytes).into_iter().next() else { return None };
        let cookie = ack.parameters.into_iter().find_map(|parameter| match parameter {
            Parameter::StateCookie(cookie) => Some(cookie),
            _ => None,
        })?;
        Some(self.shot(pair, packet(ack.initiate_tag, &[&CookieEcho { cookie: &cookie }])))
    }

    /// A packet of its own to Z.
    pub(crate) fn shot(&self, pair: &Pair, bytes: Vec<u8>) -> Shot {
        Shot { to: End::Z, local: pair.address(End::Z, 0), remote: self.address, bytes }
    }

    /// The header of its packets to an association with this tag.
    pub(crate) fn header(tag: VerificationTag) -> CommonHeader {
        header(tag)
    }

    fn is_told(&self, line: &Line) -> bool {
        line.from == End::Z && line.remote == self.address
    }
}
