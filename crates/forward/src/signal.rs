//! The signals by which both ends open and end flows. Each is a message with a payload protocol identifier of its own, on
//! the stream of its flow; the first message of a stream opens it.
//!
//! ```text
//! connect    1 | destination                     TCP to this destination
//! datagrams  2 | flags (1)                       UDP; bit 0: anybody may answer
//! listen     3 | destination                     a TCP port of the server; the stream lives as long as the port
//! arrival    4 | stream (2) | source             a connection to the port that this stream opened
//! opened     5 | address                         the answer: the flow is open, from this address
//! refused    6 | SOCKS5 reply code (1) | reason  the answer: why it is not
//! reset      7                                   the connection was reset
//! finished   8                                   no bytes follow in this direction
//! broken     9 | stream (2)                      the connection of another stream, which does not read, was reset
//! ```
//! Destinations, sources and addresses have the form of [`Destination`].

use anabranch_net::{Ppid, StreamId};

use crate::destination::{Destination, DestinationError};
use crate::socks::Reply;

/// The identifier of signals.
pub(crate) const SIGNAL: Ppid = Ppid::new(0x9a1d_0000);
/// The identifier of the bytes of a TCP connection.
pub(crate) const BYTES: Ppid = Ppid::new(0x9a1d_0001);
/// The identifier of a UDP datagram behind its destination or source.
pub(crate) const DATAGRAM: Ppid = Ppid::new(0x9a1d_0002);

/// A signal of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Opens a TCP connection from the server to a destination.
    Connect(Destination),
    /// Opens a UDP mapping at the server.
    Datagrams {
        /// True if datagrams from everywhere come back, false if from destinations alone.
        is_full_cone: bool,
    },
    /// Opens a TCP port of the server.
    Listen(Destination),
    /// Opens a connection that arrived at a port of the server.
    Arrival {
        /// The stream on which the port was opened.
        listener: StreamId,
        /// The address from which it came.
        source: Destination,
    },
    /// Answers that the flow is open.
    Opened(Destination),
    /// Answers that it is not.
    Refused(Refused),
    /// Ends a flow whose connection was reset.
    Reset,
    /// Half-closes a connection. The end of the stream follows when both directions have finished.
    Finished,
    /// Resets the connection of another stream, whose own reset waits behind bytes that are not read. The end of this
    /// stream is the answer.
    Broken(StreamId),
}

/// The reason for which a flow was not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// The reply of SOCKS5 that names it.
    pub reply: Reply,
    /// A sentence for people, from the other end.
    pub reason: String,
}

/// The error of bytes that are not a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignalError {
    /// The kind is unknown.
    #[error("a signal of unknown kind {0}")]
    UnknownKind(u8),
    /// It ends early.
    #[error("a signal that is cut off")]
    Truncated,
    /// More bytes follow than it has.
    #[error("a signal with {0} bytes too many")]
    Excess(usize),
    /// The destination is malformed.
    #[error(transparent)]
    Destination(#[from] DestinationError),
    /// The reply code is not one of RFC 1928.
    #[error("an unknown reply code {0}")]
    Reply(u8),
}

impl Refused {
    /// A refusal.
    pub fn new(reply: Reply, reason: impl Into<String>) -> Refused {
        Refused { reply, reason: reason.into() }
    }
}

