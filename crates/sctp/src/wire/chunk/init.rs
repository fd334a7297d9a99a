//! INIT: the parameters with which one end opens an association. INIT-ACK has the same layout.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::fields::{u16_at, u32_at};
use crate::wire::{ChunkError, ChunkFault, Parameter, VerificationTag, tlv};

/// An INIT chunk (RFC 9260 §3.3.2). The values are not checked here: the receiver refuses an Initiate Tag of zero or
/// zero streams.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 1    |  Chunk Flags  |         Chunk Length          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         Initiate Tag                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          Advertised Receiver Window Credit (a_rwnd)           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Number of Outbound Streams   |   Number of Inbound Streams   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                          Initial TSN                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /              Optional/Variable-Length Parameters              /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub type Init = InitLayout<1>;

/// The layout that [`Init`] and [`InitAck`](super::InitAck) share; `KIND` is the chunk type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitLayout<const KIND: u8> {
    /// The Verification Tag of all packets to the sender of this chunk.
    pub initiate_tag: VerificationTag,
    /// The sender's receive buffer in bytes.
    pub a_rwnd: u32,
    /// The number of streams that the sender requests for sending.
    pub outbound_streams: u16,
    /// The number of streams that the sender accepts for receiving.
    pub inbound_streams: u16,
    /// The TSN of the sender's first DATA.
    pub initial_tsn: Tsn,
    /// Addresses and options.
    pub parameters: Vec<Parameter>,
}

impl<const KIND: u8> InitLayout<KIND> {
    /// The chunk type.
    pub const KIND: u8 = KIND;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<InitLayout<KIND>, ChunkError> {
        let (fields, parameters) = raw.fields::<16>()?;
        let initiate_tag = VerificationTag::new(u32_at(fields, 0));
        let parameters = Parameter::decode_list(parameters)
            .map_err(|error| raw.error(ChunkFault::Parameter { initiate_tag: Some(initiate_tag), error }))?;
        Ok(InitLayout {
            initiate_tag,
            a_rwnd: u32_at(fields, 4),
            outbound_streams: u16_at(fields, 8),
            inbound_streams: u16_at(fields, 10),
            initial_tsn: Tsn::new(u32_at(fields, 12)),
            parameters,
        })
    }
}

impl<const KIND: u8> EncodeChunk for InitLayout<KIND> {
    fn kind(&self) -> u8 {
        KIND
    }

    fn value_len(&self) -> usize {
        16 + tlv::list_len(&self.parameters)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, KIND, 0, out, |out| {
            out.extend_from_slice(&self.initiate_tag.get().to_be_bytes());
            out.extend_from_slice(&self.a_rwnd.to_be_bytes());
            out.extend_from_slice(&self.outbound_streams.to_be_bytes());
            out.extend_from_slice(&self.inbound_streams.to_be_bytes());
            out.extend_from_slice(&self.initial_tsn.get().to_be_bytes());
            tlv::encode_list(&self.parameters, out);
        });
    }
}

impl<const KIND: u8> fmt::Display for InitLayout<KIND> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InitLayout { initiate_tag, a_rwnd, outbound_streams, inbound_streams, initial_tsn, .. } = self;
        f.write_str(if KIND == Init::KIND { "INIT" } else { "INIT-ACK" })?;
        write!(f, "(tag={initiate_tag} a_rwnd={a_rwnd} out={outbound_streams} in={inbound_streams} ")?;
        write!(f, "tsn={initial_tsn}")?;
        for parameter in &self.parameters {
            write!(f, ", {parameter}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::super::Chunk;
    use super::*;
    use crate::wire::TlvError;
    use crate::wire::capture::{assert_is_chunk, chunk_error, hex};

    #[test]
    fn an_init_of_usrsctp_over_udp_with_all_its_parameters() {
        let random = hex("b65f9babec766bfdb5e67183e4930549c7488c29706a9adca19147ee1694ff01");
        let init = Init {
            initiate_tag: VerificationTag::new(0x3115_4519),
            a_rwnd: 131_072,
            outbound_streams: 10,
            inbound_streams: 2_048,
            initial_tsn: Tsn::new(0x56b4_955b),
            parameters: vec![
                Parameter::EcnCapable,
                Parameter::ForwardTsnSupported,
                Parameter::SupportedExtensions(hex("c00fc18082")),
                Parameter::Random(random),
                Parameter::HmacAlgorithms(vec![1]),
                Parameter::ChunkList(hex("80c1")),
                Parameter::SupportedAddressTypes(vec![5]),
                Parameter::Ipv4Address(Ipv4Addr::new(192, 0, 2, 2)),
                Parameter::Ipv4Address(Ipv4Addr::LOCALHOST),
            ],
        };
        let bytes = "01000074 31154519 00020000 000a0800 56b4955b 80000004 c0000004
            80080009 c00fc180 82000000 80020024 b65f9bab ec766bfd b5e67183 e4930549 c7488c29 706a9adc
            a19147ee 1694ff01 80040006 00010000 80030006 80c10000 000c0006 00050000 00050008 c0000202
            00050008 7f000001";
        assert_is_chunk(bytes, &Chunk::Init(init));
    }

    #[test]
    fn the_length_does_not_count_the_padding_of_the_last_parameter() {
        // usrsctp's INIT without addresses ends with parameter 0x8003 of 6 bytes: the length is 90 bytes, not 92.
        let init = Init {
            initiate_tag: VerificationTag::new(0xecad_596e),
            a_rwnd: 131_072,
            outbound_streams: 10,
            inbound_streams: 2_048,
            initial_tsn: Tsn::new(0x7ce4_7141),
            parameters: vec![Parameter::EcnCapable, Parameter::ChunkList(hex("80c1"))],
        };
        let bytes = "0100001e ecad596e 00020000 000a0800 7ce47141 80000004 80030006 80c10000";
        assert_is_chunk(bytes, &Chunk::Init(init.clone()));
        assert_eq!(
            init.to_string(),
            "INIT(tag=0xecad596e a_rwnd=131072 out=10 in=2048 tsn=2095345985, ECN capable, \
             authenticated chunks [128, 193])"
        );
    }

    #[test]
    fn a_parameter_beyond_the_chunk_is_an_error_with_the_tag_of_the_answer() {
        // usrsctp answers this with 0600000c 000d0008 00050014: ABORT, Protocol Violation.
        let error = chunk_error("01000018 00000009 00010000 0001000a 01020304 00050014");
        let initiate_tag = Some(VerificationTag::new(9));
        let inner = TlvError::LengthPastChunk { kind: 5, length: 20, left: 4 };
        assert_eq!(error.fault, ChunkFault::Parameter { initiate_tag, error: inner });
        assert_eq!(
            error.to_string(),
            "chunk of type 1: parameter of type 5: length 20 exceeds the 4 bytes left in the chunk"
        );
    }

    #[test]
    fn an_init_without_its_fields_is_an_error() {
        let error = chunk_error("01000013 00000009 00010000 0001000a 01020300");
        assert_eq!(error.fault, ChunkFault::TooShort { length: 19, minimum: 20 });
    }
}
