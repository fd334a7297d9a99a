//! INIT-ACK: the parameters of the other end, and the State Cookie.

use super::init::InitLayout;

/// An INIT-ACK chunk (RFC 9260 §3.3.3). It has the layout of an [`Init`](super::Init), with type 2.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 2    |  Chunk Flags  |         Chunk Length          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         Initiate Tag                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |              Advertised Receiver Window Credit                |
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
pub type InitAck = InitLayout<2>;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::seq::Tsn;
    use crate::wire::capture::{assert_is_chunk, hex};
    use crate::wire::{Parameter, VerificationTag};

    #[test]
    fn an_init_ack_of_usrsctp_that_reports_a_parameter_it_does_not_know() {
        // It answers an INIT with a parameter 0xc777 of 6 bytes. Only the first 16 of the cookie's 264 bytes are kept
        // here.
        let ack = InitAck {
            initiate_tag: VerificationTag::new(0x0208_5c7b),
            a_rwnd: 131_072,
            outbound_streams: 10,
            inbound_streams: 2_048,
            initial_tsn: Tsn::new(0xa69b_306f),
            parameters: vec![
                Parameter::EcnCapable,
                Parameter::ForwardTsnSupported,
                Parameter::SupportedExtensions(hex("c00fc18082")),
                Parameter::HmacAlgorithms(vec![1]),
                Parameter::UnrecognizedParameter(hex("c7770006 aabb")),
                Parameter::StateCookie(b"KAME-BSD 1.1\0\0\0\0".to_vec()),
            ],
        };
        let bytes = "02000050 02085c7b 00020000 000a0800 a69b306f 80000004 c0000004
            80080009 c00fc180 82000000 80040006 00010000 0008000a c7770006 aabb0000
            00070014 4b414d45 2d425344 20312e31 00000000";
        assert_is_chunk(bytes, &Chunk::InitAck(ack.clone()));
        assert!(ack.to_string().starts_with("INIT-ACK(tag=0x02085c7b a_rwnd=131072 out=10"), "{ack}");
    }
}
