//! Integers of variable length: seven bits a byte, the least significant first, as in LEB128.

use bytes::{BufMut, BytesMut};

/// Appends `value`.
pub(super) fn put(bytes: &mut BytesMut, mut value: u64) {
    while value >= 0x80 {
        bytes.put_u8(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.put_u8(value as u8);
}

/// Takes an integer from the front of `rest`; `None` if it is cut short, too large, or longer than needed.
pub(super) fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A signed difference as an integer in which small differences are small.
pub(super) fn zigzag(difference: i64) -> u64 {
    (difference << 1 ^ difference >> 63).cast_unsigned()
}

/// The difference of an integer.
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn longer_forms_of_a_number_are_refused() {
        assert_eq!(take(&mut [0x80, 0x00].as_slice()), None);
        assert_eq!(take(&mut [0x80].as_slice()), None);
        assert_eq!(take(&mut [0xff; 11].as_slice()), None);
        assert_eq!(take(&mut [0x00].as_slice()), Some(0));
    }

    proptest! {
        #[test]
        fn every_number_survives(value in any::<u64>(), difference in any::<i64>()) {
            let mut bytes = BytesMut::new();
            put(&mut bytes, value);
            let mut rest = bytes.as_ref();
            prop_assert_eq!((take(&mut rest), rest.len()), (Some(value), 0));
            prop_assert_eq!(unzigzag(zigzag(difference)), difference);
        }
    }
}
