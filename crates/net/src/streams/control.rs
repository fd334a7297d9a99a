//! The control messages, which both ends exchange on stream 0 with a payload protocol identifier of their own. Each is a
//! list of entries: a kind, and numbers of fixed length in network order.
//!
//! ```text
//! grant      1 | stream (2) | bytes that the receiver has granted the stream, in all (8)
//! pool       2 | bytes that the receiver has granted to all streams together, in all (8)
//! blocked    3 | stream (2) | bytes taken from the pool, in all (8) | bytes that the stream must be able to send, in all (8)
//! return     4 | stream (2) | bytes taken from the pool, in all (8) | bytes that the sender gives back, in all (8)
//! given up   5 | stream (2) | number of the message (4) | its charge (4)
//! reclaim    6
//! reclaimed  7
//! ```

use anabranch_base::ByteCount;
use anabranch_sctp::wire::StreamId;

/// One entry of a control message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The receiver has granted this much to the stream since the association opened.
    Grant {
        /// The stream.
        stream: StreamId,
        /// The sum of all grants.
        granted: ByteCount,
    },
    /// The receiver has granted this much to the pool of all streams since the association opened.
    Pool {
        /// The sum of all grants, with the first.
        granted: ByteCount,
    },
    /// A message waits for credit at the sender.
    Blocked {
        /// The stream.
        stream: StreamId,
        /// The sum that the stream took from the pool.
        taken: ByteCount,
        /// The sum of the charges of the stream's messages, with the one that waits.
        needed: ByteCount,
    },
    /// The sender gives credit back that it does not use.
    Return {
        /// The stream.
        stream: StreamId,
        /// The sum that the stream took from the pool.
        taken: ByteCount,
        /// The sum of all that was given back.
        returned: ByteCount,
    },
    /// The sender gave a message up.
    GivenUp {
        /// The stream.
        stream: StreamId,
        /// The last bits of the number of the message, among those that may be given up.
        number: u32,
        /// The charge of the message.
        charge: ByteCount,
    },
    /// The receiver asks for the credit of idle streams.
    Reclaim,
    /// The sender has answered the request.
    Reclaimed,
}

/// The error of bytes that are not a control message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// The kind of an entry is unknown.
    #[error("a control entry of unknown kind {0}")]
    UnknownKind(u8),
    /// The last entry is incomplete.
    #[error("a control entry that is cut off")]
    Truncated,
    /// A sum is larger than any that can be reached.
    #[error("a sum of {0} bytes, which is too large")]
    Overflow(u64),
}

impl Entry {
    /// Appends the entry to `bytes`.
    pub fn encode(self, bytes: &mut Vec<u8>) {
        match self {
            Entry::Grant { stream, granted } => put(bytes, 1, Some(stream), &[granted]),
            Entry::Pool { granted } => put(bytes, 2, None, &[granted]),
            Entry::Blocked { stream, taken, needed } => put(bytes, 3, Some(stream), &[taken, needed]),
            Entry::Return { stream, taken, returned } => put(bytes, 4, Some(stream), &[taken, returned]),
            Entry::GivenUp { stream, number, charge } => {
                put(bytes, 5, Some(stream), &[]);
                bytes.extend(number.to_be_bytes());
                bytes.extend(u32::try_from(charge.get()).unwrap_or(u32::MAX).to_be_bytes());
            }
            Entry::Reclaim => bytes.push(6),
            Entry::Reclaimed => bytes.push(7),
        }
    }

