//! The frames of the protocol, and their encoding.

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use bytes::{BufMut, Bytes, BytesMut};

use super::ask::{Ask, DATA_HEADER, MAX_MESSAGE, RequestedDirection, ServerLimits};
use super::deadlines::{Deadlines, Order};
use super::report::{EndReport, MAX_REPORT, ReportError};
use anabranch_net::reason::{self, MAX_WHY};

/// The version of this protocol.
pub const VERSION: u8 = 1;

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// The first frame of a client.
    Hello {
        /// The id of the client's clock, equal at both ends on one machine.
        machine: u64,
    },
    /// The server's answer to HELLO.
    Welcome {
        /// The id of the server's clock.
        machine: u64,
        /// The limits of the server.
        limits: ServerLimits,
    },
    /// The test is refused, with the reason.
    Refused(String),
    /// A request for the other end's time.
    Ping {
        /// The time of the request.
        asked: Time,
    },
    /// The answer to a PING.
    Pong {
        /// The time of the request, by the requester's clock.
        asked: Time,
        /// The time of the answer, by the answerer's clock.
        answered: Time,
    },
    /// The requested test.
    Ask(Ask),
    /// The test begins.
    Ready,
    /// A message of the test.
    Data {
        /// The message number, counted from 0.
        number: u64,
        /// The time at which it was due, by the sender's clock.
        due: Time,
        /// The length of the frame.
        length: ByteCount,
    },
    /// The end of the data.
    End {
        /// The number of messages.
        messages: u64,
        /// The bytes of their frames.
        bytes: ByteCount,
    },
    /// The report of an end.
    Report(Box<EndReport>),
}

/// The error of bytes that are not a frame.
pub type FrameError = anabranch_net::frame::FrameError<ReportError>;

/// Decodes one frame. Every byte of it has a meaning, except the padding of DATA.
///
/// # Errors
/// The bytes are not a frame.
pub fn decode(frame: &[u8]) -> Result<Frame, FrameError> {
    let (&kind, rest) = frame.split_first().ok_or(FrameError::Empty)?;
    match kind {
        HELLO => decode_hello(rest),
        WELCOME => decode_welcome(rest),
        REFUSED => decode_refused(rest),
        PING => fields("PING", "9", rest).map(|[asked]| Frame::Ping { asked: Time::from_nanos(asked) }),
        PONG => fields("PONG", "17", rest).map(|[asked, answered]| Frame::Pong {
            asked: Time::from_nanos(asked),
            answered: Time::from_nanos(answered),
        }),
        ASK => decode_ask(rest),
        ASK_WITH_DEADLINES => decode_ask_with_deadlines(rest),
        READY => fields("READY", "1", rest).map(|[]| Frame::Ready),
        DATA => decode_data(rest),
        END => fields("END", "17", rest)
            .map(|[messages, bytes]| Frame::End { messages, bytes: ByteCount::new(bytes) }),
        REPORT if rest.len() > MAX_REPORT => Err(FrameError::length("REPORT", rest, "3 to 32,769")),
        REPORT => Ok(Frame::Report(Box::new(EndReport::read(rest)?))),
        unknown => Err(FrameError::UnknownKind(unknown)),
    }
}

/// Encodes one frame; DATA is padded with zeros. A reason longer than [`MAX_WHY`] is truncated, and its control
/// characters become spaces.
pub fn encode(frame: &Frame) -> Bytes {
    let mut bytes = BytesMut::new();
    match frame {
        Frame::Hello { machine } => {
            bytes.put_slice(&[HELLO, VERSION]);
            bytes.put_u64(*machine);
        }
        Frame::Welcome { machine, limits } => {
            bytes.put_u8(WELCOME);
            bytes.put_u64(*machine);
            bytes.put_u64(limits.duration.as_nanos());
            bytes.put_u64(limits.message.get());
            bytes.put_u64(limits.receive_buffer.get());
        }
        Frame::Refused(why) => {
            bytes.put_u8(REFUSED);
            reason::encode(why, &mut bytes);
        }
        Frame::Ping { asked } => {
            bytes.put_u8(PING);
            bytes.put_u64(asked.as_nanos());
        }
        Frame::Pong { asked, answered } => {
            bytes.put_u8(PONG);
            bytes.put_u64(asked.as_nanos());
            bytes.put_u64(answered.as_nanos());
        }
        Frame::Ask(ask) => encode_ask(ask, &mut bytes),
        Frame::Ready => bytes.put_u8(READY),
        Frame::Data { number, due, length } => return data(*number, *due, *length),
        Frame::End { messages, bytes: sum } => {
            bytes.put_u8(END);
            bytes.put_u64(*messages);
            bytes.put_u64(sum.get());
        }
        Frame::Report(report) => {
            bytes.put_u8(REPORT);
            bytes.put_slice(&report.written());
        }
    }
    bytes.freeze()
}

