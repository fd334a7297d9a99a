//! Arrivals as they travel: each as the differences of its number and its time from those before, two to four bytes.

use anabranch_base::Time;
use bytes::{BufMut, BytesMut};

use super::varint::{put, take, unzigzag, zigzag};

/// The arrival of a test packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number.
    pub number: u32,
    /// The time, by the receiver's clock.
    pub at: Time,
}

/// Arrivals of one lane in one segment, in the order of arrival. Times are whole microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalsFrame {
    /// The segment.
    pub segment: u16,
    /// The lane.
    pub lane: u8,
    /// The arrivals.
    pub arrivals: Vec<Arrival>,
}

/// The most arrivals of a frame; each takes at most 15 bytes, and commonly three.
pub(crate) const MOST_ARRIVALS: usize = 4_000;

/// The most bytes of a frame without its kind.
pub(super) const MOST_BYTES: usize = 60_100;

impl ArrivalsFrame {
    /// Appends the frame without its kind. Arrivals beyond the most of a frame are left out.
    pub(super) fn encode(&self, bytes: &mut BytesMut) {
        bytes.put_u16(self.segment);
        bytes.put_u8(self.lane);
        let mut before = Differences::default();
        for arrival in self.arrivals.iter().take(MOST_ARRIVALS) {
            let (number, micros) = (i64::from(arrival.number), micros(arrival.at));
            put(bytes, zigzag(number - before.number));
            put(bytes, zigzag(micros - before.micros));
            before = Differences { number: number + 1, micros };
        }
    }

    /// Decodes a frame without its kind; `None` if it is not one.
    pub(super) fn decode(rest: &[u8]) -> Option<ArrivalsFrame> {
        let (head, mut rest) = rest.split_first_chunk::<3>()?;
        let mut arrivals = Vec::new();
        let mut before = Differences::default();
        while !rest.is_empty() {
            let number = before.number.checked_add(unzigzag(take(&mut rest)?))?;
            let micros = before.micros.checked_add(unzigzag(take(&mut rest)?))?;
            let at = u64::try_from(micros).ok().filter(|micros| *micros <= MOST_MICROS)?;
            if arrivals.len() == MOST_ARRIVALS {
                return None;
            }
            arrivals.push(Arrival { number: u32::try_from(number).ok()?, at: Time::from_nanos(at * 1_000) });
            before = Differences { number: number + 1, micros };
        }
        Some(ArrivalsFrame { segment: u16::from_be_bytes([head[0], head[1]]), lane: head[2], arrivals })
    }
}

/// The number that is expected next, and the time of the arrival before.
#[derive(Clone, Copy, Debug, Default)]
struct Differences {
    number: i64,
    micros: i64,
}

fn micros(at: Time) -> i64 {
    (at.as_nanos() / 1_000).cast_signed()
}

const MOST_MICROS: u64 = u64::MAX / 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(arrivals: &[(u32, u64)]) -> ArrivalsFrame {
        let arrival = |(number, micros)| Arrival { number, at: Time::from_nanos(micros * 1_000) };
        ArrivalsFrame { segment: 258, lane: 3, arrivals: arrivals.iter().copied().map(arrival).collect() }
    }

    fn encoded(frame: &ArrivalsFrame) -> BytesMut {
        let mut bytes = BytesMut::new();
        frame.encode(&mut bytes);
        bytes
    }

    #[test]
    fn arrivals_in_order_are_a_few_bytes_and_survive_losses_and_reordering() {
        let frame = frame(&[(0, 5_000_000), (1, 5_000_120), (4, 5_000_241), (2, 5_000_240)]);
        let bytes = encoded(&frame);
        assert_eq!(bytes[..3], [1, 2, 3]);
        assert!(bytes.len() <= 3 + 5 + 3 * 3, "{}", bytes.len());
        assert_eq!(ArrivalsFrame::decode(&bytes), Some(frame));
    }

    #[test]
    fn numbers_and_times_out_of_range_are_refused() {
        let wrong = |differences: &[i64]| {
            let mut bytes = BytesMut::from([0, 0, 0].as_slice());
            differences.iter().for_each(|difference| put(&mut bytes, zigzag(*difference)));
            ArrivalsFrame::decode(&bytes)
        };
        assert_eq!(wrong(&[-1, 0]), None);
        assert_eq!(wrong(&[0, -1]), None);
        assert_eq!(wrong(&[1 << 33, 0]), None);
        assert_eq!(wrong(&[0, i64::MAX]), None);
        assert_eq!(wrong(&[0]), None);
        assert!(wrong(&[0, 0]).is_some());
    }

    #[test]
    fn a_frame_has_at_most_so_many_arrivals_and_fits_its_bytes() {
        let extremes = (0..5_000).map(|n| if n % 2 == 0 { (0, 0) } else { (u32::MAX, MOST_MICROS) });
        let bytes = encoded(&frame(&extremes.collect::<Vec<_>>()));
        assert!(bytes.len() <= MOST_BYTES, "{}", bytes.len());
        let read = ArrivalsFrame::decode(&bytes).expect("a frame");
        assert_eq!(read.arrivals.len(), MOST_ARRIVALS);
        assert_eq!(ArrivalsFrame::decode(&[&bytes[..], &[0, 0]].concat()), None);
    }
}
