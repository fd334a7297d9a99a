//! A packet under construction: its size limit, its content so far, and its AUTH chunk.

use anabranch_base::ByteCount;

use super::authentication::AuthKeys;
use super::packet_auth::PacketAuth;
use crate::path::PacketChunks;
use crate::policy::PathId;
use crate::wire::{Checksum, CommonHeader, EncodeChunk, Full, PacketBuilder, UserData};

/// A packet under construction.
#[derive(Debug)]
pub(super) struct Packing<'a> {
    pub path: PathId,
    room: PacketRoom,
    builder: PacketBuilder<'a>,
    keys: Option<&'a AuthKeys>,
    auth: PacketAuth,
    /// The content so far.
    pub packed: Packed,
}

/// The content of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packed {
    pub len: usize,
    pub weight: ByteCount,
    pub has_data: bool,
    pub chunks: Option<PacketChunks>,
    /// True if its first chunk is sent for the first time.
    pub is_new: bool,
    pub is_retransmission: bool,
    /// True if it exceeds the path's packet limit, because of a chunk that is larger than the limit.
    pub is_stretched: bool,
}

/// The size limit of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum PacketRoom {
    /// The size of the first of several packets that are sent by one call.
    Segment(usize),
    /// The size that the path carries; a packet may exceed it only for a single chunk that cannot be cut.
    Packet(usize),
}

impl<'a> Packing<'a> {
    /// Starts a packet for `path` at the end of `buf`; `keys` authenticate the chunks that require it.
    #[inline]
    pub(super) fn begin(
        path: PathId,
        room: PacketRoom,
        header: CommonHeader,
        keys: Option<&'a AuthKeys>,
        buf: &'a mut Vec<u8>,
    ) -> Packing<'a> {
        let (PacketRoom::Segment(limit) | PacketRoom::Packet(limit)) = room;
        let builder = PacketBuilder::new(buf, header, limit);
        Packing { path, room, builder, keys, auth: PacketAuth::default(), packed: Packed::default() }
    }

    /// Appends a chunk.
    ///
    /// # Errors
    /// It does not fit; the packet is unchanged.
    #[inline]
    pub(super) fn push(&mut self, chunk: &dyn EncodeChunk) -> Result<(), Full> {
        self.auth.push(self.keys, &mut self.builder, chunk)
    }

    /// Appends a chunk with data. A chunk that is larger than the path's packets goes alone in a packet that the network
    /// may fragment: its TSN was already sent, so it cannot be cut into smaller chunks here (RFC 9260 §6.9).
    ///
    /// # Errors
    /// It does not fit; the packet is unchanged.
    #[inline]
    pub(crate) fn push_data(&mut self, data: &UserData<'_>) -> Result<(), Full> {
        let pushed = self.push(data);
        if pushed.is_ok() || !self.may_stretch() {
            return pushed;
        }
        self.stretch(CommonHeader::LEN + self.auth_len(data) + data.encoded_len());
        // The window often holds only one such packet (RFC 9260 §3.3.1: the I bit requests a SACK without delay).
        self.push(&UserData { immediate: true, ..*data })
    }

    /// Returns true if the packet may exceed the path's limit, for a single chunk.
    #[inline]
    pub(crate) fn may_stretch(&self) -> bool {
        self.builder.is_empty() && matches!(self.room, PacketRoom::Packet(_))
    }

    /// Raises the size limit to `len` bytes.
    pub(crate) fn stretch(&mut self, len: usize) {
        self.builder.stretch(len);
        self.packed.is_stretched = true;
    }

    /// The bytes that a packet with only `chunk` needs for AUTH.
    #[inline]
    pub(crate) fn auth_len(&self, chunk: &dyn EncodeChunk) -> usize {
        PacketAuth::cost(self.keys, chunk)
    }

    /// The number of free bytes.
    #[inline]
    pub(super) fn remaining(&self) -> usize {
        self.builder.remaining()
    }

    /// The number of bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.builder.len()
    }

    /// Completes the packet and returns its content; `None` if it is empty.
    #[inline]
    pub(super) fn finish(mut self, checksum: Checksum) -> Option<Packed> {
        self.auth.sign(self.keys, &mut self.builder);
        let len = self.builder.finish(checksum);
        (len > 0).then_some(Packed { len, ..self.packed })
    }
}
