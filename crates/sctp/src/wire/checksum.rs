//! The CRC32c of a packet (RFC 9260 §6.8, appendix A).

use crc_fast::{CrcAlgorithm, Digest, crc32_iscsi};

/// The use of the checksum field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checksum {
    /// CRC32c, written and verified (RFC 9260 §6.8).
    #[default]
    Crc32c,
    /// Zero is written and nothing is verified, for links that never change a bit: simulated links, or sealed ones,
    /// which have their own checksum.
    Omitted,
}

/// The bytes of the checksum in a packet.
const PLACE: std::ops::Range<usize> = 8..12;

/// The CRC32c of a packet that arrived, with its checksum field taken as zero. `packet` has at least 12 bytes.
///
/// The header is copied with a checksum of zero, the rest is read in place. Measured at 1,400 bytes with AVX-512: 29
/// ns, against 23 ns for one slice without the field, as in `write`, and 86 ns with the crate crc32c.
pub(super) fn crc32c(packet: &[u8]) -> u32 {
    let mut header = [0; PLACE.end];
    header[..PLACE.start].copy_from_slice(&packet[..PLACE.start]);
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(&header);
    digest.update(&packet[PLACE.end..]);
    digest.finalize() as u32
}

/// Writes the checksum into a packet of 12 bytes or more.
pub(super) fn write(packet: &mut [u8], checksum: Checksum) {
    packet[PLACE].fill(0);
    if checksum == Checksum::Crc32c {
        let value = crc32_iscsi(packet);
        packet[PLACE].copy_from_slice(&value.to_le_bytes());
    }
}

/// Writes the CRC32c into a packet that was sent with [`Checksum::Omitted`]; a checksum that is present stays, right or
/// wrong. For captures of simulated networks.
pub fn fill_in_checksum(packet: &mut [u8]) {
    if packet.len() >= PLACE.end && found(packet) == 0 {
        write(packet, Checksum::Crc32c);
    }
}

/// The checksum field of a packet of at least 12 bytes. The low byte comes first, unlike all other numbers in a
/// packet (RFC 9260 appendix A).
pub(super) fn found(packet: &[u8]) -> u32 {
    u32::from_le_bytes([packet[8], packet[9], packet[10], packet[11]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::hex;

    /// One byte of the polynomial's table, computed with the reflected 0x1EDC6F41.
    fn table_entry(byte: u8) -> u32 {
        (0..8).fold(u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 })
    }

    fn simple_crc32c(packet: &[u8]) -> u32 {
        let zeroed = packet.iter().enumerate().map(|(at, byte)| if PLACE.contains(&at) { 0 } else { *byte });
        !zeroed.fold(u32::MAX, |crc, byte| crc >> 8 ^ table_entry(crc as u8 ^ byte))
    }

    #[test]
    fn it_agrees_with_the_byte_by_byte_table_at_every_length() {
        let bytes: Vec<u8> = (0..2_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for length in (12..300).chain([1_400, 1_452, 1_999, 2_000]) {
            assert_eq!(crc32c(&bytes[..length]), simple_crc32c(&bytes[..length]), "length {length}");
        }
    }

    #[test]
    fn it_is_the_one_of_iscsi() {
        // RFC 3720 appendix B.4: 32 bytes of zeros have 0x8a9136aa (in wire order "aa 36 91 8a").
        assert_eq!(crc32c(&[0; 32]).to_le_bytes(), [0xaa, 0x36, 0x91, 0x8a]);
        // The check value of CRC-32/ISCSI, from the catalogue and from the crate itself.
        assert_eq!(crc_fast::crc32_iscsi(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn it_is_what_usrsctp_sent() {
        let mut cookie_ack = hex("1389d009 ecad596e da073635 0b000004");
        assert_eq!(crc32c(&cookie_ack), found(&cookie_ack));
        let sent = cookie_ack.clone();
        write(&mut cookie_ack, Checksum::Omitted);
        assert_eq!(found(&cookie_ack), 0);
        write(&mut cookie_ack, Checksum::Crc32c);
        assert_eq!(cookie_ack, sent);
    }

    #[test]
    fn only_a_checksum_that_was_omitted_is_filled_in() {
        let sent = hex("1389d009 ecad596e da073635 0b000004");
        let mut omitted = hex("1389d009 ecad596e 00000000 0b000004");
        fill_in_checksum(&mut omitted);
        assert_eq!(omitted, sent);
        let wrong = hex("1389d009 ecad596e da073636 0b000004");
        let mut kept = wrong.clone();
        fill_in_checksum(&mut kept);
        assert_eq!(kept, wrong);
        fill_in_checksum(&mut [0; 11]);
    }
}
