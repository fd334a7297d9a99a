//! Heartbeat Info: the information that a HEARTBEAT-ACK returns to the sender of the HEARTBEAT.

use super::Parameter;
use crate::wire::tlv::{self, Tlv};

/// The type of the Heartbeat Info of a HEARTBEAT (RFC 9260 §3.3.5).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Type = 1           |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                 Sender-Specific Heartbeat Info                /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 1;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::HeartbeatInfo(value.to_vec())
}

/// Appends the parameter with `info`, without padding.
pub(in crate::wire) fn encode(info: &[u8], out: &mut Vec<u8>) {
    tlv::encode(&HeartbeatInfo(info), out);
}

/// The parameter with borrowed information.
struct HeartbeatInfo<'a>(&'a [u8]);

impl Tlv for HeartbeatInfo<'_> {
    fn kind(&self) -> u16 {
        KIND
    }

    fn value_len(&self) -> usize {
        self.0.len()
    }

    fn encode_value(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }
}

#[cfg(test)]
mod tests {
    use crate::wire::Parameter;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn the_information_of_a_heartbeat_of_usrsctp() {
        let info = "7d21016b 017a0800 00000000 00000000 7b100000 a0ad2e76 2a560000 00000000 00000000";
        let parameter = Parameter::HeartbeatInfo(hex(info));
        assert_is_parameter(&format!("00010028 {info}"), &parameter);
        assert_eq!(parameter.to_string(), "heartbeat info of 36 bytes");

        let mut out = Vec::new();
        super::encode(&hex(info), &mut out);
        assert_eq!(out, parameter.to_bytes());
    }
}
