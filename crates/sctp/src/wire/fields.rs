//! Big-endian numbers at an offset, and padding to whole 32-bit words.

/// The 16-bit number at offset `at`. The caller has checked that it lies inside `bytes`.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The 32-bit number at offset `at`. The caller has checked that it lies inside `bytes`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// `length` rounded up to whole 32-bit words: "The total length of a chunk … MUST be a multiple of
/// 4 bytes" (RFC 9260 §3.2), and the same for parameters and causes.
pub(super) const fn padded(length: usize) -> usize {
    (length + 3) & !3
}

/// Appends zero bytes, so that the bytes from `start` on are a whole number of words.
#[inline]
pub(super) fn pad(out: &mut Vec<u8>, start: usize) {
    let length = out.len() - start;
    let missing = padded(length) - length;
    if missing > 0 {
        out.extend_from_slice(&[0; 3][..missing]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_fills_up_to_whole_words_from_where_the_field_began() {
        let mut out = vec![9; 5];
        pad(&mut out, 0);
        assert_eq!(out, [9, 9, 9, 9, 9, 0, 0, 0]);
        pad(&mut out, 4);
        assert_eq!(out.len(), 8);
        pad(&mut out, 7);
        assert_eq!(out.len(), 11);
    }

    #[test]
    fn numbers_are_big_endian() {
        assert_eq!(u16_at(&[0, 1, 2], 1), 0x0102);
        assert_eq!(u32_at(&[0, 1, 2, 3, 4], 1), 0x0102_0304);
    }
}
