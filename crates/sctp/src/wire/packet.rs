//! Decodes a packet: the common header, then chunk after chunk.

use std::fmt;
use std::iter::FusedIterator;

use super::chunk::RawChunk;
use super::fields::{u16_at, u32_at};
use super::{Checksum, Chunk, ChunkError, Data, IData, UserData, VerificationTag, WireError, checksum};

/// The common header without its checksum (RFC 9260 §3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      Source Port Number       |    Destination Port Number    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Verification Tag                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                           Checksum                            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommonHeader {
    /// The sender's SCTP port.
    pub source_port: u16,
    /// The receiver's SCTP port.
    pub destination_port: u16,
    /// The tag that the receiver chose; zero with an INIT.
    pub verification_tag: VerificationTag,
}

/// A received packet. It borrows its bytes; decoding allocates nothing.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    header: CommonHeader,
    chunks: &'a [u8],
}

/// The chunks of a packet, in order. A chunk with a valid frame that cannot be decoded yields an error, and the next
/// chunks follow. A broken frame yields an error and ends the iteration. The padding
/// of the last chunk may be missing, and the content of padding is ignored: "the receiver MUST ignore the padding
/// bytes" (RFC 9260 §3.2).
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    rest: &'a [u8],
}

impl CommonHeader {
    /// The bytes of the common header in wire format, including its checksum.
    pub const LEN: usize = 12;

    /// The header as its 12 bytes, with a checksum of zero.
    pub(super) fn encode(self) -> [u8; CommonHeader::LEN] {
        let mut bytes = [0; CommonHeader::LEN];
        bytes[0..2].copy_from_slice(&self.source_port.to_be_bytes());
        bytes[2..4].copy_from_slice(&self.destination_port.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.verification_tag.get().to_be_bytes());
        bytes
    }
}

impl<'a> Packet<'a> {
    /// Decodes the common header and verifies the checksum.
    ///
    /// # Errors
    ///
    /// There are fewer than 12 bytes, or the checksum does not match them.
    pub fn decode(bytes: &'a [u8], checksum: Checksum) -> Result<Packet<'a>, WireError> {
        let Some((head, chunks)) = bytes.split_first_chunk::<{ CommonHeader::LEN }>() else {
            return Err(WireError::TooShort { length: bytes.len() });
        };
        if checksum == Checksum::Crc32c {
            let (found, computed) = (checksum::found(head), checksum::crc32c(bytes));
            if found != computed {
                return Err(WireError::Checksum { found, computed });
            }
        }
        let header = CommonHeader {
            source_port: u16_at(head, 0),
            destination_port: u16_at(head, 2),
            verification_tag: VerificationTag::new(u32_at(head, 4)),
        };
        Ok(Packet { header, chunks })
    }

    /// The common header.
    pub fn header(&self) -> CommonHeader {
        self.header
    }

    /// The type of the first chunk, which may be broken; `None` without a chunk.
    pub(crate) fn first_kind(&self) -> Option<u8> {
        self.chunks.first().copied()
    }

    /// The first chunk, if it is DATA or I-DATA.
    pub(crate) fn first_user_data(&self) -> Option<UserData<'a>> {
        if !matches!(self.first_kind(), Some(Data::KIND | IData::KIND)) {
            return None;
        }
        match self.chunks().next() {
            Some(Ok(Chunk::Data(data))) => Some(data.into()),
            Some(Ok(Chunk::IData(data))) => Some(data.into()),
            _ => None,
        }
    }

    /// Returns true if it carries a chunk of this type. Only the frames of chunks are read; a broken frame ends the search.
    pub fn carries(&self, kind: u8) -> bool {
        let mut rest = self.chunks;
        while !rest.is_empty() {
            match RawChunk::split(rest) {
                Ok((chunk, _)) if chunk.kind == kind => return true,
                Ok((_, behind)) => rest = behind,
                Err(_) => return false,
            }
        }
        false
    }

    /// The chunks from the first on.
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks { rest: self.chunks }
    }
}

impl<'a> Chunks<'a> {
    /// The bytes from the next chunk to the end of the packet, including paddings.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, ChunkError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        match RawChunk::split(self.rest) {
            Ok((chunk, rest)) => {
                self.rest = rest;
                Some(Chunk::decode(chunk))
            }
            Err(error) => {
                self.rest = &[];
                Some(Err(error))
            }
        }
    }
}

impl FusedIterator for Chunks<'_> {}

impl fmt::Display for CommonHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {} tag={}", self.source_port, self.destination_port, self.verification_tag)
    }
}

