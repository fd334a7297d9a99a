//! Chooses the storage of user data that shares its memory with other data.

use anabranch_base::ByteCount;
use bytes::Bytes;

/// The `payload`, a part of `received`, in the form in which it is stored. A slice keeps the whole `memory` of what was
/// received allocated, for this payload alone. So a payload of less than half of that is copied. Stored data therefore
/// keeps allocated at most twice its own bytes, plus one byte.
pub(crate) fn compact(payload: &[u8], received: &Bytes, memory: ByteCount) -> Bytes {
    if payload.len() < memory.as_len() / 2 {
        Bytes::copy_from_slice(payload)
    } else {
        received.slice_ref(payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_copied(payload: usize, memory: u64) -> bool {
        let datagram = Bytes::from(vec![7; 1400]);
        let kept = compact(&datagram[16..16 + payload], &datagram, ByteCount::new(memory));
        assert_eq!(kept, vec![7; payload]);
        kept.as_ptr() != datagram[16..].as_ptr()
    }

    #[test]
    fn a_small_slice_does_not_keep_its_datagram() {
        assert!(!is_copied(700, 1400));
        assert!(is_copied(699, 1400));
    }

    #[test]
    fn a_slice_does_not_keep_what_the_system_received_in_one_go() {
        assert!(!is_copied(1024, 2048));
        assert!(is_copied(1023, 2048));
        assert!(is_copied(1380, 65_536));
    }

    #[test]
    fn what_others_keep_allocated_anyway_is_not_copied() {
        assert!(!is_copied(1, 0));
    }
}
