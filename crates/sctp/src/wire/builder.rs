//! Writes a packet, chunk after chunk, as long as they fit.

use super::chunk::CHUNK_HEADER_LEN;
use super::fields::padded;
use super::{Checksum, CommonHeader, EncodeChunk, checksum};

/// Appends one packet to a buffer, which may hold earlier packets of a batch.
///
/// If a builder is dropped, or finished without a chunk, the buffer stays as it was.
#[derive(Debug)]
pub struct PacketBuilder<'b> {
    buffer: &'b mut Vec<u8>,
    start: usize,
    limit: usize,
    is_finished: bool,
}

/// A chunk that does not fit into the rest of the packet, or is too long for any packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a chunk of {needed} bytes does not fit into the remaining {remaining} bytes")]
pub struct Full {
    /// The bytes of the chunk, including its padding.
    pub needed: usize,
    /// The bytes left for a chunk.
    pub remaining: usize,
}

impl<'b> PacketBuilder<'b> {
    /// Starts a packet at the end of `buffer`. The whole packet, including the common header, takes at most `limit`
    /// bytes.
    pub fn new(buffer: &'b mut Vec<u8>, header: CommonHeader, limit: usize) -> PacketBuilder<'b> {
        let start = buffer.len();
        buffer.extend_from_slice(&header.encode());
        PacketBuilder { buffer, start, limit, is_finished: false }
    }

    /// Appends a chunk.
    ///
    /// # Errors
    ///
    /// The chunk with its padding is longer than [`remaining`](PacketBuilder::remaining), or without its padding
    /// longer than a length field can express, 65,535 bytes. Nothing has changed then.
    pub fn push(&mut self, chunk: &dyn EncodeChunk) -> Result<(), Full> {
        let value_len = chunk.value_len();
        let needed = CHUNK_HEADER_LEN + padded(value_len);
        let remaining = self.remaining();
        if needed > remaining || LONGEST_VALUE < value_len {
            return Err(Full { needed, remaining });
        }
        chunk.encode(self.buffer);
        Ok(())
    }

    /// Raises the packet's limit to `limit` bytes, if that is more than before.
    pub(crate) fn stretch(&mut self, limit: usize) {
        self.limit = self.limit.max(limit);
    }

    /// The bytes of the packet from `offset` on, for codes that are computed over chunks already written.
    ///
    /// # Panics
    ///
    /// `offset` is more than the number of bytes. It must be an earlier [`len`](PacketBuilder::len).
    pub(crate) fn written_mut(&mut self, offset: usize) -> &mut [u8] {
        &mut self.buffer[self.start + offset..]
    }

    /// Writes the checksum and returns the packet's length in bytes. Without a chunk it returns zero, and the buffer
    /// stays as it was.
    pub fn finish(mut self, checksum: Checksum) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.is_finished = true;
        checksum::write(&mut self.buffer[self.start..], checksum);
        self.len()
    }

    /// The bytes left for chunks with their padding, up to the limit.
    pub fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.len())
    }

    /// Returns true if no chunk was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.len() == CommonHeader::LEN
    }

    /// The bytes of the packet so far, including the 12 bytes of the common header.
    pub fn len(&self) -> usize {
        self.buffer.len() - self.start
    }
}

impl Drop for PacketBuilder<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.buffer.truncate(self.start);
        }
    }
}

/// The longest value of a chunk: the length field also counts the chunk's header.
const LONGEST_VALUE: usize = u16::MAX as usize - CHUNK_HEADER_LEN;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::Tsn;
    use crate::wire::capture::hex;
    use crate::wire::{CookieAck, CookieEcho, Shutdown, VerificationTag};

    fn header() -> CommonHeader {
        let verification_tag = VerificationTag::new(0xecad_596e);
        CommonHeader { source_port: 5001, destination_port: 53257, verification_tag }
    }

    #[test]
    fn a_packet_comes_out_as_usrsctp_sent_it_behind_what_was_there() {
        let mut buffer = vec![1, 2, 3];
        let mut builder = PacketBuilder::new(&mut buffer, header(), 100);
        builder.push(&CookieAck).unwrap();
        assert_eq!(builder.finish(Checksum::Crc32c), 16);
        assert_eq!(buffer[..3], [1, 2, 3]);
        assert_eq!(buffer[3..], hex("1389d009 ecad596e da073635 0b000004"));
    }

    #[test]
    fn a_chunk_that_does_not_fit_is_refused_and_changes_nothing() {
        let mut buffer = Vec::new();
        let mut builder = PacketBuilder::new(&mut buffer, header(), 21);
        builder.push(&CookieAck).unwrap();
        let shutdown = Shutdown { cumulative_tsn_ack: Tsn::new(1) };
        assert_eq!(builder.push(&shutdown), Err(Full { needed: 8, remaining: 5 }));
        assert_eq!((builder.len(), builder.remaining()), (16, 5));
        builder.push(&CookieAck).unwrap();
        assert_eq!(builder.finish(Checksum::Omitted), 20);
    }

    #[test]
    fn padding_counts_against_the_limit() {
        let mut buffer = Vec::new();
        let mut builder = PacketBuilder::new(&mut buffer, header(), 12 + 9);
        assert_eq!(builder.push(&CookieEcho { cookie: &[7; 5] }), Err(Full { needed: 12, remaining: 9 }));
        assert!(builder.push(&CookieEcho { cookie: &[7; 4] }).is_ok());
    }

    #[test]
    fn a_chunk_beyond_its_length_field_is_refused_whatever_the_limit() {
        let mut buffer = Vec::new();
        let mut builder = PacketBuilder::new(&mut buffer, header(), usize::MAX);
        assert!(builder.push(&CookieEcho { cookie: &[7; 65_532] }).is_err());
        assert!(builder.push(&CookieEcho { cookie: &[7; 65_531] }).is_ok());
        assert_eq!(builder.finish(Checksum::Omitted), 12 + 65_536);
    }

    #[test]
    fn an_empty_or_dropped_packet_leaves_the_buffer_as_it_was() {
        let mut buffer = vec![1, 2, 3];
        assert_eq!(PacketBuilder::new(&mut buffer, header(), 100).finish(Checksum::Crc32c), 0);
        assert_eq!(buffer, [1, 2, 3]);
        let mut builder = PacketBuilder::new(&mut buffer, header(), 100);
        builder.push(&CookieAck).unwrap();
        drop(builder);
        assert_eq!(buffer, [1, 2, 3]);
    }

    #[test]
    fn a_limit_below_the_common_header_leaves_no_room() {
        let mut buffer = Vec::new();
        assert_eq!(PacketBuilder::new(&mut buffer, header(), 5).remaining(), 0);
    }
}
