//! The frames of the protocol, and their encoding.

use anabranch_net::Ppid;
use anabranch_net::reason::{self, MAX_WHY};
use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::arrivals::{self, ArrivalsFrame};
use super::done::Done;
use super::limits::{Limits, LimitsText};
use super::program::Program;
use super::report::Report;

/// The version of this protocol.
pub const VERSION: u8 = 1;

/// The payload protocol identifier of all its frames: "andd".
pub(crate) const PPID: Ppid = Ppid::new(0x616e_6464);

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// The first frame of a client.
    Hello,
    /// The server's answer to HELLO.
    Welcome(Limits),
    /// The measurement is refused, with the reason.
    Refused(String),
    /// The next segment begins.
    Run {
        /// The number of the segment.
        segment: u16,
        /// The programs that the server sends.
        programs: Vec<Program>,
    },
    /// The server reports a segment.
    Stop {
        /// The number of the segment.
        segment: u16,
    },
    /// The end of the report of a segment.
    Done(Done),
    /// A part of the report of a segment.
    Arrivals(ArrivalsFrame),
    /// The report of an end about itself.
    End(Report),
    /// The measurement has ended.
    Bye,
    /// The first frame of a client that falls silent, to see which paths still lead to it afterwards.
    Quiet {
        /// The seconds of silence.
        seconds: u8,
    },
}

/// The error of content that is not what its frame should have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid content of a frame {kind}: {why}")]
pub struct ContentError {
    kind: &'static str,
    why: String,
}

/// The error of bytes that are not a frame.
pub type FrameError = anabranch_net::frame::FrameError<ContentError>;

/// Returns true if a message is the first one of a client that measures: of any version, so that a newer one is answered.
pub fn is_hello(ppid: Ppid, message: &[u8]) -> bool {
    is_quiet(ppid, message) || (ppid == PPID && message.first() == Some(&HELLO))
}

/// Returns true if a message is the first one of a client that falls silent.
pub fn is_quiet(ppid: Ppid, message: &[u8]) -> bool {
    ppid == PPID && message.first() == Some(&QUIET)
}

/// Decodes one frame.
///
/// # Errors
/// The bytes are not a frame.
pub fn decode(frame: &[u8]) -> Result<Frame, FrameError> {
    let (&kind, rest) = frame.split_first().ok_or(FrameError::Empty)?;
    match kind {
        HELLO => match of_version("HELLO", "2", rest)? {
            [] => Ok(Frame::Hello),
            _ => Err(FrameError::length("HELLO", rest, "2")),
        },
        WELCOME => Ok(Frame::Welcome(json::<LimitsText>("WELCOME", rest)?.into())),
        REFUSED => decode_refused(rest),
        RUN => {
            let (segment, rest) = segment("RUN", "3 or more", rest)?;
            Ok(Frame::Run { segment, programs: json("RUN", rest)? })
        }
        STOP => match segment("STOP", "3", rest)? {
            (segment, []) => Ok(Frame::Stop { segment }),
            _ => Err(FrameError::length("STOP", rest, "3")),
        },
        DONE => json("DONE", rest).map(Frame::Done),
        ARRIVALS if rest.len() > arrivals::MOST_BYTES => {
            Err(FrameError::length("ARRIVALS", rest, "4 to 60,101"))
        }
        ARRIVALS => ArrivalsFrame::decode(rest)
            .map(Frame::Arrivals)
            .ok_or_else(|| content("ARRIVALS", "a number or a time that is out of range or cut short")),
        END => {
            let report: Report = json("END", rest)?;
            if report.is_possible() {
                Ok(Frame::End(report))
            } else {
                Err(content("END", "impossible values"))
            }
        }
        BYE if rest.is_empty() => Ok(Frame::Bye),
        BYE => Err(FrameError::length("BYE", rest, "1")),
        QUIET => match of_version("QUIET", "3", rest)? {
            [seconds] => Ok(Frame::Quiet { seconds: *seconds }),
            _ => Err(FrameError::length("QUIET", rest, "3")),
        },
        unknown => Err(FrameError::UnknownKind(unknown)),
    }
}