    /// Takes the first entry off `bytes`, which are not empty.
    ///
    /// # Errors
    /// It is not an entry.
    pub fn decode(bytes: &mut &[u8]) -> Result<Entry, ControlError> {
        let [kind] = take(bytes)?;
        Ok(match kind {
            1 => Entry::Grant { stream: stream(bytes)?, granted: sum(bytes)? },
            2 => Entry::Pool { granted: sum(bytes)? },
            3 => Entry::Blocked { stream: stream(bytes)?, taken: sum(bytes)?, needed: sum(bytes)? },
            4 => Entry::Return { stream: stream(bytes)?, taken: sum(bytes)?, returned: sum(bytes)? },
            5 => Entry::GivenUp {
                stream: stream(bytes)?,
                number: u32::from_be_bytes(take(bytes)?),
                charge: ByteCount::new(u64::from(u32::from_be_bytes(take(bytes)?))),
            },
            6 => Entry::Reclaim,
            7 => Entry::Reclaimed,
            other => return Err(ControlError::UnknownKind(other)),
        })
    }
}

fn put(bytes: &mut Vec<u8>, kind: u8, stream: Option<StreamId>, sums: &[ByteCount]) {
    bytes.push(kind);
    bytes.extend(stream.into_iter().flat_map(|stream| stream.get().to_be_bytes()));
    bytes.extend(sums.iter().flat_map(|sum| sum.get().to_be_bytes()));
}

fn stream(bytes: &mut &[u8]) -> Result<StreamId, ControlError> {
    Ok(StreamId::new(u16::from_be_bytes(take(bytes)?)))
}

fn sum(bytes: &mut &[u8]) -> Result<ByteCount, ControlError> {
    let sum = u64::from_be_bytes(take(bytes)?);
    if sum <= LARGEST_SUM { Ok(ByteCount::new(sum)) } else { Err(ControlError::Overflow(sum)) }
}

fn take<const LEN: usize>(bytes: &mut &[u8]) -> Result<[u8; LEN], ControlError> {
    let (first, rest) = bytes.split_first_chunk::<LEN>().ok_or(ControlError::Truncated)?;
    *bytes = rest;
    Ok(*first)
}

/// Sums of two such sums do not overflow. At 100 Gbit/s a stream reaches it after eleven years.
const LARGEST_SUM: u64 = 1 << 62;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry() -> impl Strategy<Value = Entry> {
        let sum = || (0..=LARGEST_SUM).prop_map(ByteCount::new);
        let stream = || any::<u16>().prop_map(StreamId::new);
        let charge = any::<u32>().prop_map(|charge| ByteCount::new(charge.into()));
        prop_oneof![
            (stream(), sum()).prop_map(|(stream, granted)| Entry::Grant { stream, granted }),
            sum().prop_map(|granted| Entry::Pool { granted }),
            (stream(), sum(), sum()).prop_map(|(stream, taken, needed)| Entry::Blocked {
                stream,
                taken,
                needed
            }),
            (stream(), sum(), sum()).prop_map(|(stream, taken, returned)| Entry::Return {
                stream,
                taken,
                returned
            }),
            (stream(), any::<u32>(), charge).prop_map(|(stream, number, charge)| Entry::GivenUp {
                stream,
                number,
                charge
            }),
            Just(Entry::Reclaim),
            Just(Entry::Reclaimed),
        ]
    }

    proptest! {
        #[test]
        fn entries_are_read_as_they_were_written(entries in prop::collection::vec(entry(), 0..20)) {
            let mut bytes = Vec::new();
            entries.iter().for_each(|entry| entry.encode(&mut bytes));
            let mut rest = &bytes[..];
            for entry in entries {
                prop_assert_eq!(Entry::decode(&mut rest), Ok(entry));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_bytes_are_entries_or_an_error(bytes in prop::collection::vec(any::<u8>(), 1..60)) {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let before = rest;
                let Ok(entry) = Entry::decode(&mut rest) else { break };
                let mut again = Vec::new();
                entry.encode(&mut again);
                prop_assert_eq!(&before[..before.len() - rest.len()], &again[..]);
            }
        }
    }

    #[test]
    fn a_sum_that_would_overflow_is_refused() {
        let bytes = [&[2][..], &(LARGEST_SUM + 1).to_be_bytes()].concat();
        assert_eq!(Entry::decode(&mut &bytes[..]), Err(ControlError::Overflow(LARGEST_SUM + 1)));
    }
}
