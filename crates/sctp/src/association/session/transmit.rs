//! Builds packets: plans the content, packs it, and records it as sent (RFC 9260 §6.1, §6.10; M-SCTP-3). Control chunks
//! come from the outbox, the SACK from the receiver, data from the sender.

use anabranch_base::Time;

use super::Session;
use crate::association::datagram::{Ecn, Transmit};
use crate::association::packing::{Packed, PacketRoom, Packing};
use crate::policy::PathId;

impl Session {
    /// Appends up to `max_segments` packets for one path to `buf`. They have the same length, except the last, which
    /// may be shorter.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit> {
        self.sender.begin_sending(&mut self.ground, now);
        if self.reconfiguration.is_some() {
            self.advance_reconfiguration(now);
        }
        if let Some(alone) = self.ground.transmit_alone(buf, max_segments) {
            return Some(alone);
        }
        if self.sender.is_drained() && !self.receiver.is_sack_due() && self.ground.outbox.is_empty() {
            self.sender.end_sending(&mut self.ground, now);
            return None;
        }
        let mut transmit: Option<Transmit> = None;
        for _ in 0..max_segments.max(1) {
            let Some(path) = self.plan(now) else {
                if transmit.is_some() {
                    self.sender.on_drained();
                }
                break;
            };
            let room = match transmit {
                Some(earlier) if earlier.path != path => break,
                // Only packets with data are ECN-capable, so control chunks are sent in separate packets.
                Some(earlier) if earlier.ecn.is_capable() && !self.ground.outbox.is_empty() => break,
                Some(earlier) => PacketRoom::Segment(earlier.segment_size),
                None => PacketRoom::Packet(self.ground.paths.sample(path).packet_limit.as_len()),
            };
            let Some(packed) = self.pack(path, room, buf, now) else { break };
            let ecn = match packed.chunks {
                Some(chunks) if transmit.is_none() => self.ground.codepoint(path, chunks, packed.is_new),
                _ => Ecn::NotEct,
            };
            let sum = transmit.get_or_insert(Transmit {
                ecn,
                len: 0,
                round: self.ground.paths.round(path),
                ..Transmit::single(path, packed.len)
            });
            sum.len += packed.len;
            sum.retransmission |= packed.is_retransmission;
            sum.may_fragment |= packed.is_stretched;
            // A packet that this end marks itself (test of ECN) is sent alone, and so is one whose codepoint others may
            // not share.
            let has_own_ecn = !packed.has_data || !self.ground.settings.config.ect_retransmissions;
            let is_alone = sum.ecn.is_marked() || self.ground.agreement.ecn && has_own_ecn;
            if packed.len < sum.segment_size || packed.is_stretched || is_alone {
                break;
            }
        }
        if transmit.is_none() {
            self.sender.end_sending(&mut self.ground, now);
        }
        transmit
    }

    /// The path of the next packet, if there is anything to send.
    fn plan(&mut self, now: Time) -> Option<PathId> {
        if let Some(control) = self.ground.outbox.first() {
            let path = control.path;
            return Some(if control.is_probe { path } else { self.ground.paths.usable(path) });
        }
        if self.receiver.is_sack_due() {
            return Some(self.receiver.sack_route(&self.ground));
        }
        self.sender.plan(&mut self.ground, now)
    }

    /// Builds one packet for `path` that fits into `room`: control chunks first, then the SACK, then lost chunks,
    /// then new data (RFC 9260 §6.10). `None` if nothing fits.
    fn pack(&mut self, path: PathId, room: PacketRoom, buf: &mut Vec<u8>, now: Time) -> Option<Packed> {
        let Session { ground, sender, receiver, peer, .. } = self;
        let mut packing = Packing::begin(path, room, ground.header(), peer.keys(), buf);
        ground.pack_control(&mut packing);
        receiver.pack_sack(ground, sender.has_waiting(), &mut packing);
        sender.pack(ground, &mut packing, now);
        let packed = packing.finish(ground.settings.config.checksum)?;
        sender.on_packet_sent(ground, path, &packed, now);
        Some(packed)
    }
}