impl fmt::Display for Packet<'_> {
    /// One line: `5000 > 5001 tag=0x0000beef: COOKIE-ACK; DATA(…)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.header)?;
        for (index, chunk) in self.chunks().enumerate() {
            f.write_str(if index == 0 { ": " } else { "; " })?;
            match chunk {
                Ok(chunk) => write!(f, "{chunk}")?,
                Err(error) => write!(f, "broken {error}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packet({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{hex, packet};

    /// usrsctp: an ERROR and a SACK in one packet, for DATA on a stream that does not exist.
    const ERROR_AND_SACK: &str = "1389ef6f bb0935dd c94ab92f 0900000c 00010008 ffee0000
        03000010 ce3a41ad 00020000 00000000";

    fn shown(chunks: &str) -> Vec<String> {
        let bytes = packet(&hex(chunks));
        let packet = Packet::decode(&bytes, Checksum::Omitted).unwrap();
        packet.chunks().map(|chunk| chunk.map_or_else(|e| e.to_string(), |c| c.to_string())).collect()
    }

    #[test]
    fn a_captured_packet_has_its_header_its_checksum_and_two_chunks() {
        let bytes = hex(ERROR_AND_SACK);
        let packet = Packet::decode(&bytes, Checksum::Crc32c).unwrap();
        let tag = VerificationTag::new(0xbb09_35dd);
        let header = CommonHeader { source_port: 5001, destination_port: 61295, verification_tag: tag };
        assert_eq!(packet.header(), header);
        assert_eq!(
            packet.to_string(),
            "5001 > 61295 tag=0xbb0935dd: ERROR(invalid stream identifier 65518); \
             SACK(cum=3459924397 a_rwnd=131072)"
        );
    }

    #[test]
    fn a_flipped_bit_fails_the_checksum_unless_it_is_omitted() {
        let mut bytes = hex(ERROR_AND_SACK);
        bytes[20] ^= 4;
        let error = Packet::decode(&bytes, Checksum::Crc32c).unwrap_err();
        assert!(matches!(error, WireError::Checksum { found: 0x2fb9_4ac9, .. }), "{error}");
        assert!(Packet::decode(&bytes, Checksum::Omitted).is_ok());
    }

    #[test]
    fn eleven_bytes_are_not_a_packet_and_twelve_are_one_without_chunks() {
        let error = Packet::decode(&[0; 11], Checksum::Omitted).unwrap_err();
        assert_eq!(error, WireError::TooShort { length: 11 });
        assert_eq!(Packet::decode(&[0; 12], Checksum::Omitted).unwrap().chunks().count(), 0);
    }

    #[test]
    fn a_packet_carries_the_chunks_before_a_broken_frame_and_none_after_it() {
        // A COOKIE-ACK, a SHUTDOWN with a bad body, a frame that exceeds the packet, a CWR.
        let bytes = packet(&hex("0b000004 07000006 01020000 03001000 0d000008 00000001"));
        let packet = Packet::decode(&bytes, Checksum::Omitted).unwrap();
        assert_eq!([11, 7, 3, 13].map(|kind| packet.carries(kind)), [true, true, false, false]);
    }

    #[test]
    fn a_bad_body_is_an_error_and_the_next_chunk_still_comes() {
        let chunks = shown("07000006 01020000 0b000004");
        assert_eq!(chunks, ["chunk of type 7: length 6, expected 8", "COOKIE-ACK"]);
    }

    #[test]
    fn a_broken_frame_is_an_error_and_the_end() {
        assert_eq!(
            shown("0b000003 0b000004"),
            ["chunk of type 11: length 3 is less than the header of 4 bytes"]
        );
        assert_eq!(
            shown("0b000004 07000010 00000000"),
            ["COOKIE-ACK", "chunk of type 7: length 16 exceeds the 8 bytes left in the packet"]
        );
        assert_eq!(
            shown("0b000004 0b00"),
            ["COOKIE-ACK", "chunk of type 11: 2 bytes are left, less than a chunk header of 4 bytes"]
        );
    }

    #[test]
    fn padding_may_hold_anything_and_may_be_missing_at_the_end() {
        assert_eq!(shown("0a000005 77ffffff 0a000006 7788").len(), 2);
        let bytes = packet(&hex("0a000007 778899"));
        let chunks: Vec<_> = Packet::decode(&bytes, Checksum::Omitted).unwrap().chunks().collect();
        assert!(matches!(chunks[..], [Ok(Chunk::CookieEcho(echo))] if echo.cookie == [0x77, 0x88, 0x99]));
    }

    #[test]
    fn a_short_init_tells_what_it_lacks() {
        let bytes = packet(&hex("0100000c 00000001 00010000"));
        let error = Packet::decode(&bytes, Checksum::Omitted).unwrap().chunks().next().unwrap().unwrap_err();
        assert_eq!(error.fault, ChunkFault::TooShort { length: 12, minimum: 20 });
    }
}