/// A DATA frame of `length`, at least that of its header.
pub fn data(number: u64, due: Time, length: ByteCount) -> Bytes {
    let length = length.max(DATA_HEADER).as_len();
    let mut bytes = BytesMut::zeroed(length);
    bytes[0] = DATA;
    bytes[1..9].copy_from_slice(&number.to_be_bytes());
    bytes[9..17].copy_from_slice(&due.as_nanos().to_be_bytes());
    bytes.freeze()
}

fn decode_hello(rest: &[u8]) -> Result<Frame, FrameError> {
    // The version is read first, so that a newer layout is reported as a version mismatch.
    let (&version, rest) = rest.split_first().ok_or(FrameError::length("HELLO", rest, "10"))?;
    if version != VERSION {
        return Err(FrameError::Version { protocol: "test", found: version, supported: VERSION });
    }
    fields("HELLO", "10", rest).map(|[machine]| Frame::Hello { machine })
}

fn decode_welcome(rest: &[u8]) -> Result<Frame, FrameError> {
    let [machine, duration, message, receive_buffer] = fields("WELCOME", "33", rest)?;
    let limits = ServerLimits {
        duration: Duration::from_nanos(duration),
        message: ByteCount::new(message),
        receive_buffer: ByteCount::new(receive_buffer),
    };
    Ok(Frame::Welcome { machine, limits })
}

fn decode_refused(rest: &[u8]) -> Result<Frame, FrameError> {
    if rest.is_empty() || rest.len() > MAX_WHY {
        return Err(FrameError::length("REFUSED", rest, "2 to 1,025"));
    }
    reason::decode(rest).map(Frame::Refused).ok_or(FrameError::Text("a reason"))
}

fn decode_ask(rest: &[u8]) -> Result<Frame, FrameError> {
    let (&code, rest) = rest.split_first().ok_or(FrameError::length("ASK", rest, "42"))?;
    let direction = RequestedDirection::from_code(code)
        .ok_or(FrameError::Field { field: "a test's direction", value: code.into() })?;
    let [duration, message, rate, interval, offset] = fields("ASK", "42", rest)?;
    Ok(Frame::Ask(Ask {
        direction,
        duration: Duration::from_nanos(duration),
        message: ByteCount::new(message),
        rate: (rate > 0).then_some(BitRate::from_bits_per_second(rate)),
        interval: Duration::from_nanos(interval),
        offset_ns: offset.cast_signed(),
        deadlines: None,
    }))
}

fn decode_ask_with_deadlines(rest: &[u8]) -> Result<Frame, FrameError> {
    let wrong = FrameError::length("ASK with deadlines", rest, "59");
    let Some((ask, [times @ .., order])) = rest.split_first_chunk::<ASK_FIELDS>() else { return Err(wrong) };
    let Frame::Ask(ask) = decode_ask(ask)? else { return Err(wrong) };
    let [deadline, lifetime] = fields("ASK with deadlines", "59", times)?;
    let order = Order::from_code(*order)
        .ok_or(FrameError::Field { field: "an order of delivery", value: (*order).into() })?;
    let lifetime = (lifetime > 0).then_some(Duration::from_nanos(lifetime));
    let deadlines = Deadlines { deadline: Duration::from_nanos(deadline), lifetime, order };
    Ok(Frame::Ask(Ask { deadlines: Some(deadlines), ..ask }))
}

