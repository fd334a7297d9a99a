//! ASCONF: requests to change the sender's addresses.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::fields::u32_at;
use crate::wire::{ChunkError, ChunkFault, Parameter, tlv};

/// An ASCONF chunk (RFC 5061 §4.1.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Type = 0xC1   |  Chunk Flags  |      Chunk Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      Sequence Number                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                    Address Parameter                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                     ASCONF Parameters                         /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asconf {
    /// The serial number; the first of an association equals its sender's first TSN.
    pub serial: Tsn,
    /// An address of the sender that the receiver knows, followed by the requests in order.
    pub parameters: Vec<Parameter>,
}

impl Asconf {
    /// The chunk type.
    pub const KIND: u8 = 193;

    /// The requests: all parameters except the first, which is the address.
    pub fn requests(&self) -> &[Parameter] {
        self.parameters.get(1..).unwrap_or_default()
    }

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<Asconf, ChunkError> {
        let (serial, rest) = raw.fields::<4>()?;
        let parameters = Parameter::decode_list(rest)
            .map_err(|error| raw.error(ChunkFault::Parameter { initiate_tag: None, error }))?;
        // "This parameter MUST be present in every ASCONF message".
        match parameters.first() {
            Some(Parameter::Ipv4Address(_) | Parameter::Ipv6Address(_)) => {}
            _ => return Err(raw.error(ChunkFault::MissingParameter { kind: Parameter::IPV4_ADDRESS })),
        }
        Ok(Asconf { serial: Tsn::new(u32_at(serial, 0)), parameters })
    }
}

impl EncodeChunk for Asconf {
    fn kind(&self) -> u8 {
        Asconf::KIND
    }

    fn value_len(&self) -> usize {
        4 + tlv::list_len(&self.parameters)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, Asconf::KIND, 0, out, |out| {
            out.extend_from_slice(&self.serial.get().to_be_bytes());
            tlv::encode_list(&self.parameters, out);
        });
    }
}

impl fmt::Display for Asconf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ASCONF(serial={}", self.serial)?;
        self.requests().iter().try_for_each(|request| write!(f, " {request}"))?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    // The requests are the examples of RFC 5061 §4.2.1 and §4.2.2.
    #[test]
    fn an_address_is_added_and_another_deleted() {
        let parameters = vec![
            Parameter::Ipv4Address([10, 0, 0, 1].into()),
            Parameter::AddAddress { id: 0x0102_3474, address: IpAddr::from([192, 0, 2, 1]) },
            Parameter::DeleteAddress { id: 0x0102_3476, address: IpAddr::from([192, 0, 2, 1]) },
        ];
        let asconf = Asconf { serial: Tsn::new(7), parameters };
        let dump = "c1000030 00000007 00050008 0a000001 c0010010 01023474 00050008 c0000201 \
                    c0020010 01023476 00050008 c0000201";
        assert_is_chunk(&dump.replace('\\', ""), &Chunk::Asconf(asconf.clone()));
        assert_eq!(asconf.to_string(), "ASCONF(serial=7 add 192.0.2.1 delete 192.0.2.1)");
        assert_eq!(asconf.requests().len(), 2);
    }

    #[test]
    fn without_an_address_in_front_it_is_an_error() {
        let missing = ChunkFault::MissingParameter { kind: Parameter::IPV4_ADDRESS };
        assert_eq!(chunk_error("c1000008 00000007").fault, missing);
        assert_eq!(chunk_error("c1000018 00000007 c0010010 01023474 00050008 c0000201").fault, missing);
        let short = ChunkFault::TooShort { length: 4, minimum: 8 };
        assert_eq!(chunk_error("c1000004").fault, short);
    }
}
