//! The frame check sequence: CRC-32 (IEEE 802.11-2016 §9.2.4.8).

/// The check sequence of these bytes, whose least significant byte is sent first.
pub(super) fn fcs(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

/// x³² + x²⁶ + … + 1, reflected.
const POLYNOMIAL: u32 = 0xedb8_8320;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_crc_32() {
        assert_eq!(fcs(b"123456789"), 0xcbf4_3926);
    }
}