fn encode_ask(ask: &Ask, bytes: &mut BytesMut) {
    let kind = if ask.deadlines.is_some() { ASK_WITH_DEADLINES } else { ASK };
    bytes.put_slice(&[kind, ask.direction.code()]);
    bytes.put_u64(ask.duration.as_nanos());
    bytes.put_u64(ask.message.get());
    bytes.put_u64(ask.rate.unwrap_or_default().bits_per_second());
    bytes.put_u64(ask.interval.as_nanos());
    bytes.put_i64(ask.offset_ns);
    if let Some(deadlines) = ask.deadlines {
        bytes.put_u64(deadlines.deadline.as_nanos());
        bytes.put_u64(deadlines.lifetime.unwrap_or(Duration::ZERO).as_nanos());
        bytes.put_u8(deadlines.order.code());
    }
}

fn decode_data(rest: &[u8]) -> Result<Frame, FrameError> {
    let whole = ByteCount::of_len(rest.len() + 1);
    let head = rest.get(..16).filter(|_| whole <= MAX_MESSAGE);
    let [number, due] = fields("DATA", "17 to 1,048,576", head.unwrap_or(rest))?;
    Ok(Frame::Data { number, due: Time::from_nanos(due), length: whole })
}

/// Reads `N` integers that fill `rest` exactly.
fn fields<const N: usize>(
    kind: &'static str,
    expected: &'static str,
    rest: &[u8],
) -> Result<[u64; N], FrameError> {
    let (words, behind) = rest.as_chunks::<8>();
    let words = <[[u8; 8]; N]>::try_from(words).ok().filter(|_| behind.is_empty());
    words.map(|words| words.map(u64::from_be_bytes)).ok_or(FrameError::length(kind, rest, expected))
}

