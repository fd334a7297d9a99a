//! The body of a test packet: its number, and what its sender has seen of the other direction.
//!
//! ```text
//! segment (2) | lane (1) | flags (1) | number (4) | sent at (8)
//! echo: segment (2) | number (4) | hold (4) | received (4) | growth (4)
//! ```
//!
//! Each end sees round trips by the echo, without an answer of the transport, and how a fill goes by the rest.

use anabranch_base::{Duration, Time};

/// The bytes of a body.
pub const BODY_LENGTH: usize = 34;

/// The body of a test packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestBody {
    /// The segment of the measurement. A packet of a later one ends the programs of the receiver.
    pub segment: u16,
    /// The lane over which it is sent.
    pub lane: u8,
    /// The number within the segment and the lane.
    pub number: u32,
    /// The time of sending, by the sender's clock.
    pub sent_at: Time,
    /// The sender's view of the other direction, once a packet arrived.
    pub echo: Option<Echo>,
}

/// A view of the packets that arrived on a lane. Spans are whole microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// The latest segment of which a packet arrived.
    pub segment: u16,
    /// The highest number of that segment that arrived.
    pub number: u32,
    /// The time from that arrival to this sending.
    pub hold: Duration,
    /// The packets of that segment that arrived.
    pub received: u32,
    /// The delay of the latest packet above the least one of the lane.
    pub growth: Duration,
}

/// The error of bytes that are not a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The length is wrong.
    #[error("a test packet with a body of {0} bytes, expected {BODY_LENGTH}")]
    Length(usize),
    /// A flag is unknown, or an echo that is not there has a value.
    #[error("a test packet with flags {0:#04x} that do not fit its body")]
    Flags(u8),
}

impl TestBody {
    /// The bytes of the body. Spans of more than 4,294 s become that.
    pub fn encode(&self) -> [u8; BODY_LENGTH] {
        let mut bytes = [0; BODY_LENGTH];
        let flags = if self.echo.is_some() { ECHO } else { 0 };
        bytes[0..2].copy_from_slice(&self.segment.to_be_bytes());
        bytes[2..4].copy_from_slice(&[self.lane, flags]);
        bytes[4..8].copy_from_slice(&self.number.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.sent_at.as_nanos().to_be_bytes());
        if let Some(echo) = self.echo {
            bytes[16..18].copy_from_slice(&echo.segment.to_be_bytes());
            bytes[18..22].copy_from_slice(&echo.number.to_be_bytes());
            bytes[22..26].copy_from_slice(&micros(echo.hold).to_be_bytes());
            bytes[26..30].copy_from_slice(&echo.received.to_be_bytes());
            bytes[30..34].copy_from_slice(&micros(echo.growth).to_be_bytes());
        }
        bytes
    }

    /// Decodes a body.
    ///
    /// # Errors
    /// The bytes are not a body.
    pub fn decode(body: &[u8]) -> Result<TestBody, BodyError> {
        let bytes = <&[u8; BODY_LENGTH]>::try_from(body).map_err(|_| BodyError::Length(body.len()))?;
        let (head, echo) = (&bytes[..16], &bytes[16..]);
        let flags = head[3];
        let has_echo = flags & ECHO != 0;
        if flags & !ECHO != 0 || (!has_echo && echo.iter().any(|byte| *byte != 0)) {
            return Err(BodyError::Flags(flags));
        }
        let echo = has_echo.then(|| Echo {
            segment: u16_at(echo, 0),
            number: u32_at(echo, 2),
            hold: Duration::from_micros(u32_at(echo, 6).into()),
            received: u32_at(echo, 10),
            growth: Duration::from_micros(u32_at(echo, 14).into()),
        });
        Ok(TestBody {
            segment: u16_at(head, 0),
            lane: head[2],
            number: u32_at(head, 4),
            sent_at: Time::from_nanos(u64::from(u32_at(head, 8)) << 32 | u64::from(u32_at(head, 12))),
            echo,
        })
    }
}

fn micros(span: Duration) -> u32 {
    u32::try_from(span.as_nanos() / 1_000).unwrap_or(u32::MAX)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

const ECHO: u8 = 1;

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, prop_assert_eq, proptest};

    use super::*;

    fn body() -> TestBody {
        let (hold, growth) = (Duration::from_micros(7), Duration::from_micros(8));
        let echo = Echo { segment: 3, number: 4, hold, received: 5, growth };
        let sent_at = Time::from_nanos(0x0102_0304_0506_0708);
        TestBody { segment: 0x1122, lane: 9, number: 0x3344_5566, sent_at, echo: Some(echo) }
    }

    #[test]
    fn a_body_is_these_bytes() {
        let bytes = body().encode();
        assert_eq!(bytes[..8], [0x11, 0x22, 9, 1, 0x33, 0x44, 0x55, 0x66]);
        assert_eq!(bytes[8..16], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes[16..], [0, 3, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 5, 0, 0, 0, 8]);
        assert_eq!(TestBody::decode(&bytes), Ok(body()));
    }

    #[test]
    fn an_unknown_flag_and_another_length_are_refused() {
        let mut bytes = body().encode();
        assert_eq!(TestBody::decode(&bytes[..33]), Err(BodyError::Length(33)));
        bytes[3] = 4;
        assert_eq!(TestBody::decode(&bytes), Err(BodyError::Flags(4)));
        bytes[3] = 0;
        assert_eq!(TestBody::decode(&bytes), Err(BodyError::Flags(0)));
    }

    #[test]
    fn a_span_that_does_not_fit_becomes_the_longest() {
        let echo = body().echo.map(|echo| Echo { hold: Duration::MAX, ..echo });
        let read = TestBody::decode(&TestBody { echo, ..body() }.encode());
        let longest = Duration::from_micros(u32::MAX.into());
        assert_eq!(read.map(|body| body.echo.map(|echo| echo.hold)), Ok(Some(longest)));
    }

    proptest! {
        #[test]
        fn a_body_that_can_be_read_is_written_back(
            mut bytes in prop::collection::vec(any::<u8>(), 30..38), flags in 0..3_u8, has_echo in any::<bool>(),
        ) {
            bytes[3] = flags;
            if !has_echo {
                bytes[16..].fill(0);
            }
            if let Ok(body) = TestBody::decode(&bytes) {
                prop_assert_eq!(body.encode().to_vec(), bytes);
            }
        }
    }
}
