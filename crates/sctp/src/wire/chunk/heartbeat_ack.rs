//! HEARTBEAT-ACK: the answer to a HEARTBEAT.

use super::heartbeat::HeartbeatLayout;

/// A HEARTBEAT-ACK chunk (RFC 9260 §3.3.6), with the information of the HEARTBEAT that it answers.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 5    |  Chunk Flags  |     Heartbeat Ack Length      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /          Heartbeat Information TLV (Variable-Length)          /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub type HeartbeatAck = HeartbeatLayout<5>;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, hex};

    #[test]
    fn a_heartbeat_ack_of_usrsctp() {
        let info = "7d21016b 017a0800 00000000 00000000 7b100000 a0ad2e76 2a560000 00000000 00000000";
        let ack = HeartbeatAck::new(hex(info));
        assert_is_chunk(&format!("0500002c 00010028 {info}"), &Chunk::HeartbeatAck(ack.clone()));
        assert_eq!(ack.to_string(), "HEARTBEAT-ACK(36 bytes)");
    }
}
