//! The numbers of messages that may be given up, so that each is counted once: when it arrives, or when the sender
//! reports that it gave it up.

use std::collections::BTreeSet;

use anabranch_sctp::wire::Ppid;

/// The numbers of one stream at the receiver.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The number after the highest one counted.
    next: u64,
    /// The lower numbers that were not counted.
    open: BTreeSet<u64>,
}

/// The error of a number that is too far ahead of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooFarAhead;

impl Numbers {
    /// Counts the number with these last bits. Returns false if it was counted before.
    ///
    /// # Errors
    /// More than `most` lower numbers would be open.
    pub(super) fn count(&mut self, bits: u32, most: u64) -> Result<bool, TooFarAhead> {
        let number = nearest(self.next, bits);
        if number < self.next {
            return Ok(self.open.remove(&number));
        }
        if self.open.len() as u64 + (number - self.next) > most {
            return Err(TooFarAhead);
        }
        self.open.extend(self.next..number);
        self.next = number + 1;
        Ok(true)
    }
}

/// The last bits of `number`.
pub(super) fn bits_of(number: u64) -> u32 {
    (number & u64::from(MASK)) as u32
}

/// The identifier that a message with this number has on the wire.
pub(super) fn ppid_of(number: u64) -> Ppid {
    Ppid::new(LIMITED | bits_of(number))
}

/// The last bits of the number of a message with the identifier `ppid`; `None` if the message is never given up.
pub(super) fn bits_in(ppid: Ppid) -> Option<u32> {
    (ppid.get() & !MASK == LIMITED).then_some(ppid.get() & MASK)
}

/// The number with these last bits that is nearest to `next`.
fn nearest(next: u64, bits: u32) -> u64 {
    let period = u64::from(MASK) + 1;
    let same = (next & !u64::from(MASK)) | u64::from(bits & MASK);
    if same > next + period / 2 && same >= period {
        same - period
    } else if same + period / 2 < next {
        same + period
    } else {
        same
    }
}

/// The bits of a number that are on the wire: more than the messages that a receive buffer of 128 MiB can hold.
pub(super) const MASK: u32 = 0xf_ffff;
/// The first identifier of messages that may be given up.
pub(super) const LIMITED: u32 = 0x9a20_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_counts_once_in_any_order() {
        let mut numbers = Numbers::default();
        for (bits, counts) in [(0, true), (3, true), (1, true), (1, false), (3, false), (2, true), (4, true)]
        {
            assert_eq!(numbers.count(bits, 8), Ok(counts), "{bits}");
        }
        assert!(numbers.open.is_empty());
    }

    #[test]
    fn a_number_far_ahead_is_refused_before_anything_is_stored() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.count(9, 8), Err(TooFarAhead));
        assert!(numbers.open.is_empty());
        assert_eq!(numbers.count(8, 8), Ok(true));
        assert_eq!(numbers.count(9, 8), Ok(true));
        assert_eq!(numbers.count(11, 8), Err(TooFarAhead));
    }

    #[test]
    fn numbers_continue_beyond_their_last_bits() {
        let mut numbers = Numbers::default();
        for number in 0..3 * (u64::from(MASK) + 1) {
            if number % 1_000 == 7 {
                assert_eq!(numbers.count(bits_of(number + 1), 8), Ok(true));
                assert_eq!(numbers.count(bits_of(number), 8), Ok(true));
            } else if number % 1_000 != 8 {
                assert_eq!(numbers.count(bits_of(number), 8), Ok(true));
            }
        }
        assert!(numbers.open.is_empty());
        assert_eq!(bits_in(ppid_of(u64::MAX)), Some(MASK));
        assert_eq!(bits_in(Ppid::new(LIMITED - 1)), None);
    }
}