const HELLO: u8 = 1;
const WELCOME: u8 = 2;
const REFUSED: u8 = 3;
const PING: u8 = 4;
const PONG: u8 = 5;
const ASK: u8 = 6;
const READY: u8 = 7;
const DATA: u8 = 8;
const END: u8 = 9;
const REPORT: u8 = 10;
const ASK_WITH_DEADLINES: u8 = 11;
/// The bytes of an ASK without its kind.
const ASK_FIELDS: usize = 41;

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    fn ask() -> Ask {
        Ask {
            direction: RequestedDirection::Reverse,
            duration: Duration::from_secs(10),
            message: ByteCount::new(1_316),
            rate: Some(BitRate::from_mbps(42)),
            interval: Duration::from_secs(1),
            offset_ns: -5,
            deadlines: None,
        }
    }

    fn ask_with_deadlines() -> Ask {
        let (deadline, lifetime) = (Duration::from_millis(150), Some(Duration::from_millis(100)));
        Ask { deadlines: Some(Deadlines { deadline, lifetime, order: Order::Arrived }), ..ask() }
    }

    #[test]
    fn an_ask_is_these_bytes() {
        let written = encode(&Frame::Ask(ask()));
        assert_eq!(written[..2], [6, 1]);
        assert_eq!(written[2..10], 10_000_000_000_u64.to_be_bytes());
        assert_eq!(written[10..18], 1_316_u64.to_be_bytes());
        assert_eq!(written[34..], (-5_i64).to_be_bytes());
        assert_eq!(decode(&written), Ok(Frame::Ask(ask())));
    }

    #[test]
    fn an_ask_with_deadlines_is_another_kind_with_three_more_fields() {
        let (plain, more) = (encode(&Frame::Ask(ask())), encode(&Frame::Ask(ask_with_deadlines())));
        assert_eq!((more[0], &more[1..42], more[58]), (11, &plain[1..], 1));
        assert_eq!(more[42..50], 150_000_000_u64.to_be_bytes());
        assert_eq!(more[50..58], 100_000_000_u64.to_be_bytes());
        assert_eq!(decode(&more), Ok(Frame::Ask(ask_with_deadlines())));
        let unknown = [&more[..58], &[2]].concat();
        assert!(matches!(decode(&unknown), Err(FrameError::Field { value: 2, .. })));
    }

    #[test]
    fn data_is_as_long_as_it_is_asked_for_and_carries_its_number_and_time() {
        let frame = data(7, Time::from_nanos(9), ByteCount::new(1_316));
        assert_eq!(frame.len(), 1_316);
        let length = ByteCount::new(1_316);
        assert_eq!(decode(&frame), Ok(Frame::Data { number: 7, due: Time::from_nanos(9), length }));
        assert_eq!(data(0, Time::ZERO, ByteCount::ZERO).len(), 17);
    }

    #[test]
    fn what_is_too_short_or_too_long_is_refused() {
        for frame in [
            encode(&Frame::Hello { machine: 1 }),
            encode(&Frame::Ping { asked: Time::ZERO }),
            encode(&Frame::Ask(ask())),
            encode(&Frame::Ask(ask_with_deadlines())),
            encode(&Frame::Ready),
            encode(&Frame::End { messages: 1, bytes: ByteCount::new(2) }),
        ] {
            for length in 0..frame.len() {
                assert!(decode(&frame[..length]).is_err(), "{length} bytes of {frame:?}");
            }
            let long = [&frame[..], &[0]].concat();
            assert!(matches!(decode(&long), Err(FrameError::Length { .. })), "{frame:?}");
        }
        assert!(decode(&[DATA; 16]).is_err());
        assert!(decode(&vec![DATA; MAX_MESSAGE.as_len()]).is_ok());
        assert!(decode(&vec![DATA; MAX_MESSAGE.as_len() + 1]).is_err());
    }

    #[test]
    fn values_without_a_meaning_are_refused() {
        assert_eq!(decode(b"GET / HTTP/1.1"), Err(FrameError::UnknownKind(b'G')));
        assert_eq!(
            decode(&[HELLO, 2, 9, 9]),
            Err(FrameError::Version { protocol: "test", found: 2, supported: 1 })
        );
        assert_eq!(decode(&[REFUSED, 0x1b]), Err(FrameError::Text("a reason")));
        assert_eq!(decode(&[REFUSED, 0xff]), Err(FrameError::Text("a reason")));
        let mut wrong = encode(&Frame::Ask(ask())).to_vec();
        wrong[1] = 3;
        assert!(matches!(decode(&wrong), Err(FrameError::Field { value: 3, .. })));
        assert!(matches!(decode(b"\x0a{}"), Err(FrameError::Content(_))));
    }

    #[test]
    fn a_reason_travels_without_control_characters() {
        let frame = encode(&Frame::Refused("a\u{1b}[2Jb".to_owned()));
        assert_eq!(decode(&frame), Ok(Frame::Refused("a [2Jb".to_owned())));
    }

    fn frames() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..100),
            (any::<u8>(), prop::collection::vec(any::<u8>(), 0..60)).prop_map(|(kind, rest)| [
                [kind % 13].as_slice(),
                &rest
            ]
            .concat()),
            (0..8_u8, prop::collection::vec(any::<u64>(), 0..6)).prop_map(|(kind, words)| {
                let words: Vec<u8> = words.into_iter().flat_map(u64::to_be_bytes).collect();
                [[kind, 1].as_slice(), &words].concat()
            }),
            (0..4_u8, prop::collection::vec(any::<u64>(), 7), 0..3_u8).prop_map(
                |(direction, words, order)| {
                    let words: Vec<u8> = words.into_iter().flat_map(u64::to_be_bytes).collect();
                    [[11, direction].as_slice(), &words, &[order]].concat()
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn what_can_be_read_is_written_back_byte_for_byte(bytes in frames()) {
            match decode(&bytes) {
                // The padding and the formatting of JSON may differ.
                Ok(Frame::Data { length, .. }) => prop_assert_eq!(length.as_len(), bytes.len()),
                Ok(Frame::Report(_)) | Err(_) => {}
                Ok(frame) => {
                    let written = encode(&frame);
                    prop_assert_eq!(written.as_ref(), bytes.as_slice());
                }
            }
        }
    }
}