impl Signal {
    /// The signal as the payload of a message.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Signal::Connect(destination) => put(&mut bytes, 1, destination),
            Signal::Datagrams { is_full_cone } => bytes.extend([2, u8::from(*is_full_cone)]),
            Signal::Listen(port) => put(&mut bytes, 3, port),
            Signal::Arrival { listener, source } => {
                bytes.push(4);
                bytes.extend(listener.get().to_be_bytes());
                source.encode(&mut bytes);
            }
            Signal::Opened(address) => put(&mut bytes, 5, address),
            Signal::Refused(refused) => {
                bytes.extend([6, refused.reply.code()]);
                bytes.extend(cut(&refused.reason).bytes());
            }
            Signal::Reset => bytes.push(7),
            Signal::Finished => bytes.push(8),
            Signal::Broken(stream) => {
                bytes.push(9);
                bytes.extend(stream.get().to_be_bytes());
            }
        }
        bytes
    }

    /// Reads the payload of a message. Text of the other end is made safe to show on a terminal.
    ///
    /// # Errors
    /// It is not a signal.
    pub fn decode(bytes: &[u8]) -> Result<Signal, SignalError> {
        let (kind, rest) = bytes.split_first().ok_or(SignalError::Truncated)?;
        Ok(match kind {
            1 => Signal::Connect(whole(rest)?),
            2 => match rest {
                [] => return Err(SignalError::Truncated),
                [flags] => Signal::Datagrams { is_full_cone: flags & 1 != 0 },
                [_, more @ ..] => return Err(SignalError::Excess(more.len())),
            },
            3 => Signal::Listen(whole(rest)?),
            4 => {
                let (listener, source) = rest.split_first_chunk().ok_or(SignalError::Truncated)?;
                let listener = StreamId::new(u16::from_be_bytes(*listener));
                Signal::Arrival { listener, source: whole(source)? }
            }
            5 => Signal::Opened(whole(rest)?),
            6 => {
                let (code, reason) = rest.split_first().ok_or(SignalError::Truncated)?;
                let reply = Reply::from_code(*code).ok_or(SignalError::Reply(*code))?;
                let reason = String::from_utf8_lossy(&reason[..reason.len().min(LONGEST_REASON)]);
                let reason = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                Signal::Refused(Refused { reply, reason })
            }
            7 if rest.is_empty() => Signal::Reset,
            8 if rest.is_empty() => Signal::Finished,
            9 => match rest {
                [high, low] => Signal::Broken(StreamId::new(u16::from_be_bytes([*high, *low]))),
                [_, _, more @ ..] => return Err(SignalError::Excess(more.len())),
                _ => return Err(SignalError::Truncated),
            },
            7 | 8 => return Err(SignalError::Excess(rest.len())),
            other => return Err(SignalError::UnknownKind(*other)),
        })
    }
}

fn put(bytes: &mut Vec<u8>, kind: u8, destination: &Destination) {
    bytes.push(kind);
    destination.encode(bytes);
}

fn whole(bytes: &[u8]) -> Result<Destination, SignalError> {
    let (destination, used) = Destination::decode(bytes)?.ok_or(SignalError::Truncated)?;
    if used < bytes.len() { Err(SignalError::Excess(bytes.len() - used)) } else { Ok(destination) }
}

/// The beginning of `reason` that fits, in whole characters.
fn cut(reason: &str) -> &str {
    let ends = reason.char_indices().map(|(at, c)| at + c.len_utf8());
    &reason[..ends.take_while(|end| *end <= LONGEST_REASON).last().unwrap_or(0)]
}

const LONGEST_REASON: usize = 300;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn destination() -> impl Strategy<Value = Destination> {
        let text = prop_oneof!["[a-z]{1,20}:[1-9]", "\\[::[1-9]\\]:[1-9]", "10\\.0\\.0\\.[1-9]:[1-9]"];
        text.prop_map(|text| text.parse().expect("a destination"))
    }

    fn signal() -> impl Strategy<Value = Signal> {
        let listener = || any::<u16>().prop_map(StreamId::new);
        let refused = |(code, reason)| {
            Signal::Refused(Refused { reply: Reply::from_code(code).expect("known"), reason })
        };
        prop_oneof![
            destination().prop_map(Signal::Connect),
            any::<bool>().prop_map(|is_full_cone| Signal::Datagrams { is_full_cone }),
            destination().prop_map(Signal::Listen),
            (listener(), destination()).prop_map(|(listener, source)| Signal::Arrival { listener, source }),
            destination().prop_map(Signal::Opened),
            (0..9_u8, "[ -~]{0,80}").prop_map(refused),
            Just(Signal::Reset),
            Just(Signal::Finished),
            listener().prop_map(Signal::Broken),
        ]
    }

    proptest! {
        #[test]
        fn signals_are_read_as_they_were_written(signal in signal()) {
            prop_assert_eq!(Signal::decode(&signal.encode()), Ok(signal));
        }

        #[test]
        fn any_bytes_are_a_signal_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Signal::decode(&bytes);
        }
    }

    #[test]
    fn a_long_reason_is_cut_between_characters_and_is_safe_to_show() {
        let long = Refused::new(Reply::GeneralFailure, "é".repeat(400));
        let bytes = Signal::Refused(long).encode();
        assert_eq!(bytes.len(), 2 + LONGEST_REASON);
        let red = [&[6, 1][..], b"\x1b[31mno\n"].concat();
        let Ok(Signal::Refused(refused)) = Signal::decode(&red) else { panic!("a refusal") };
        assert_eq!(refused.reason, " [31mno ");
    }
}