/// Encodes one frame. A reason longer than [`MAX_WHY`] is truncated, and its control characters become spaces.
pub fn encode(frame: &Frame) -> Bytes {
    let mut bytes = BytesMut::new();
    match frame {
        Frame::Hello => bytes.put_slice(&[HELLO, VERSION]),
        Frame::Welcome(limits) => put_json(&mut bytes, WELCOME, &LimitsText::from(*limits)),
        Frame::Refused(why) => {
            bytes.put_u8(REFUSED);
            reason::encode(why, &mut bytes);
        }
        Frame::Run { segment, programs } => {
            bytes.put_u8(RUN);
            bytes.put_u16(*segment);
            bytes.put_slice(&serde_json::to_vec(programs).unwrap_or_default());
        }
        Frame::Stop { segment } => {
            bytes.put_u8(STOP);
            bytes.put_u16(*segment);
        }
        Frame::Done(done) => put_json(&mut bytes, DONE, done),
        Frame::Arrivals(arrivals) => {
            bytes.put_u8(ARRIVALS);
            arrivals.encode(&mut bytes);
        }
        Frame::End(report) => put_json(&mut bytes, END, report),
        Frame::Bye => bytes.put_u8(BYE),
        Frame::Quiet { seconds } => bytes.put_slice(&[QUIET, VERSION, *seconds]),
    }
    bytes.freeze()
}

impl Frame {
    /// The name of the frame's kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Frame::Hello => "HELLO",
            Frame::Welcome(_) => "WELCOME",
            Frame::Refused(_) => "REFUSED",
            Frame::Run { .. } => "RUN",
            Frame::Stop { .. } => "STOP",
            Frame::Done(_) => "DONE",
            Frame::Arrivals(_) => "ARRIVALS",
            Frame::End(_) => "END",
            Frame::Bye => "BYE",
            Frame::Quiet { .. } => "QUIET",
        }
    }
}

/// The bytes behind the version, which is read first, so that a newer layout is reported as a version mismatch.
fn of_version<'a>(
    kind: &'static str,
    expected: &'static str,
    rest: &'a [u8],
) -> Result<&'a [u8], FrameError> {
    match rest {
        [VERSION, rest @ ..] => Ok(rest),
        [found, ..] => Err(FrameError::Version { protocol: "measuring", found: *found, supported: VERSION }),
        [] => Err(FrameError::length(kind, rest, expected)),
    }
}

fn decode_refused(rest: &[u8]) -> Result<Frame, FrameError> {
    if rest.is_empty() || rest.len() > MAX_WHY {
        return Err(FrameError::length("REFUSED", rest, "2 to 1,025"));
    }
    reason::decode(rest).map(Frame::Refused).ok_or(FrameError::Text("a reason"))
}

fn segment<'a>(
    kind: &'static str,
    expected: &'static str,
    rest: &'a [u8],
) -> Result<(u16, &'a [u8]), FrameError> {
    let split = rest.split_first_chunk::<2>().ok_or(FrameError::length(kind, rest, expected));
    split.map(|(segment, rest)| (u16::from_be_bytes(*segment), rest))
}

fn json<T: DeserializeOwned>(kind: &'static str, rest: &[u8]) -> Result<T, FrameError> {
    if rest.len() > MAX_JSON {
        return Err(FrameError::length(kind, rest, "up to 16,385"));
    }
    serde_json::from_slice(rest).map_err(|error| content(kind, &error.to_string()))
}

fn put_json(bytes: &mut BytesMut, kind: u8, content: &impl Serialize) {
    bytes.put_u8(kind);
    bytes.put_slice(&serde_json::to_vec(content).unwrap_or_default());
}

fn content(kind: &'static str, why: &str) -> FrameError {
    FrameError::Content(ContentError { kind, why: why.replace(char::is_control, " ") })
}

const HELLO: u8 = 0xd0;
const WELCOME: u8 = 0xd1;
const REFUSED: u8 = 0xd2;
const RUN: u8 = 0xd3;
const STOP: u8 = 0xd4;
const DONE: u8 = 0xd5;
const ARRIVALS: u8 = 0xd6;
const END: u8 = 0xd7;
const BYE: u8 = 0xd8;
const QUIET: u8 = 0xd9;
/// The most bytes of JSON in a frame.
const MAX_JSON: usize = 16 * 1024;

#[cfg(test)]
mod tests;
