//! Queues control chunks: answers to the peer on the path of the request, and others on any usable path.

use anabranch_base::Time;

use super::Ground;
use crate::association::packing::Packing;
use crate::policy::{PathId, PathState};
use crate::wire::{Cause, CommonHeader, CookieAck, EncodeChunk, ErrorChunk, Heartbeat, HeartbeatAck};

impl Ground {
    /// Queues a chunk for `path`, or for another path if `path` is not usable.
    pub(crate) fn post(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        self.outbox.push(self.paths.usable(path), false, chunk);
    }

    /// Returns true if an answer may be queued: it fits a packet of its path, and not too many chunks are queued. So a
    /// flood of chunks causes neither a flood of answers nor unbounded memory use.
    fn may_answer(&self, path: PathId, chunk: &impl EncodeChunk) -> bool {
        let limit = self.paths.sample(path).packet_limit.as_len();
        !self.outbox.is_full() && CommonHeader::LEN + chunk.encoded_len() <= limit
    }

    /// Answers a COOKIE-ECHO on the path on which it arrived (RFC 9260 §6.4): the path on which an earlier answer was
    /// lost may be dead. On an unverified path a COOKIE-ACK "MUST be bundled with a HEARTBEAT" (§5.4).
    pub(crate) fn acknowledge_cookie(&mut self, path: PathId, now: Time) {
        if self.paths.sample(path).state != PathState::Unconfirmed {
            return self.answer(path, CookieAck);
        }
        if self.may_answer(path, &CookieAck) {
            self.outbox.push(path, true, CookieAck);
            self.send_heartbeat(path, now);
        }
    }

    /// Reports an error to the peer (RFC 9260 §3.3.10), if the answer may be queued.
    pub(crate) fn report(&mut self, path: PathId, causes: Vec<Cause>) {
        self.answer(path, ErrorChunk { causes });
    }

    /// Queues an answer for `path`, or for another path if `path` is not usable. Drops it if too many chunks are
    /// queued.
    pub(crate) fn answer(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        if self.may_answer(path, &chunk) {
            self.post(path, chunk);
        }
    }

    /// Answers a HEARTBEAT: returns its information unchanged, on the same path (RFC 9260 §8.3).
    pub(crate) fn on_heartbeat(&mut self, path: PathId, heartbeat: &Heartbeat) {
        self.paths.set_peers_role(path, heartbeat.role);
        let chunk = HeartbeatAck { info: heartbeat.info.clone(), role: self.paths.own_role(path) };
        // The answer may exceed the path's MTU up to the largest packet: it is not larger than the packet that arrived.
        let fits = CommonHeader::LEN + chunk.encoded_len() <= self.largest_packet(path);
        // On a removed path, the answer would go to an address that the peer has lost.
        if fits && !self.outbox.is_full() && !self.paths.is_removed(path) {
            self.outbox.push(path, true, chunk);
        }
    }

    /// Reports a chunk of a type that this association does not support.
    pub(crate) fn report_unknown(&mut self, path: PathId, chunk: &dyn EncodeChunk) {
        let mut bytes = Vec::new();
        chunk.encode(&mut bytes);
        self.report(path, vec![Cause::UnrecognizedChunkType(bytes)]);
    }

    /// Appends the queued control chunks for the path of a packet. One chunk alone may be larger than the path's
    /// packets: the answer to a HEARTBEAT.
    #[inline]
    pub(crate) fn pack_control(&mut self, packing: &mut Packing<'_>) {
        let path = packing.path;
        let (limit, most) = (self.paths.sample(path).packet_limit.as_len(), self.largest_packet(path));
        while let Some(control) = self.outbox.first() {
            let auth_len = packing.auth_len(control.chunk.as_ref());
            let needed = CommonHeader::LEN + auth_len + control.chunk.encoded_len();
            if needed > most {
                // An ERROR that quotes more than a packet holds would block all later control chunks.
                self.outbox.take_first();
                continue;
            }
            let goes_here =
                control.path == path || (!control.is_probe && self.paths.usable(control.path) == path);
            if needed > limit && packing.may_stretch() && goes_here {
                packing.stretch(needed);
            }
            if !goes_here || packing.push(control.chunk.as_ref()).is_err() {
                break;
            }
            self.outbox.take_first();
        }
    }

    /// The largest SCTP packet that is ever sent on `path`, whether the path is known to carry it or not.
    #[inline]
    fn largest_packet(&self, path: PathId) -> usize {
        let config = &self.settings.config;
        (config.mtu - config.overhead(self.paths.addresses(path).ip_version())).as_len()
    }
}
